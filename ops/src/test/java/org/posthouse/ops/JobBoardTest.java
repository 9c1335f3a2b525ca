package org.posthouse.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.posthouse.status.JobStatus;
import org.posthouse.status.RankStatus;
import org.posthouse.status.RelayStatus;

/** One view of a job out of several reports. */
class JobBoardTest {

    @Test
    void highestIncarnationWinsRegardlessOfReportingRelay() {
        RankStatus old = Scenes.rank(0, "a", RankStatus.State.LOST, 1, 900);
        RankStatus fresh = Scenes.rank(0, "b", RankStatus.State.CONNECTED, 2, 3);
        assertThat(onlyRank(relay("a", old), relay("b", fresh))).isEqualTo(fresh);
        assertThat(onlyRank(relay("b", fresh), relay("a", old))).isEqualTo(fresh);
    }

    @Test
    void takesCountersFromTheHomeRelay() {
        RankStatus hearsay = Scenes.rank(0, "b", RankStatus.State.CONNECTED, 1, 0);
        RankStatus own = Scenes.rank(0, "b", RankStatus.State.CONNECTED, 1, 77);
        assertThat(onlyRank(relay("a", hearsay), relay("b", own))).isEqualTo(own);
        assertThat(onlyRank(relay("b", own), relay("a", hearsay))).isEqualTo(own);
    }

    @Test
    void listsThoseThatRunAndTheNewestFirstAndRanksInOrder() {
        JobStatus older = new JobStatus("aa", "older", 1, "none", "abort", "FINISHED", 30, List.of(), 0, "", 0, 0, "", 0, 0);
        JobStatus oldest = new JobStatus("cc", "oldest", 1, "none", "abort", "RUNNING", 5, List.of(), 0, "", 0, 0, "", 0, 0);
        JobStatus newer = new JobStatus("bb", "newer", 2, "none", "abort", "RUNNING", 20,
                List.of(Scenes.rank(1, "a", RankStatus.State.CONNECTED, 1, 1),
                        Scenes.rank(0, "a", RankStatus.State.CONNECTED, 1, 1)),
                0, "", 0, 0, "", 0, 0);
        List<JobStatus> jobs = JobBoard.merge(List.of(Scenes.relay("s", "a", 0, List.of(older, oldest, newer))));
        assertThat(jobs).extracting(JobStatus::name).containsExactly("newer", "oldest", "older");
        assertThat(jobs.getFirst().ranks()).extracting(RankStatus::rank).containsExactly(0, 1);
    }

    @Test
    void countsTheDivergencesOfAllRelaysAndTellsWhichLosesPatienceFirst() {
        JobStatus none = new JobStatus("aa", "job", 2, "process", "restart", "RUNNING", 10, List.of(), 0, "", 0, 0, "", 0, 0);
        JobStatus some = new JobStatus("aa", "job", 2, "process", "restart", "RUNNING", 11, List.of(), 3, "rank 1 sends otherwise", 900, 70, "user 7", 5, 6);
        JobStatus more = new JobStatus("aa", "job", 2, "process", "restart", "RUNNING", 12, List.of(), 4, "rank 0 sends otherwise", 500, 0, "user 8", 1, 2);
        JobStatus all = JobBoard.merge(List.of(Scenes.relay("s", "a", 0, List.of(none)), Scenes.relay("s", "b", 0, List.of(some)),
                Scenes.relay("s", "c", 0, List.of(more))))
                .getFirst();
        assertThat(all.divergences()).isEqualTo(7);
        assertThat(all.divergence()).isEqualTo("rank 1 sends otherwise");
        assertThat(all.startedAt()).isEqualTo(10);
        assertThat(all.launcherAwaitedUntil()).isEqualTo(500);
        assertThat(all.standsStillSince()).isEqualTo(70);
    }

    @Test
    void refusesReadinessThatContradictsItself() {
        assertThatThrownBy(() -> new Readiness(true, List.of("why"))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Readiness.notReady()).isInstanceOf(IllegalArgumentException.class);
    }

    private static RankStatus onlyRank(RelayStatus... relays) {
        return JobBoard.merge(List.of(relays)).getFirst().ranks().getFirst();
    }

    private static RelayStatus relay(String name, RankStatus rank) {
        return Scenes.relay("site-" + name, name, 0, List.of(Scenes.job("aa", List.of(rank))));
    }
}
