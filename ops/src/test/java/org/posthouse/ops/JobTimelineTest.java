package org.posthouse.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.posthouse.status.JobActivity;
import org.posthouse.status.JobStatus;
import org.posthouse.status.RankActivity;
import org.posthouse.status.RelayEvent;

class JobTimelineTest {
    private static final JobStatus JOB = Scenes.job(Scenes.JOB, List.of());

    private static JobActivity activity(long from, int rank, Long... sent) {
        return new JobActivity(from, List.of(new RankActivity(rank, List.of(sent), List.of(sent), List.of())));
    }

    private static RelayEvent event(long at, String kind) {
        return new RelayEvent(1, at, "rennes", kind, Scenes.JOB, 3, "");
    }

    /** The second relay has answered two seconds later. */
    @Test
    void bringsRelaysToOneTime() {
        JobTimeline timeline = JobTimeline.of(JOB, List.of(activity(10_000, 1, 1L, 2L, 3L, 4L), activity(12_000, 0, 5L, 6L, 7L, 8L)), List.of(), List.of());
        assertThat(timeline.from()).isEqualTo(12_000);
        assertThat(timeline.ranks()).extracting(RankActivity::rank).containsExactly(0, 1);
        assertThat(timeline.ranks()).extracting(RankActivity::sent).containsExactly(List.of(5L, 6L, 7L, 8L), List.of(3L, 4L, 0L, 0L));
    }

    @Test
    void marksLossesRestartsAndCheckpointsOfItsTime() {
        List<RelayEvent> events = List.of(event(9_000, "RANK_LOST"), event(11_000, "RANK_LOST"), event(11_500, "RANK_CONNECTED"), event(12_000, "CHECKPOINT"));
        assertThat(JobTimeline.of(JOB, List.of(activity(10_000, 0, 1L)), events, List.of()).marks())
                .containsExactly(new JobTimeline.Mark(11_000, 3, "RANK_LOST"), new JobTimeline.Mark(12_000, 3, "CHECKPOINT"));
    }

    @Test
    void isEmptyWithoutAnswers() {
        JobTimeline timeline = JobTimeline.of(JOB, List.of(new JobActivity(5_000, List.of())), List.of(), List.of("orsay"));
        assertThat(timeline.ranks()).isEmpty();
        assertThat(timeline.missing()).containsExactly("orsay");
    }
}
