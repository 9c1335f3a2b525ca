package org.posthouse.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.launch.RunningJob;
import org.posthouse.launch.install.RelayProcess;

/** When relays are killed, and who is told to have ended a job. */
@Timeout(60)
class FaultInjectorTest {
    @TempDir
    private Path folder;

    /** A job that only its end is asked of. */
    private static class Job implements RunningJob {
        private final CompletableFuture<String> stopped = new CompletableFuture<>();

        @Override
        public int strike(int rank) {
            return 0;
        }

        @Override
        public void awaitConnected() {}

        @Override
        public void awaitOpen() {}

        @Override
        public void stop(int status, String why) {
            stopped.complete(why);
        }

        @Override
        public void leave(int status, String why) {
            stop(status, why);
        }

        @Override
        public boolean isStopped() {
            return stopped.isDone();
        }

        @Override
        public void kill() {}
    }

    @Test
    void aJobThatTakesTooLongIsEndedByItAndNotByItsUser() throws Exception {
        Job job = new Job();
        try (FaultInjector faultInjector = FaultInjector.begin(job, 1, List.of(), List.of(), 0)) {
            assertThat(job.stopped.join()).isEqualTo("it was not over after 0 s");
            assertThat(faultInjector.isInterrupted()).isFalse();
        }
    }

    @Test
    void aJobThatItsUserEndsIsInterrupted() throws Exception {
        Job job = new Job();
        try (FaultInjector faultInjector = FaultInjector.begin(job, 1, List.of(), List.of(), 60)) {
            job.stop(130, "interrupted");
            assertThat(faultInjector.isInterrupted()).isTrue();
        }
    }

    /** A file stands where its log was, which the next process cannot take for one. */
    @Tag("long")
    @Test
    void aRelayIsKilledOnceTheJobIsOpenAndItsFailureToComeBackEndsTheJob() throws Exception {
        Path data = folder.resolve("data");
        try (RelayProcess relay = RelayProcess.start(
                List.of("--site", "a", "--listen", "127.0.0.1:0", "--ops", "127.0.0.1:0", "--data", data.toString()), folder.resolve("errors"))) {
            Files.move(data, folder.resolve("gone"));
            Files.createFile(data);
            CompletableFuture<Boolean> alive = new CompletableFuture<>();
            Job job = new Job() {
                @Override
                public void awaitOpen() {
                    alive.complete(ProcessHandle.of(relay.pid()).isPresent());
                }
            };
            try (FaultInjector faultInjector = FaultInjector.begin(job, 1, List.of(relay), List.of(new PlannedKill(KillTarget.RELAY, 0, false, 0)), 60)) {
                assertThat(job.stopped.join()).startsWith("relay a was killed and cannot be started again: a relay ended before it served: ");
                assertThat(alive).isCompletedWithValue(true);
                faultInjector.close();
                assertThat(faultInjector.lostRelay()).isEqualTo(job.stopped.join());
                assertThat(faultInjector.isInterrupted()).isFalse();
                assertThat(faultInjector.faults().relays()).isEmpty();
            }
        }
    }
}
