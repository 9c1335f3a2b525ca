package org.posthouse.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.posthouse.launch.JobFailure;
import org.posthouse.wan.WanProfile;

/** The report of {@code bench wan} for programs. The keys are those of {@code docs/bench.md}. */
final class WanJson {
    private static final String BASELINE =
            "raw: one TCP connection between the two ranks over the same network; ssh, stunnel: plain bytes through ssh -L and through two "
                    + "stunnels over it, and timesTunnel is beside the better one of them; phases of all series alternate in one run";

    private WanJson() {}

    static void write(
            WanPlan plan,
            WanProfile profile,
            List<WanLink> links,
            List<JobReport> jobs,
            Map<Carrier, String> leftOut,
            Optional<JobFailure> failed,
            String command,
            Path file)
            throws IOException {
        BenchJson.write(file, command, BASELINE, report -> {
            failed.ifPresent(failure -> report.put("failed", failure.getMessage()));
            report.put("profile", profile.name())
                    .put("repetitions", plan.repetitions())
                    .put("phaseMs", plan.phaseMs())
                    .put("streamBytes", plan.bytes())
                    .put("window", plan.window())
                    .put("compress", plan.compression().name().toLowerCase(Locale.ROOT));
            ObjectNode reasons = report.putObject("leftOut");
            leftOut.forEach((carrier, why) -> reasons.put(carrier.word(), why));
            ArrayNode array = report.putArray("links");
            links.forEach(link -> add(plan, link, array.addObject()));
            ArrayNode whole = report.putArray("jobs");
            jobs.forEach(job -> job.addTo(whole.addObject()));
        });
    }

    private static void add(WanPlan plan, WanLink link, ObjectNode node) {
        node.putArray("sites").add(link.one()).add(link.other());
        if (plan.isEmulated()) {
            node.put("emulatedLatencyMs", link.askedLatencyMs()).put("emulatedMegabitsPerSecond", link.askedMegabits());
            ArrayNode series = node.putArray("series");
            for (Series one : link.series()) {
                ObjectNode line = series.addObject()
                        .put("carrier", one.carrier().word())
                        .put("latencyMs", link.latencyMs(one))
                        .put("megabitsPerSecond", link.megabits(one));
                if (one.carrier() == Carrier.RELAY) {
                    line.put("durability", one.variant().durability());
                }
                if (link.askedMegabits() > 0) {
                    line.put("ofLink", link.ofLink(one));
                }
            }
        }
        ArrayNode besides = node.putArray("beside");
        link.besides().forEach(beside -> besides.addObject()
                .put("durability", beside.series().variant().durability())
                .put("idleMs", beside.idleMs())
                .put("besideMs", beside.besideMs())
                .put("thatWayMs", beside.thereMs())
                .put("allowedMs", beside.allowedMs())
                .put("streamMegabitsPerSecond", beside.megabits()));
        ArrayNode figures = node.putArray("figures");
        link.figures().forEach(figure -> BenchJson.add(figure, link.figures(), figures.addObject()));
    }
}
