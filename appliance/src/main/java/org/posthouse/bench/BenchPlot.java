package org.posthouse.bench;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jetbrains.letsPlot.commons.encoding.UnsupportedRGBEncoder;
import org.jetbrains.letsPlot.core.util.PlotSvgExportCommon;

/**
 * The report as a picture: median time against message size, both logarithmic, one line a series. Drawn by Lets-Plot,
 * whose specifications are maps and lists that it may change, and which asks no font for anything.
 */
final class BenchPlot {
    private static final double WIDTH = 960;
    private static final double HEIGHT = 600;

    /** Above this many sizes only every second, third, … is named. */
    private static final int SIZE_LABELS_MAX = 12;

    private BenchPlot() {}

    static void write(BenchPlan plan, List<Figure> figures, Path file) throws IOException {
        List<Figure> sized = figures.stream().filter(figure -> figure.test().isSized()).toList();
        if (sized.isEmpty()) {
            throw new IOException("there is nothing to plot against: none of the tests has bytes");
        }
        Map<String, Object> plot = map(
                "kind", "plot",
                "data", data(sized),
                "mapping", map("x", "bytes", "y", "micros", "color", "series", "shape", "series"),
                "layers", list(map("geom", "line", "size", 1.0), map("geom", "point", "size", 3.0)),
                "scales", list(sizeScale(sized), timeScale(sized), colours(), map("aesthetic", "shape", "name", "series")),
                "ggtitle", map("text", title(plan, sized), "subtitle", subtitle(plan.repetitions())),
                "ggsize", map("width", WIDTH, "height", HEIGHT),
                "theme", map("name", "light", "legend_position", "right"));
        draw(plot, file);
    }

    /** Draws what Lets-Plot's specification says. */
    static void draw(Map<String, Object> plot, Path file) throws IOException {
        Files.writeString(
                file, PlotSvgExportCommon.INSTANCE.buildSvgImageFromRawSpecs(plot, null, new UnsupportedRGBEncoder(), false));
    }

    /** The file for another picture of the same report: its name with {@code suffix} before the extension. */
    static Path beside(Path file, String suffix) {
        String name = file.getFileName().toString();
        int dot = name.lastIndexOf('.');
        return file.resolveSibling(dot < 0 ? name + suffix : name.substring(0, dot) + suffix + name.substring(dot));
    }

    private static Map<String, Object> data(List<Figure> figures) {
        boolean severalTests = figures.stream().map(Figure::test).distinct().count() > 1;
        List<Object> bytes = new ArrayList<>();
        List<Object> micros = new ArrayList<>();
        List<Object> series = new ArrayList<>();
        for (Figure figure : figures) {
            bytes.add((double) figure.bytes());
            micros.add(figure.times().medianMicros());
            series.add((severalTests ? figure.test() + " " : "") + figure.series().label());
        }
        return map("bytes", bytes, "micros", micros, "series", series);
    }

    private static String title(BenchPlan plan, List<Figure> figures) {
        List<Benchmark> tests = figures.stream().map(Figure::test).distinct().toList();
        return "posthouse bench" + (tests.size() == 1 ? " " + tests.get(0) : "") + ": " + plan.ranks() + " ranks, "
                + plan.where();
    }

    private static Map<String, Object> colours() {
        return map("aesthetic", "color", "name", "series", "scale_mapper_kind", "color_brewer", "palette", "Dark2");
    }

    static String subtitle(int repetitions) {
        String over = repetitions == 1 ? "one repetition" : repetitions + " interleaved repetitions";
        return "median over " + over + ", " + Runtime.getRuntime().availableProcessors() + " processors";
    }

    private static Map<String, Object> sizeScale(List<Figure> figures) {
        List<Integer> sizes = List.copyOf(figures.stream().map(Figure::bytes).collect(Collectors.toCollection(TreeSet::new)));
        int step = (sizes.size() + SIZE_LABELS_MAX - 1) / SIZE_LABELS_MAX;
        List<Object> breaks = new ArrayList<>();
        List<Object> labels = new ArrayList<>();
        for (int i = 0; i < sizes.size(); i += step) {
            breaks.add((double) sizes.get(i));
            labels.add(SizeList.text(sizes.get(i)));
        }
        return map("aesthetic", "x", "name", "message size (bytes)", "trans", "log2", "breaks", breaks, "labels", labels);
    }

    /** With 1, 2 and 5 of every power of ten, from the last below the values to the first above. */
    private static Map<String, Object> timeScale(List<Figure> figures) {
        DoubleSummaryStatistics values = figures.stream().mapToDouble(figure -> figure.times().medianMicros()).summaryStatistics();
        List<Object> breaks = new ArrayList<>();
        List<Object> labels = new ArrayList<>();
        for (int power = (int) Math.floor(Math.log10(values.getMin())); Math.pow(10, power) <= values.getMax(); power++) {
            for (int digit : new int[] {1, 2, 5}) {
                BigDecimal value = BigDecimal.valueOf(digit).scaleByPowerOfTen(power);
                if (value.doubleValue() > values.getMin() / 2 && value.doubleValue() < values.getMax() * 2) {
                    breaks.add(value.doubleValue());
                    labels.add(value.toPlainString());
                }
            }
        }
        return map("aesthetic", "y", "name", "median time (µs)", "trans", "log10", "breaks", breaks, "labels", labels);
    }

    static Map<String, Object> map(Object... keysAndValues) {
        Map<String, Object> map = new HashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            map.put((String) keysAndValues[i], keysAndValues[i + 1]);
        }
        return map;
    }

    static List<Object> list(Object... elements) {
        return new ArrayList<>(List.of(elements));
    }
}
