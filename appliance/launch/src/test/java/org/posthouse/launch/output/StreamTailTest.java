package org.posthouse.launch.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.wire.JobReport;

@Timeout(30)
class StreamTailTest {
    private static final int BYTES_MAX = 1024;

    private final StreamTail tail = new StreamTail(BYTES_MAX);

    private void print(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        tail.add(bytes, 0, bytes.length);
    }

    private String taken() {
        return tail.take().map(lines -> lines.skipped() + ":" + lines.text()).orElse("nothing");
    }

    @Test
    void givesEachWholeLineOnce() {
        print("one\ntwo\nthr");
        assertThat(taken()).isEqualTo("0:one\ntwo\n");
        assertThat(taken()).isEqualTo("nothing");
        print("ee\n");
        assertThat(taken()).isEqualTo("0:three\n");
    }

    @Test
    void endsTheLastLineWithItsStream() {
        print("half");
        tail.endLine();
        tail.endLine();
        assertThat(taken()).isEqualTo("0:half\n");
        assertThat(taken()).isEqualTo("nothing");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '>', value = {"'10 %\r20 %\r30 %\n' > '30 %'", "'done\r\n' > done", "'\r\n' > ''", "'a\r' > a"})
    void showsOfALineThatBeginsAnewWhatATerminalShows(String printed, String shown) {
        print(printed);
        tail.endLine();
        assertThat(taken()).isEqualTo("0:" + shown + "\n");
    }

    @Test
    void replacesBytesThatAreNoText() {
        tail.add(new byte[] {'a', (byte) 0xff, 0, 27, '\t', 'b', '\n'}, 0, 7);
        assertThat(taken()).isEqualTo("0:a\uFFFD\uFFFD\uFFFD\tb\n");
    }

    @Test
    void cutsALongLineAndNoCharacterOfIt() {
        StreamTail large = new StreamTail(16 * 1024);
        byte[] line = ("x".repeat(StreamTail.LINE_CHARS_MAX - 1) + "😀 and more\nnext\n").getBytes(StandardCharsets.UTF_8);
        large.add(line, 0, line.length);
        assertThat(large.take().orElseThrow().text()).isEqualTo("x".repeat(StreamTail.LINE_CHARS_MAX - 1) + StreamTail.CUT + "\nnext\n");
    }

    @Test
    void keepsTheNewestLinesAndCountsThoseBefore() {
        for (int line = 0; line < 5 * StreamTail.LINES_MAX; line++) {
            print(line + "\n");
        }
        StreamTail.Lines lines = tail.take().orElseThrow();
        assertThat(lines.text()).endsWith("\n998\n999\n");
        assertThat(lines.skipped() + lines.text().lines().count()).isEqualTo(5L * StreamTail.LINES_MAX);
        assertThat(lines.text().lines().count()).isLessThanOrEqualTo(StreamTail.LINES_MAX);
        print("later\n");
        assertThat(taken()).isEqualTo("0:later\n");
    }

    @Test
    void marksALineWhoseBeginningIsGone() {
        print("y".repeat(5 * BYTES_MAX) + "end\nnext\n");
        String[] lines = tail.take().orElseThrow().text().split("\n");
        assertThat(lines).hasSize(2);
        assertThat(lines[0]).startsWith(StreamTail.CUT + "y").hasSizeLessThanOrEqualTo(StreamTail.LINE_CHARS_MAX + 2 * StreamTail.CUT.length());
        assertThat(lines[1]).isEqualTo("next");
    }

    @Test
    void countsEveryLineHoweverItComes() {
        Random random = new Random(7);
        long printed = 0;
        long seen = 0;
        for (int turn = 0; turn < 2_000; turn++) {
            byte[] bytes = new byte[random.nextInt(3 * BYTES_MAX)];
            for (int at = 0; at < bytes.length; at++) {
                bytes[at] = (byte) (random.nextInt(20) == 0 ? '\n' : 'a' + random.nextInt(26));
                printed += bytes[at] == '\n' ? 1 : 0;
            }
            int first = bytes.length == 0 ? 0 : random.nextInt(bytes.length);
            tail.add(bytes, 0, first);
            tail.add(bytes, first, bytes.length - first);
            if (random.nextInt(3) == 0) {
                seen += tail.take().map(lines -> lines.skipped() + lines.text().lines().count()).orElse(0L);
            }
        }
        seen += tail.take().map(lines -> lines.skipped() + lines.text().lines().count()).orElse(0L);
        assertThat(seen).isEqualTo(printed);
    }

    @Test
    void fitsAReportWhateverWasPrinted() {
        StreamTail large = new StreamTail(OutputTail.STREAM_BYTES_MAX);
        byte[] binary = new byte[OutputTail.STREAM_BYTES_MAX];
        for (int at = 0; at < binary.length; at++) {
            binary[at] = (byte) (at % 300 == 299 ? '\n' : 0x80);
        }
        large.add(binary, 0, binary.length);
        large.endLine();
        assertThat(large.take().orElseThrow().text().getBytes(StandardCharsets.UTF_8).length)
                .isBetween(JobReport.TEXT_BYTES_MAX / 2, JobReport.TEXT_BYTES_MAX);
    }
}
