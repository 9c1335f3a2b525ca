package org.posthouse.launch.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A stream that takes nothing, on fake time, or takes it slowly. */
@Timeout(120)
class OutputScreenTest {
    private final List<String> tried = new CopyOnWriteArrayList<>();
    private final List<String> complaints = new CopyOnWriteArrayList<>();
    private volatile boolean full = true;
    private final AtomicLong nowNs = new AtomicLong(Long.MAX_VALUE);

    /** How many writes are let through. */
    private final Semaphore taken = new Semaphore(Integer.MAX_VALUE / 2);

    private final OutputScreen outputScreen = new OutputScreen(new OutputStream() {
        @Override
        public void write(int octet) {
            throw new AssertionError("a line is one write");
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            taken.acquireUninterruptibly();
            tried.add(new String(bytes, from, length, StandardCharsets.UTF_8));
            if (full) {
                throw new IOException("No space left on device");
            }
        }
    }, true, false, nowNs::get, complaints::add);
    private final OutputScreen.Lane lane = outputScreen.lane("");

    private void show(String line) {
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        long written = outputScreen.written() + bytes.length;
        lane.show(bytes, 0, bytes.length);
        await().until(() -> outputScreen.written() == written);
    }

    @Test
    void aStreamThatTakesNothingIsTriedOnceASecond() {
        show("1");
        show("2");
        nowNs.addAndGet(OutputScreen.PAUSE_NS - 1);
        show("3");
        nowNs.addAndGet(1);
        show("4");
        show("5");
        assertThat(tried).containsExactly("1\n", "\n4\n");
        assertThat(complaints).containsExactly("No space left on device");
        full = false;
        nowNs.addAndGet(OutputScreen.PAUSE_NS);
        show("6");
        show("7");
        assertThat(tried).as("behind what there was room for of another").endsWith("\n6\n", "7\n");
        assertThat(complaints).hasSize(1);
    }

    @Test
    void fastWriterBlocksAndLosesNothingAtEnd() throws Exception {
        full = false;
        taken.drainPermits();
        byte[] line = ("x".repeat(999) + "\n").getBytes(StandardCharsets.UTF_8);
        CountDownLatch done = new CountDownLatch(1);
        Thread.ofVirtual().start(() -> {
            for (int count = 0; count < 100; count++) {
                lane.show(line, 0, line.length);
            }
            done.countDown();
        });
        await().until(() -> taken.hasQueuedThreads());
        assertThat(done.getCount()).isOne();
        lane.drain(true);
        done.await();
        taken.release(100);
        assertThat(outputScreen.close(1)).isZero();
        assertThat(tried).hasSize(100).allMatch(text -> text.length() == 1000);
    }

    @Test
    void hurriedCloseWaitsOnlyForActiveReader() throws Exception {
        full = false;
        taken.drainPermits();
        lane.show(new byte[] {'a', '\n', 'b', '\n'}, 0, 4);
        await().until(() -> taken.hasQueuedThreads());
        outputScreen.hurry();
        assertThat(outputScreen.close(50)).as("what waits behind the line that is being written").isEqualTo(2);
        taken.release(2);
        assertThat(outputScreen.close(60_000)).isZero();
        assertThat(tried).containsExactly("a\n", "b\n");
    }
}
