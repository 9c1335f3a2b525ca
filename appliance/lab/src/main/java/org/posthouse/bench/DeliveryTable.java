package org.posthouse.bench;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.posthouse.bench.carrier.Carrier;
import org.posthouse.bench.experiment.Table;

/**
 * One test by size and {@link Delivery}, for people: times and rates, as figures 5 and 6 of the Grid Gateway paper show
 * them.
 */
final class DeliveryTable {
    private final List<Figure> figures;
    private final List<Series> series;

    /** @param figures of one test; those without a delivery are left out */
    DeliveryTable(List<Figure> figures) {
        this.figures =
                figures.stream().filter(figure -> figure.series().carrier() == Carrier.RELAY && figure.series().variant().delivery().isPresent()).toList();
        this.series = this.figures.stream().map(Figure::series).distinct().toList();
    }

    /** Prints nothing if there is nothing to compare. */
    void print(PrintStream out) {
        if (series.size() < 2) {
            return;
        }
        print(out, "median of half a round trip, µs", figure -> figure.times().medianMicros());
        print(out, "MB/s", Figure::megabytesPerSecond);
    }

    private void print(PrintStream out, String what, Function<Figure, Double> value) {
        out.println(what + ", by where the ranks are at home: n near, f far; s the sender, r the receiver");
        Table<Integer> table = new Table<Integer>().column("bytes", 8, "%d", bytes -> bytes);
        for (Series one : series) {
            table.column(label(one), 10, "%s", bytes -> text(bytes, one, value));
        }
        table.print(out, figures.stream().map(Figure::bytes).distinct().toList());
        out.println();
    }

    /** The delivery alone, unless other things are compared too. */
    private String label(Series one) {
        boolean alone = series.stream().map(other -> other.variant().delivery()).distinct().count() == series.size();
        return alone ? one.variant().delivery().map(Delivery::word).orElseThrow() : one.label();
    }

    private String text(int bytes, Series one, Function<Figure, Double> value) {
        return figures.stream()
                .filter(figure -> figure.bytes() == bytes && figure.series().equals(one))
                .findFirst()
                .map(figure -> String.format(Locale.ROOT, "%.1f", value.apply(figure)))
                .orElse("-");
    }
}
