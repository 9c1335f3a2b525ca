package org.posthouse.relay.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Who is asked for a checkpoint. */
final class CheckpointRequesterTest {
    private static final RetentionPin FIRST = new RetentionPin(1, 0, 10, true, "");
    private static final RetentionPin NEVER = new RetentionPin(1, 1, 20, false, "");
    private static final RetentionPin THIRD = new RetentionPin(2, 0, 30, true, "");
    private static final RetentionPin FOURTH = new RetentionPin(2, 1, 40, true, "");

    private final CheckpointRequester asking = new CheckpointRequester();

    @Test
    void asksTheOneThatNeedsTheOldestAndOneMoreEachSecondThatNothingComesOfIt() {
        List<RetentionPin> needs = List.of(FIRST, NEVER, THIRD, FOURTH);
        assertThat(asking.next(needs, 5_000)).containsExactly(FIRST);
        assertThat(asking.next(needs, 5_999)).containsExactly(FIRST);
        assertThat(asking.next(needs, 6_000)).as("not the one that takes none").containsExactly(FIRST, THIRD);
        assertThat(asking.next(needs, 7_000)).containsExactly(FIRST, THIRD, FOURTH);
        assertThat(asking.next(needs, 99_000)).containsExactly(FIRST, THIRD, FOURTH);
    }

    @Test
    void beginsAnewWhenTheOldestHasGone() {
        asking.next(List.of(FIRST, THIRD, FOURTH), 0);
        assertThat(asking.next(List.of(THIRD, FOURTH), 9_000)).containsExactly(THIRD);
    }

    @Test
    void asksTheNextAtOnceIfTheFirstTakesNone() {
        assertThat(asking.next(List.of(NEVER, THIRD, FOURTH), 0)).containsExactly(THIRD);
        assertThat(NEVER).hasToString("rank 1 of job 0000000000000001 needs the oldest records and takes no checkpoints");
    }
}
