package org.posthouse.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.posthouse.launch.JobFailure;

/** The report for programs. The keys are those of {@code docs/bench.md}. */
final class BenchJson {
    private static final String BASELINE =
            "raw: one TCP hop between the two ranks, direct buffers; vertx, selector: bare forwarders, two hops, and "
                    + "timesForwarder is beside the better one of them; phases of all series alternate in one run";

    private BenchJson() {}

    static void write(BenchPlan plan, List<Figure> figures, Optional<JobFailure> failed, String command, Path file) throws IOException {
        write(file, command, BASELINE, report -> {
            failed.ifPresent(failure -> report.put("failed", failure.getMessage()));
            report.put("ranks", plan.ranks())
                    .put("pairs", plan.pairs())
                    .put("sites", plan.sites())
                    .put("relaysPerSite", plan.relaysPerSite())
                    .put("repetitions", plan.repetitions())
                    .put("phaseMs", plan.phaseMs())
                    .put("window", plan.window());
            ArrayNode array = report.putArray("figures");
            figures.forEach(figure -> add(figure, figures, array.addObject()));
        });
    }

    /** Writes a report: what each begins with, and what {@code rest} puts behind it. */
    static void write(Path file, String command, String baseline, Consumer<ObjectNode> rest) throws IOException {
        ObjectMapper mapper = new ObjectMapper();
        ObjectNode report = mapper.createObjectNode()
                .put("command", command)
                .put("baseline", baseline)
                .put("at", Instant.now().toString());
        ObjectNode environment = report.putObject("environment");
        BenchEnvironment.found().forEach(environment::put);
        report.putObject("machine")
                .put("processors", Runtime.getRuntime().availableProcessors())
                .put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"))
                .put("java", Runtime.version().toString());
        rest.accept(report);
        mapper.writerWithDefaultPrettyPrinter().writeValue(file.toFile(), report);
    }

    private static void add(Variant variant, ObjectNode node) {
        node.put("mode", variant.mode().word())
                .put("transport", variant.sockets().word())
                .put("durability", variant.durability())
                .put("buffers", variant.buffers().word())
                .put("algorithm", variant.algorithm().isEmpty() ? "auto" : variant.algorithm());
        variant.settings().ifPresent(set -> node.put("eagerMaxBytes", set.eagerBytesMax()).put("busyPollMicros", set.busyPollUs()));
    }

    /** One figure, beside those that it is compared with. */
    static void add(Figure figure, List<Figure> figures, ObjectNode node) {
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
