package org.posthouse.bench;

import static org.posthouse.bench.BenchPlot.list;
import static org.posthouse.bench.BenchPlot.map;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.posthouse.wan.WanProfile;

/** The pictures of {@code bench wan}: the relay paper's figures 10 to 12, as bars. */
final class WanPlot {
    private static final double WIDTH = 960;
    private static final double HEIGHT = 500;

    /** What the first bar of each link shows. */
    private static final String EMULATED = "emulated";

    private WanPlot() {}

    /** What a bar is drawn from. */
    private record Bars(List<Object> where, List<Object> series, List<Object> values) {
        private Bars() {
            this(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        }

        private void add(String at, String one, double value) {
            where.add(at);
            series.add(one);
            values.add(value);
        }
    }

    private interface Measured {
        double of(WanLink link, Series series);
    }

    static void bandwidth(WanProfile profile, List<WanLink> links, Path file) throws IOException {
        draw(profile, "bandwidth (Mb/s)", bars(links, WanLink::askedMegabits, WanLink::megabits), file);
    }

    static void latency(WanProfile profile, List<WanLink> links, Path file) throws IOException {
        draw(profile, "half a round trip (ms)", bars(links, WanLink::askedLatencyMs, WanLink::latencyMs), file);
    }

    static void jobs(WanProfile profile, List<JobReport> jobs, Path file) throws IOException {
        Bars bars = new Bars();
        jobs.forEach(job -> job.medians().forEach((series, seconds) -> bars.add(job.name(), series, seconds)));
        draw(profile, "time of a job (s)", bars, file);
    }

    private static Bars bars(List<WanLink> links, ToDoubleFunction<WanLink> asked, Measured measured) {
        Bars bars = new Bars();
        for (WanLink link : links) {
            bars.add(link.name(), EMULATED, asked.applyAsDouble(link));
            link.series().forEach(series -> bars.add(link.name(), series.label(), measured.of(link, series)));
        }
        return bars;
    }

    private static void draw(WanProfile profile, String name, Bars bars, Path file) throws IOException {
        Map<String, Object> plot = map(
                "kind", "plot",
                "data", map("where", bars.where, "series", bars.series, "value", bars.values),
                "mapping", map("x", "where", "y", "value", "fill", "series"),
                "layers", list(map("geom", "bar", "stat", "identity", "position", "dodge")),
                "scales", list(map("aesthetic", "x", "name", "", "discrete", true), map("aesthetic", "y", "name", name),
                        map("aesthetic", "fill", "name", "series", "scale_mapper_kind", "color_brewer", "palette", "Dark2")),
                "ggtitle", map("text", "posthouse bench wan, profile " + profile.name() + ": " + name),
                "ggsize", map("width", WIDTH, "height", HEIGHT),
                "theme", map("name", "light", "legend_position", "right"));
        BenchPlot.draw(plot, file);
    }
}
