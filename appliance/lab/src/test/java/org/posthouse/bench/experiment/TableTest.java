package org.posthouse.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The tables of all reports. */
final class TableTest {
    @Test
    void columnsStandBelowTheirNames() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new Table<Integer>()
                .column("bytes", 6, "%d", value -> value)
                .between("")
                .column("series", -8, "%s", value -> "s" + value)
                .between("|")
                .column("half", 7, "%.2f", value -> value / 2.0)
                .print(new PrintStream(out, true, StandardCharsets.UTF_8), List.of(1, 65_536));
        assertThat(out.toString(StandardCharsets.UTF_8).lines()).containsExactly(
                " bytes  series   |    half",
                "     1  s1       |    0.50",
                " 65536  s65536   | 32768.00");
    }
}
