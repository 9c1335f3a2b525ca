package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.ops.OutputQuery;
import org.posthouse.status.JobOutput;
import org.posthouse.status.OutputLine;
import org.posthouse.wire.JobReport;

@Timeout(10)
class OutputTailsTest {
    private static final long JOB = 0x1f;

    private final OutputTails tails = new OutputTails();

    private static JobReport report(long job, int kind, int rank, long skipped, String text) {
        return new JobReport(job, kind, rank, skipped, text);
    }

    private static JobOutput of(OutputTails tails, long job, int rank, int lines, String search) {
        return tails.of(job, new OutputQuery("1f", rank, lines, search));
    }

    private static List<String> texts(JobOutput output) {
        return output.lines().stream().map(OutputLine::text).toList();
    }

    @Test
    void tellsTheNewestLinesOfAllRanksInTheOrderInWhichTheyCame() {
        tails.add(report(JOB, JobReport.OUT, 1, 0, "b\n"), 2_000);
        tails.add(report(JOB, JobReport.ERR, 0, 7, "c\nd\n"), 3_000);
        tails.add(report(JOB, JobReport.OUT, 0, 0, "a\n"), 1_000);
        JobOutput output = of(tails, JOB, OutputQuery.ALL, 3, "");
        assertThat(texts(output)).containsExactly("b", "c", "d");
        assertThat(output.lines().get(1)).isEqualTo(new OutputLine(3_000, 0, "err", "c"));
        assertThat(output.older()).isEqualTo(1);
        assertThat(output.dropped()).isEqualTo(7);
    }

    @Test
    void searchesInCapitalsOrNotAndInOneRank() {
        tails.add(report(JOB, JobReport.OUT, 0, 0, "An Error\nfine\n"), 1_000);
        tails.add(report(JOB, JobReport.OUT, 1, 0, "error too\n"), 2_000);
        assertThat(texts(of(tails, JOB, OutputQuery.ALL, 10, "eRRor"))).containsExactly("An Error", "error too");
        assertThat(texts(of(tails, JOB, 0, 10, "error"))).containsExactly("An Error");
        assertThat(texts(of(tails, JOB, 2, 10, ""))).isEmpty();
        assertThat(texts(of(tails, 0x2f, OutputQuery.ALL, 10, ""))).isEmpty();
    }

    @Test
    void keepsTheNewestLinesOfARankAndCountsTheOthers() {
        for (int line = 0; line < OutputTails.LINES_MAX + 50; line++) {
            tails.add(report(JOB, JobReport.OUT, 0, 0, line + "\n"), 1_000);
        }
        JobOutput output = of(tails, JOB, 0, 2_000, "");
        assertThat(texts(output).getLast()).isEqualTo(OutputTails.LINES_MAX + 49 + "");
        assertThat(output.dropped() + output.lines().size()).isEqualTo(OutputTails.LINES_MAX + 50);
        assertThat(output.lines().size()).isLessThanOrEqualTo(OutputTails.LINES_MAX);
    }

    @Test
    void aLongLineTakesTheRoomOfShortOnes() {
        String line = "x".repeat(1_000);
        for (int i = 0; i < 100; i++) {
            tails.add(report(JOB, JobReport.OUT, 0, 0, line + "\n"), 1_000);
        }
        assertThat(of(tails, JOB, 0, 2_000, "").lines().size() * line.length()).isLessThanOrEqualTo(OutputTails.RANK_BYTES_MAX);
    }

    @Test
    void jobsThatEndedFirstMakeRoom() {
        OutputTails small = new OutputTails(1_000);
        small.add(report(JOB, JobReport.OUT, 0, 0, "first\n"), 1_000);
        small.add(report(2, JobReport.OUT, 0, 0, "second\n"), 1_000);
        small.onEnded(JOB);
        small.onEnded(2);
        small.add(report(3, JobReport.OUT, 0, 0, "x".repeat(310) + "\n"), 1_000);
        assertThat(texts(of(small, JOB, 0, 10, ""))).isEmpty();
        assertThat(texts(of(small, 2, 0, 10, ""))).containsExactly("second");
        small.add(report(3, JobReport.OUT, 0, 0, "x".repeat(400) + "\n"), 1_000);
        assertThat(of(small, 3, 0, 10, "").lines()).as("no job is left that has ended").hasSize(1);
        assertThat(of(small, 3, 0, 10, "").dropped()).isEqualTo(1);
    }

    @Test
    void keepsWhatEndedJobsPrintedAsLongAsTheyAreShown() {
        tails.add(report(JOB, JobReport.OUT, 0, 0, "mine\n"), 1_000);
        tails.onEnded(JOB);
        tails.retainEnded(Set.of(JOB));
        assertThat(texts(of(tails, JOB, 0, 10, ""))).containsExactly("mine");
        tails.retainEnded(Set.of());
        assertThat(texts(of(tails, JOB, 0, 10, ""))).isEmpty();
    }
}
