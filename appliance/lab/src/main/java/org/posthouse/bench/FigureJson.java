package org.posthouse.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.posthouse.bench.carrier.Carrier;
import org.posthouse.bench.statistics.Cost;
import org.posthouse.bench.statistics.Statistics;

/** Figures for programs. The keys are those of {@code docs/bench.md}. */
public final class FigureJson {
    private FigureJson() {}

    private static void add(Variant variant, ObjectNode node) {
        node.put("mode", variant.mode().word())
                .put("transport", variant.sockets().word())
                .put("durability", variant.durability())
                .put("buffers", variant.buffers().word())
                .put("algorithm", variant.algorithm().isEmpty() ? "auto" : variant.algorithm());
        variant.delivery().ifPresent(path -> node.put("delivery", path.word()));
        variant.settings().ifPresent(set -> node.put("eagerMaxBytes", set.eagerBytesMax()).put("busyPollMicros", set.busyPollUs()));
    }

    /** All of them, each beside those that it is compared with. */
    public static void add(List<Figure> figures, ArrayNode to) {
        figures.forEach(figure -> add(figure, figures, to.addObject()));
    }

    private static void add(Figure figure, List<Figure> figures, ObjectNode node) {
        Series series = figure.series();
        node.put("test", figure.test().word())
                .put("bytes", figure.bytes())
                .put("carrier", series.carrier().word())
                .put("layout", series.layout().word());
        if (series.carrier() == Carrier.RELAY) {
            add(series.variant(), node);
        }
        Statistics times = figure.times();
        node.put("operations", times.operations())
                .put("minMicros", times.minMicros())
                .put("averageMicros", times.averageMicros())
                .put("medianMicros", times.medianMicros())
                .put("p99Micros", times.p99Micros())
                .put("maxMicros", times.maxMicros());
        ArrayNode medians = node.putArray("medianMicrosOfRepetitions");
        times.medians().forEach(medians::add);
        if (figure.test().isSized()) {
            node.put("megabytesPerSecond", figure.megabytesPerSecond());
        }
        Cost cost = figure.cost();
        node.putObject("relayCost")
                .put("cpuMicrosPerOperation", cost.cpuMicros())
                .put("heapBytesPerOperation", cost.heapBytes())
                .put("framesPerOperation", cost.frames())
                .put("payloadBytesPerOperation", cost.payloadBytes())
                .put("linkBytesPerOperation", cost.linkBytes());
        figure.raw(figures).ifPresent(raw -> node.put("timesRaw", figure.times(raw)));
        figure.forwarder(figures).ifPresent(better -> node.put("timesForwarder", figure.times(better)));
        figure.tunnel(figures).ifPresent(better -> node.put("timesTunnel", figure.times(better)));
        figure.pingPong().ifPresent(pingPong -> node.put("messagesPerSecond", figure.operationsPerSecond())
                .put("pingPongMessagesPerSecond", pingPong.operationsPerSecond())
                .put("timesPingPong", figure.timesPingPong()));
    }
}
