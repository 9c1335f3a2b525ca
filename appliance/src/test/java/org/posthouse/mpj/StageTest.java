package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.launch.install.Installation;

/** The machine that simulations run on. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class StageTest {
    /** As the JDK's own threads have some, which clean up behind buffers. */
    @Test
    void aMonitorOfAnotherThreadCostsNoVirtualTime() throws Exception {
        Object monitor = new Object();
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch wanted = new CountDownLatch(1);
        Thread holder = new Thread(() -> {
            synchronized (monitor) {
                held.countDown();
                awaitUninterruptibly(wanted);
            }
        });
        holder.start();
        held.await();
        Stage stage = new Stage(new Random(1));
        boolean[] done = new boolean[1];
        AtomicReference<Thread> blocked = new AtomicReference<>();
        stage.start(() -> {
            blocked.set(Thread.currentThread());
            synchronized (monitor) {
                done[0] = true;
            }
        });
        Thread releasing = new Thread(() -> {
            while (blocked.get() == null || blocked.get().getState() != Thread.State.BLOCKED) {
                Thread.onSpinWait();
            }
            wanted.countDown();
        });
        releasing.start();
        stage.run(2);
        assertThat(done[0]).isTrue();
        holder.join();
    }

    /** It would else look as if it waited for another thread. */
    @Test
    void aThreadThatWaitsForDirectMemoryIsNamed() throws Exception {
        List<String> command = new ArrayList<>(List.of(Installation.java().toString()));
        command.addAll(Installation.jvmFlags());
        command.addAll(List.of("-XX:MaxDirectMemorySize=1m", "-cp", System.getProperty("java.class.path"), Hungry.class.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(said).containsPattern("waits for direct memory|Cannot reserve .* direct buffer memory");
        assertThat(process.waitFor()).as(said).isEqualTo(1);
    }

    /** Keeps all direct memory that its JVM has. */
    static final class Hungry {
        private Hungry() {}

        public static void main(String[] arguments) {
            Stage stage = new Stage(new Random(1));
            List<ByteBuffer> kept = new ArrayList<>();
            stage.start(() -> {
                while (true) {
                    kept.add(ByteBuffer.allocateDirect(1 << 20));
                }
            });
            stage.run(2);
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
