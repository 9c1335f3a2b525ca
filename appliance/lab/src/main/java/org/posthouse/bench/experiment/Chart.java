package org.posthouse.bench.experiment;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * A picture of a report as SVG: panels in rows and columns. A panel has one line per series over two logarithmic axes,
 * or bars side by side over an axis from 0. All panels of a row have the same vertical axis. It measures no text, so it
 * needs neither the AWT nor a font.
 */
public final class Chart {
    private static final double HEIGHT = 340;
    private static final double LEFT = 80;
    private static final double TOP = 70;
    private static final double GAP = 55;
    private static final double LEGEND = 240;

    /** Above this many places on an axis only every second, third, … is named. */
    private static final int LABELS_MAX = 12;

    /** ColorBrewer's "Paired" with a yellow that can be seen: three baselines, and four modes at two durabilities. */
    private static final List<String> COLOURS = List.of(
            "#666666", "#b15928", "#d9b400", "#1f78b4", "#a6cee3", "#33a02c", "#b2df8a", "#e31a1c", "#fb9a99", "#6a3d9a", "#cab2d6");

    private final String across;
    private final String up;
    private final boolean bars;
    private final List<Value> values = new ArrayList<>();
    private final StringBuilder svg = new StringBuilder();

    /** @param x the place on a logarithmic axis; of bars only its name {@code at} counts */
    private record Value(String row, String column, String series, double x, String at, double y) {}

    /** @param across what the horizontal axis shows; empty for bars */
    public Chart(String across, String up) {
        this.across = across;
        this.up = up;
        this.bars = across.isEmpty();
    }

    /** Nothing is drawn for a value that is not above 0. */
    public void add(String row, String column, String series, double x, String at, double y) {
        if (Double.isFinite(y) && y > 0) {
            values.add(new Value(row, column, series, x, at, y));
        }
    }

    /** Writes all that was added as an SVG picture. */
    public void write(String title, String subtitle, Path file) throws IOException {
        List<String> rows = distinct(Value::row);
        List<String> columns = distinct(Value::column);
        List<String> series = distinct(Value::series);
        double panelWidth = columns.size() == 1 ? 760 : 380;
        double right = LEFT + columns.size() * (panelWidth + GAP);
        double height = TOP + Math.max(rows.size() * (HEIGHT + GAP), 20.0 * series.size()) + 20;
        svg("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" font-family=\"sans-serif\" font-size=\"12\">", right + LEGEND, height);
        rectangle(0, 0, right + LEGEND, height, "white");
        text(LEFT, 26, "start", title);
        text(LEFT, 44, "start", subtitle);
        for (int r = 0; r < rows.size(); r++) {
            String row = rows.get(r);
            double bottom = TOP + r * (HEIGHT + GAP) + HEIGHT;
            List<Value> ofRow = values.stream().filter(value -> value.row.equals(row)).toList();
            DoubleSummaryStatistics y = ofRow.stream().mapToDouble(Value::y).summaryStatistics();
            Axis vertical = new Axis(bars ? 0 : y.getMin() / 1.2, y.getMax() * 1.2, !bars, bottom, bottom - HEIGHT);
            for (int c = 0; c < columns.size(); c++) {
                String column = columns.get(c);
                double left = LEFT + c * (panelWidth + GAP);
                text(left + panelWidth / 2, bottom - HEIGHT - 6, "middle", (column + " " + row).strip());
                panel(ofRow.stream().filter(value -> value.column.equals(column)).toList(), series, vertical, left, left + panelWidth);
            }
        }
        for (int i = 0; i < series.size(); i++) {
            rectangle(right, TOP + 20 * i, 12, 12, colour(i));
            text(right + 18, TOP + 20 * i + 10, "start", series.get(i));
        }
        Files.writeString(file, svg.append("</svg>\n"));
    }

    private void panel(List<Value> panel, List<String> series, Axis vertical, double left, double right) {
        for (double tick : vertical.ticks()) {
            rectangle(left, vertical.at(tick), right - left, 1, "#dddddd");
            text(left - 6, vertical.at(tick) + 4, "end", BigDecimal.valueOf(tick).stripTrailingZeros().toPlainString());
        }
        List<String> places = distinct(Value::at);
        DoubleSummaryStatistics x = values.stream().mapToDouble(Value::x).summaryStatistics();
        Axis horizontal = bars ? new Axis(-0.5, places.size() - 0.5, false, left, right) : new Axis(x.getMin() / 1.2, x.getMax() * 1.2, true, left, right);
        for (int i = 0; i < places.size(); i += (places.size() + LABELS_MAX - 1) / LABELS_MAX) {
            String place = places.get(i);
            double value = bars ? i : values.stream().filter(each -> each.at.equals(place)).findFirst().orElseThrow().x;
            text(horizontal.at(value), vertical.from + 16, "middle", place);
        }
        text((left + right) / 2, vertical.from + 34, "middle", across);
        text(left - GAP, vertical.to - 6, "start", up);
        double width = 0.8 * (right - left) / places.size() / series.size();
        for (int i = 0; i < series.size(); i++) {
            StringBuilder points = new StringBuilder();
            for (Value value : panel) {
                if (value.series.equals(series.get(i))) {
                    double at = horizontal.at(bars ? places.indexOf(value.at) : value.x);
                    double y = vertical.at(value.y);
                    rectangle(bars ? at + (i - series.size() / 2.0) * width : at - 3, bars ? y : y - 3, bars ? width : 6, bars ? vertical.from - y : 6,
                            colour(i));
                    points.append(String.format(Locale.ROOT, "%.1f,%.1f ", at, y));
                }
            }
            if (!bars) {
                svg("<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>", points, colour(i));
            }
        }
    }

    /** @param from where {@code min} stands in the picture @param to where {@code max} does */
    private record Axis(double min, double max, boolean logarithmic, double from, double to) {
        double at(double value) {
            double share = logarithmic ? Math.log(value / min) / Math.log(max / min) : (value - min) / (max - min);
            return from + share * (to - from);
        }

        /** Of each power of ten 1, 2 and 5; or five that are equally far from each other. */
        List<Double> ticks() {
            double round = Math.pow(10, Math.floor(Math.log10(max)) - 1);
            DoubleStream ticks = logarithmic
                    ? IntStream.rangeClosed((int) Math.floor(Math.log10(min)), (int) Math.floor(Math.log10(max))).boxed()
                            .flatMapToDouble(power -> DoubleStream.of(1, 2, 5).map(digit -> new BigDecimal(digit).scaleByPowerOfTen(power).doubleValue()))
                    : IntStream.range(0, 5).mapToDouble(i -> i * Math.floor(max / 4 / round) * round);
            return ticks.filter(tick -> tick >= min && tick <= max).boxed().toList();
        }
    }

    /** Says what a point of the chart is. */
    public static String subtitle(int repetitions) {
        String over = repetitions == 1 ? "one repetition" : repetitions + " interleaved repetitions";
        return "median over " + over + ", " + Runtime.getRuntime().availableProcessors() + " processors";
    }

    /** The file for another picture of the same report: its name with {@code suffix} before the extension. */
    public static Path beside(Path file, String suffix) {
        String name = file.getFileName().toString();
        int dot = name.lastIndexOf('.');
        return file.resolveSibling(dot < 0 ? name + suffix : name.substring(0, dot) + suffix + name.substring(dot));
    }

    private List<String> distinct(Function<Value, String> of) {
        return values.stream().map(of).distinct().toList();
    }

    private static String colour(int series) {
        return COLOURS.get(series % COLOURS.size());
    }

    private void rectangle(double x, double y, double width, double height, String fill) {
        svg("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>", x, y, width, height, fill);
    }

    private void text(double x, double y, String anchor, String text) {
        svg("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>", x, y, anchor, text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"));
    }

    private void svg(String format, Object... of) {
        svg.append(String.format(Locale.ROOT, format + "%n", of));
    }
}
