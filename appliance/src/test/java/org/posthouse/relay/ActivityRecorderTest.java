package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.posthouse.status.JobActivity;
import org.posthouse.status.RankActivity;
import org.posthouse.status.RankStatus;

class ActivityRecorderTest {
    private static final long JOB = 7;
    private final ActivityRecorder recorder = new ActivityRecorder();

    private static RankStatus rank(int rank, long sent, long delivered, String blockedIn, long since) {
        return new RankStatus(rank, "here", "here", RankStatus.State.CONNECTED, 1, sent, delivered, 0, 0, 0, 0, blockedIn, since, "", 0, 0);
    }

    private void sample(long nowMs, RankStatus... ranks) {
        recorder.sample(nowMs, List.of(JOB), job -> List.of(ranks));
    }

    private static List<Long> last(List<Long> values, int count) {
        return values.subList(values.size() - count, values.size());
    }

    @Test
    void countsEachSecond() {
        sample(100_000, rank(0, 3, 1, "", 0));
        sample(100_750, rank(0, 5, 1, "", 0));
        sample(101_250, rank(0, 9, 2, "", 0));
        sample(104_000, rank(0, 10, 2, "", 0));
        JobActivity activity = recorder.of(JOB);
        assertThat(activity.from()).isEqualTo(104_000 - (ActivityRecorder.SECONDS - 1) * 1_000L);
        RankActivity rank = activity.ranks().getFirst();
        assertThat(rank.sent()).hasSize(ActivityRecorder.SECONDS);
        assertThat(last(rank.sent(), 6)).containsExactly(0L, 5L, 4L, 0L, 0L, 1L);
        assertThat(last(rank.delivered(), 6)).containsExactly(0L, 1L, 1L, 0L, 0L, 0L);
    }

    @Test
    void forgetsWhatIsTooOld() {
        sample(100_000, rank(0, 3, 0, "", 0));
        sample(100_000 + (ActivityRecorder.SECONDS - 1) * 1_000L, rank(0, 3, 0, "", 0));
        assertThat(recorder.of(JOB).ranks().getFirst().sent().getFirst()).isEqualTo(3);
        sample(100_000 + ActivityRecorder.SECONDS * 1_000L, rank(0, 3, 0, "", 0));
        assertThat(recorder.of(JOB).ranks().getFirst().sent()).containsOnly(0L);
    }

    @Test
    void keepsBlockedCalls() {
        sample(100_000, rank(0, 0, 0, "Recv(source 1)", 97_000));
        sample(100_500, rank(0, 0, 0, "Recv(source 1)", 97_000));
        assertThat(recorder.of(JOB).ranks().getFirst().waits()).containsExactly(new RankActivity.Span(97_000, 0, "Recv(source 1)"));
        sample(101_000, rank(0, 0, 0, "Barrier", 100_900));
        sample(102_000, rank(0, 0, 0, "", 0));
        assertThat(recorder.of(JOB).ranks().getFirst().waits()).containsExactly(
                new RankActivity.Span(97_000, 101_000, "Recv(source 1)"), new RankActivity.Span(100_900, 102_000, "Barrier"));
    }

    @Test
    void forgetsAJobThatHasEnded() {
        sample(100_000, rank(0, 3, 0, "", 0));
        recorder.sample(100_250, List.of(), job -> List.of());
        assertThat(recorder.of(JOB).ranks()).isEmpty();
    }

    @Test
    void hasABound() {
        RankStatus[] ranks = IntStream.range(0, ActivityRecorder.RANKS_MAX + 3).mapToObj(rank -> rank(rank, 1, 1, "", 0)).toArray(RankStatus[]::new);
        sample(100_000, ranks);
        assertThat(recorder.of(JOB).ranks()).hasSize(ActivityRecorder.RANKS_MAX);
        recorder.sample(100_250, List.of(), job -> List.of());
        sample(100_500, ranks);
        assertThat(recorder.of(JOB).ranks()).hasSize(ActivityRecorder.RANKS_MAX);
    }

    @Test
    void beginsAnewWhenTheClockIsSetBack() {
        sample(100_000, rank(0, 3, 0, "", 0));
        sample(50_000, rank(0, 5, 0, "", 0));
        assertThat(last(recorder.of(JOB).ranks().getFirst().sent(), 2)).containsExactly(0L, 5L);
    }

    @Test
    void keepsWhatAJobHasDoneWhenItHasEnded() {
        sample(100_000, rank(0, 3, 1, "Recv(source 1)", 97_000));
        recorder.end(101_000, JOB, List.of(rank(0, 7, 4, "", 0)));
        recorder.sample(140_000, List.of(), job -> List.of());
        JobActivity activity = recorder.of(JOB);
        assertThat(activity.from()).isEqualTo(101_000 - (ActivityRecorder.SECONDS - 1) * 1_000L);
        RankActivity rank = activity.ranks().getFirst();
        assertThat(last(rank.sent(), 3)).containsExactly(0L, 3L, 4L);
        assertThat(last(rank.delivered(), 3)).containsExactly(0L, 1L, 3L);
        assertThat(rank.waits()).containsExactly(new RankActivity.Span(97_000, 101_000, "Recv(source 1)"));
    }

    @Test
    void keepsTheLastMessagesOfAJobThatNoSampleSaw() {
        recorder.end(100_000, JOB, List.of(rank(0, 7, 4, "", 0)));
        assertThat(last(recorder.of(JOB).ranks().getFirst().sent(), 2)).containsExactly(0L, 7L);
    }

    @Test
    void endedJobsMakeRoomForRanksOfOpenOnes() {
        RankStatus[] half = IntStream.range(0, ActivityRecorder.RANKS_MAX / 2).mapToObj(rank -> rank(rank, 1, 1, "", 0)).toArray(RankStatus[]::new);
        recorder.end(100_000, 1, List.of(half));
        recorder.end(100_000, 2, List.of(half));
        sample(100_000, rank(0, 1, 1, "", 0));
        assertThat(recorder.of(1).ranks()).isEmpty();
        assertThat(recorder.of(2).ranks()).hasSize(half.length);
        assertThat(recorder.of(JOB).ranks()).hasSize(1);
        sample(100_500, half);
        assertThat(recorder.of(JOB).ranks()).hasSize(half.length);
        assertThat(recorder.of(2).ranks()).hasSize(half.length);
    }
}
