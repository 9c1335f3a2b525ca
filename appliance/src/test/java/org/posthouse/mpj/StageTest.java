package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The machine that simulations run on. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
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

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
