package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.channels.Pipe;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.wire.ExitStatuses;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class LauncherGuardTest {
    private final CompletableFuture<Integer> exit = new CompletableFuture<>();
    private final ProcessExit processExit = new ProcessExit(0) {
        @Override
        void exit(int status) {
            exit.complete(status);
        }
    };

    @Test
    void processEndsWithItsLauncher() throws Exception {
        Pipe pipe = Pipe.open();
        Thread guard = new LauncherGuard(processExit, null, pipe.source(), () -> true).start();
        pipe.sink().close();
        assertThat(exit.get()).isEqualTo(ExitStatuses.TERMINATED);
        guard.join();
    }

    @Test
    void processThatEndsByItselfDoesNotWaitForTheThreadThatReads() throws Exception {
        Pipe pipe = Pipe.open();
        AtomicBoolean launcherLives = new AtomicBoolean(true);
        LauncherGuard launcherGuard = new LauncherGuard(processExit, null, pipe.source(), launcherLives::get);
        Thread guard = launcherGuard.start();
        while (guard.getState() != Thread.State.RUNNABLE || guard.getStackTrace().length < 3) {
            Thread.onSpinWait();
        }
        launcherGuard.end();
        while (guard.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        assertThat(exit).as("the launcher lives").isNotDone();
        launcherLives.set(false); // While hooks of the program hang.
        assertThat(exit.get()).isEqualTo(ExitStatuses.TERMINATED);
        guard.join();
    }
}
