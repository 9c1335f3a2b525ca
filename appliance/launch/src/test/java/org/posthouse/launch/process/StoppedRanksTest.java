package org.posthouse.launch.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two real processes, of ranks 4 and 5. */
@Timeout(120)
class StoppedRanksTest {
    private static final int LOOKS = 5;

    private final List<String> told = new CopyOnWriteArrayList<>();
    private Sleeper stopped;
    private Sleeper running;

    private record Sleeper(int rank, Process process) implements StoppedRanks.Watched {
        static Sleeper start(int rank) throws IOException {
            return new Sleeper(rank, new ProcessBuilder("sleep", "100").start());
        }

        @Override
        public long pid() {
            return process.pid();
        }

        @Override
        public boolean strike() {
            process.destroyForcibly();
            return true;
        }

        void signal(String name) throws IOException, InterruptedException {
            assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(pid())).start().waitFor()).isZero();
        }
    }

    @BeforeEach
    void start() throws IOException {
        stopped = Sleeper.start(4);
        running = Sleeper.start(5);
    }

    @AfterEach
    void end() throws InterruptedException {
        stopped.process().destroyForcibly().waitFor();
        running.process().destroyForcibly().waitFor();
    }

    private void stop() throws Exception {
        stopped.signal("STOP");
        await().until(() -> StoppedRanks.isStopped(stopped.pid()));
    }

    private void letGoOn() throws Exception {
        stopped.signal("CONT");
        await().until(() -> !StoppedRanks.isStopped(stopped.pid()));
    }

    @Test
    void endsAProcessThatStaysStoppedAndNoOther() throws Exception {
        stop();
        try (StoppedRanks watch = StoppedRanks.watch(() -> List.of(stopped, running), LOOKS, 10, told::add)) {
            assertThat(watch).isNotNull();
            assertThat(stopped.process().waitFor()).isEqualTo(137);
            await().untilAsserted(() -> assertThat(told).hasSize(1));
        }
        assertThat(told.get(0)).startsWith("rank 4 has been stopped by a signal for").endsWith(": it is killed");
        assertThat(running.process().isAlive()).isTrue();
    }

    @Test
    void letsOneGoOnThatWasNeverStoppedForLong() throws Exception {
        try (StoppedRanks watch = new StoppedRanks(() -> List.of(stopped, running), LOOKS, 10, told::add)) {
            for (int i = 0; i < 3; i++) {
                stop();
                for (int look = 1; look <= LOOKS; look++) {
                    watch.look();
                }
                letGoOn();
                watch.look();
            }
            assertThat(stopped.process().isAlive()).isTrue();
            stop();
            for (int look = 0; look <= LOOKS; look++) {
                assertThat(told).isEmpty();
                watch.look();
            }
            assertThat(stopped.process().waitFor()).isEqualTo(137);
        }
        assertThat(told).hasSize(1);
    }
}
