package org.posthouse.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.posthouse.status.JobStatus;
import org.posthouse.status.RankWait;

class JobWaitsTest {
    private static final JobStatus JOB = Scenes.job(Scenes.JOB, List.of());

    private static RankWait wait(int rank, int peer) {
        return new RankWait(rank, "Recv", 7, peer);
    }

    private static List<List<Integer>> cycles(RankWait... waits) {
        return JobWaits.of(JOB, List.of(waits), List.of()).cycles();
    }

    @Test
    void findsRanksThatWaitForEachOther() {
        assertThat(cycles(wait(0, 1), wait(1, 0))).containsExactly(List.of(0, 1));
        assertThat(cycles(wait(5, 3), wait(3, 4), wait(4, 5))).containsExactly(List.of(3, 4, 5));
        assertThat(cycles(wait(2, 2))).containsExactly(List.of(2));
    }

    /** Ranks 2 and 3 wait for the ring, and are not in it. */
    @Test
    void leavesOutWhoWaitsForACycle() {
        assertThat(cycles(wait(0, 1), wait(1, 0), wait(2, 1), wait(3, 2))).containsExactly(List.of(0, 1));
    }

    @Test
    void findsSeveral() {
        assertThat(cycles(wait(0, 1), wait(1, 0), wait(2, 3), wait(3, 2))).containsExactly(List.of(0, 1), List.of(2, 3));
    }

    @Test
    void findsNoneWhereSomebodyIsAtWork() {
        assertThat(cycles(wait(0, 1), wait(1, 2))).isEmpty();
        assertThat(cycles(wait(0, -1), wait(1, 0))).isEmpty();
    }

    @Test
    void namesThePeerIfItIsKnown() {
        JobWaits waits = JobWaits.of(JOB, List.of(wait(1, -1), wait(0, 1)), List.of("orsay"));
        assertThat(waits.waits()).containsExactly(
                new JobWaits.Wait(0, "Recv", 7, List.of(1), false), new JobWaits.Wait(1, "Recv", 7, List.of(), true));
        assertThat(waits.missing()).containsExactly("orsay");
    }
}
