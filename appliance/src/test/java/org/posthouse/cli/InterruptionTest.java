package org.posthouse.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.launch.RunningJob;

/** Which jobs end when the user interrupts. */
@Timeout(60)
class InterruptionTest {
    private final List<String> ended = new ArrayList<>();

    private final class Job implements RunningJob {
        private final String name;

        Job(String name) {
            this.name = name;
        }

        @Override
        public int strike(int rank) {
            return 0;
        }

        @Override
        public void awaitConnected() {}

        @Override
        public void awaitOpen() {}

        @Override
        public void stop(int status, String why) {}

        @Override
        public void leave(int status, String why) {
            ended.add(name + " " + status);
        }

        @Override
        public boolean isStopped() {
            return false;
        }

        @Override
        public void kill() {}
    }

    /** A campaign of days would keep all its jobs, with all that they had printed. */
    @Test
    void ofJobsThatFollowEachOtherOnlyTheLastIsGuarded() {
        Interruption interruption = Interruption.open();
        interruption.guard(new Job("beside"));
        interruption.guardNext(new Job("first"));
        interruption.guardNext(new Job("second"));
        interruption.close(); // The hook has nobody to wait for.
        interruption.interrupt();
        assertThat(ended).containsExactly("beside 130", "second 130");
        interruption.guardNext(new Job("late"));
        assertThat(ended).last().isEqualTo("late 130");
    }
}
