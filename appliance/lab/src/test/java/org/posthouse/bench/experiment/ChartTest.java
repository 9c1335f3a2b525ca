package org.posthouse.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where values stand in a picture. */
final class ChartTest {
    @TempDir
    private Path folder;

    private String drawn(Chart chart) throws IOException {
        Path file = folder.resolve("chart.svg");
        chart.write("a & b", "below", file);
        return Files.readString(file);
    }

    /** The axis ends a fifth above the largest value: the lowest 10/12 of 340 units. */
    @Test
    void barsStandOnTheAxisAndAreAsHighAsTheirValues() throws IOException {
        Chart chart = new Chart("", "seconds");
        chart.add("", "", "one", 0, "here", 10);
        chart.add("", "", "other", 0, "here", 5);
        assertThat(drawn(chart)).contains("a &amp; b", ">here<", ">seconds<", ">one<", ">other<")
                .contains("y=\"126.7\" width=\"304.0\" height=\"283.3\" fill=\"#666666\"", "y=\"268.3\" width=\"304.0\" height=\"141.7\" fill=\"#b15928\"");
    }

    /** Each at the same distance, as both axes are logarithmic. */
    @Test
    void linesAreStraightWhereTimeGrowsAsSize() throws IOException {
        Chart chart = new Chart("bytes", "time");
        for (int bytes : new int[] {1, 10, 100}) {
            chart.add("", "", "one", bytes, Integer.toString(bytes), bytes * 7.0);
        }
        assertThat(drawn(chart)).contains("<polyline points=\"107.9,397.5 460.0,240.0 812.1,82.5 \" fill=\"none\"");
    }

    @Test
    void nothingIsDrawnForAValueThatIsNotAboveNought() throws IOException {
        Chart chart = new Chart("", "seconds");
        chart.add("", "", "one", 0, "here", 10);
        chart.add("", "", "none", 0, "there", 0);
        chart.add("", "", "none", 0, "there", Double.NaN);
        assertThat(drawn(chart)).contains(">here<").doesNotContain("there", "none", "NaN");
    }
}
