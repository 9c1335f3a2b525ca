package org.posthouse.relay.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A log at position 5, of which 5 are on the disk, and effects that are named by letters. */
class OutputGateTest {
    private final List<String> out = new ArrayList<>();
    private final List<Long> wanted = new ArrayList<>();
    private long position = 5;
    private long safe = 5;
    private final OutputGate outputGate = new OutputGate(() -> position, () -> safe, wanted::add);

    private void pass(String effect) {
        outputGate.pass(() -> out.add(effect));
    }

    @Test
    void frameWithoutUnsafeRecordsPassesAtOnce() {
        pass("a");
        assertThat(out).containsExactly("a");
        assertThat(wanted).as("nobody has to sync for it").isEmpty();
    }

    @Test
    void framePassesOnceEarlierRecordsAreSynced() {
        position = 7;
        pass("a");
        position = 9;
        assertThat(wanted).containsExactly(7L);
        safe = 6;
        outputGate.open();
        assertThat(out).isEmpty();
        safe = 7;
        outputGate.open();
        assertThat(out).containsExactly("a");
    }

    @Test
    void noFrameOvertakesAWaitingOne() {
        position = 6;
        pass("a");
        position = 7;
        pass("b");
        safe = 7;
        pass("c"); // The log is safe by now, but nobody has opened the gate for those before.
        assertThat(out).isEmpty();
        outputGate.open();
        assertThat(out).containsExactly("a", "b", "c");
    }

    @Test
    void eachWaitsForItsOwnPosition() {
        position = 6;
        pass("a");
        position = 8;
        pass("b");
        safe = 6;
        outputGate.open();
        assertThat(out).containsExactly("a");
        safe = 8;
        outputGate.open();
        assertThat(out).containsExactly("a", "b");
    }

    /** The log cannot be made safe any more: what was handled of a job is told when that has ended, and nothing else leaves. */
    @Test
    void afterGivingUpOnlyEndedJobsAreAcknowledged() {
        position = 6;
        pass("a");
        outputGate.passHandled(1, () -> out.add("of 1"));
        outputGate.passHandled(2, () -> out.add("of 2"));
        outputGate.forgo(job -> true);
        assertThat(out).as("it may become safe yet").isEmpty();
        assertThat(outputGate.keepsHandled()).isFalse();
        outputGate.giveUp();
        assertThat(outputGate.keepsHandled()).isTrue();
        outputGate.forgo(job -> false);
        assertThat(out).as("the job may go on out of the log").isEmpty();
        outputGate.forgo(job -> job == 2);
        assertThat(out).containsExactly("of 2");
        pass("b");
        outputGate.passHandled(1, () -> out.add("of 1 again"));
        outputGate.forgo(job -> true);
        assertThat(out).containsExactly("of 2", "of 1", "of 1 again");
    }

    /** The relay's next process may go on with its job. */
    @Test
    void unloggedFrameIsAcknowledgedWhenItsJobEnds() {
        outputGate.keepHandled(1, () -> out.add("of 1"));
        pass("a");
        outputGate.open();
        outputGate.forgo(job -> false);
        assertThat(out).containsExactly("a");
        outputGate.forgo(job -> job == 1);
        assertThat(out).containsExactly("a", "of 1");
        assertThat(outputGate.keepsHandled()).isFalse();
    }
}
