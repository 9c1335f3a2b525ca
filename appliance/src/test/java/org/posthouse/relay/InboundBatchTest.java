package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.posthouse.relay.threads.Strand;
import org.posthouse.relay.threads.StrandExecutor;

/** Frames that are read together are handled in one turn of their strand. */
class InboundBatchTest {
    private final List<String> turns = new ArrayList<>();
    private final Strand one = strand("one");
    private final Strand other = strand("other");
    private final InboundBatch visit = new InboundBatch();

    private Strand strand(String name) {
        return new Strand(StrandExecutor.open(Runnable::run), () -> turns.add(name));
    }

    @Test
    void framesThatAreReadTogetherShareATurn() {
        for (int frame = 0; frame < 10; frame++) {
            visit.enter(one, 100);
            assertThat(one.isInside()).isTrue();
        }
        assertThat(turns).isEmpty();
        visit.leave();
        visit.leave();
        assertThat(turns).containsExactly("one");
        assertThat(one.isInside()).isFalse();
    }

    @Test
    void aFrameForAnotherShardEndsTheTurn() {
        visit.enter(one, 100);
        visit.enter(other, 100);
        assertThat(turns).containsExactly("one");
        assertThat(one.isInside()).isFalse();
        assertThat(other.isInside()).isTrue();
        visit.enter(one, 100);
        visit.leave();
        assertThat(turns).containsExactly("one", "other", "one");
    }

    @Test
    void aTurnTakesNoMoreThanItsBytes() {
        for (int bytes = 0; bytes < 3 * InboundBatch.BYTES_MAX; bytes += 64 * 1024) {
            visit.enter(one, 64 * 1024);
            assertThat(one.isInside()).isTrue();
        }
        visit.leave();
        assertThat(turns).hasSize(3);
    }

    @Test
    void aStrandWhereSomebodyElseIsIsLeftToHim() throws InterruptedException {
        Thread somebody = Thread.ofPlatform().start(() -> assertThat(one.tryEnter()).isTrue());
        somebody.join();
        visit.enter(one, 100);
        assertThat(one.isInside()).isFalse();
        visit.enter(other, 100);
        assertThat(other.isInside()).isTrue();
        visit.leave();
        assertThat(turns).containsExactly("other");
    }
}
