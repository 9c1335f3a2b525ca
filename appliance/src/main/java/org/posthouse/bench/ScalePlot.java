package org.posthouse.bench;

import static org.posthouse.bench.BenchPlot.list;
import static org.posthouse.bench.BenchPlot.map;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * The pictures of {@code bench scale}: the relay paper's figures 4 to 9, each series a line over the number of clients,
 * a column of panels for each number of relays, and for bandwidth a row for each size.
 */
final class ScalePlot {
    private static final double PANEL_WIDTH = 320;
    private static final double PANEL_HEIGHT = 260;
    private static final double LEGEND_WIDTH = 200;
    private static final double TITLE_HEIGHT = 100;

    /** ColorBrewer's "Paired" with a yellow that can be seen: three baselines, and four modes at two durabilities. */
    private static final List<Object> COLOURS = List.of(
            "#666666", "#b15928", "#d9b400", "#1f78b4", "#a6cee3", "#33a02c", "#b2df8a", "#e31a1c", "#fb9a99", "#6a3d9a", "#cab2d6");

    private ScalePlot() {}

    static void bandwidth(ScalePlan plan, List<ScaleFigure> figures, Path file) throws IOException {
        draw(plan, figures, "overall bandwidth (MB/s)", figure -> Medians.of(figure.overallMegabytes()), file);
    }

    /** Of the shortest messages only. */
    static void latency(ScalePlan plan, List<ScaleFigure> figures, Path file) throws IOException {
        int shortest = plan.sizes().get(0);
        List<ScaleFigure> shorts = figures.stream().filter(figure -> figure.bytes() == shortest).toList();
        draw(plan, shorts, "half a round trip (µs)", figure -> Medians.of(figure.latencyMicros()), file);
    }

    private static void draw(
            ScalePlan plan, List<ScaleFigure> figures, String name, ToDoubleFunction<ScaleFigure> value, Path file)
            throws IOException {
        long rows = figures.stream().map(ScaleFigure::bytes).distinct().count();
        long columns = figures.stream().map(figure -> figure.cell().relays()).distinct().count();
        Map<String, Object> plot = map(
                "kind", "plot",
                "data", data(figures, value),
                "mapping", map("x", "clients", "y", "value", "color", "series", "shape", "series"),
                "layers", list(map("geom", "line", "size", 1.0), map("geom", "point", "size", 3.0)),
                "facet", map("name", "grid", "x", "relays", "y", "size", "x_order", 0, "y_order", 0, "scales", "free_y"),
                // Breaks of our own and axes of the rows' own do not go together: panels come out with negative heights.
                "scales", list(clientScale(plan), map("aesthetic", "y", "name", name, "trans", "log10"),
                        colours(), map("aesthetic", "shape", "name", "series")),
                "ggtitle", map("text", "posthouse bench scale: " + name, "subtitle", BenchPlot.subtitle(plan.repetitions())),
                "ggsize", map("width", columns * PANEL_WIDTH + LEGEND_WIDTH, "height", rows * PANEL_HEIGHT + TITLE_HEIGHT),
                "theme", map("name", "light", "legend_position", "right"));
        BenchPlot.draw(plot, file);
    }

    private static Map<String, Object> data(List<ScaleFigure> figures, ToDoubleFunction<ScaleFigure> value) {
        List<Object> clients = new ArrayList<>();
        List<Object> values = new ArrayList<>();
        List<Object> series = new ArrayList<>();
        List<Object> sizes = new ArrayList<>();
        List<Object> relays = new ArrayList<>();
        for (ScaleFigure figure : figures) {
            clients.add((double) figure.cell().clients());
            values.add(value.applyAsDouble(figure));
            series.add(figure.series().label());
            sizes.add(SizeList.text(figure.bytes()) + " bytes");
            relays.add(figure.cell().relays() + (figure.cell().relays() == 1 ? " relay" : " relays"));
        }
        return map("clients", clients, "value", values, "series", series, "size", sizes, "relays", relays);
    }

    private static Map<String, Object> colours() {
        return map("aesthetic", "color", "name", "series", "values", new ArrayList<>(COLOURS));
    }

    private static Map<String, Object> clientScale(ScalePlan plan) {
        List<Object> breaks = new ArrayList<>();
        List<Object> labels = new ArrayList<>();
        for (int clients : plan.clients()) {
            breaks.add((double) clients);
            labels.add(Integer.toString(clients));
        }
        return map("aesthetic", "x", "name", "clients", "trans", "log2", "breaks", breaks, "labels", labels);
    }
}
