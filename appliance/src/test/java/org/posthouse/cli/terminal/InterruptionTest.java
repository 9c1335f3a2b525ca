package org.posthouse.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.launch.RunningJob;
import org.posthouse.launch.job.JobFailure;

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
    void guardsOnlyTheLastOfSuccessiveJobs() {
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

    /** A relay may read its log for an hour, and the job's folder is to be put away before this process ends. */
    @Test
    void aWaitForARelayIsBrokenOff() {
        Interruption interruption = Interruption.open();
        interruption.close(); // The hook has nobody to wait for.
        Thread hook = Thread.ofVirtual().unstarted(interruption::interrupt);
        assertThatThrownBy(() -> interruption.guardWait(() -> {
            hook.start();
            return sleep();
        })).hasMessage("interrupted");
        assertThat(Thread.currentThread().isInterrupted()).as("what puts things away").isFalse();
        assertThatThrownBy(() -> interruption.guardWait(InterruptionTest::sleep)).as("one that begins late").hasMessage("interrupted");
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    private static String sleep() throws JobFailure {
        try {
            TimeUnit.SECONDS.sleep(5);
            return "slept";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JobFailure("interrupted");
        }
    }
}
