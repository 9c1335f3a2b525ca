package org.posthouse.launch.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.OutputPoint;
import org.posthouse.testkit.SeededRuns;

/** A window of a process's output: each byte leaves it once, whatever is taken and sent again. */
class OutputWindowTest {
    private static final int SEEDS = 300;

    /** A launcher that keeps bytes by their position, and forgets its connection now and then. */
    @Test
    void everyByteArrivesOnceInOrder() {
        SeededRuns.each(SEEDS, seed -> {
            Random random = new Random(seed);
            byte[] all = new byte[random.nextInt(3 * OutputWindow.BYTES_MAX)];
            random.nextBytes(all);
            OutputWindow window = new OutputWindow();
            ByteArrayOutputStream got = new ByteArrayOutputStream();
            Thread writer = Thread.startVirtualThread(() -> {
                try {
                    for (int at = 0; at < all.length;) {
                        int count = Math.min(all.length - at, 1 + at % 9_001);
                        window.write(Arrays.copyOfRange(all, at, at + count), count, () -> {});
                        at += count;
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            while (got.size() < all.length) {
                long position = window.sent();
                byte[] bytes = window.next(1 + random.nextInt(40_000));
                if (bytes.length == 0) {
                    window.taken(upTo(got.size()));
                    Thread.yield();
                    continue;
                }
                assertThat(position).as("no gap").isLessThanOrEqualTo(got.size());
                int known = (int) Math.min(bytes.length, got.size() - position);
                got.write(bytes, known, bytes.length - known);
                if (random.nextInt(4) == 0) {
                    window.taken(upTo(random.nextLong(got.size() + 1)));
                }
                if (random.nextInt(10) == 0) {
                    window.resend();
                }
            }
            writer.join();
            assertThat(got.toByteArray()).isEqualTo(all);
            window.resend();
            while (window.next(Integer.MAX_VALUE).length > 0) {
                // Sent again, and known.
            }
            window.taken(upTo(all.length));
            assertThat(window.isSent()).isTrue();
        });
    }

    @Test
    void fullWindowHoldsTheWriterBackUntilBytesAreTaken() throws Exception {
        OutputWindow window = new OutputWindow();
        AtomicInteger news = new AtomicInteger();
        window.write(new byte[OutputWindow.BYTES_MAX], OutputWindow.BYTES_MAX, news::incrementAndGet);
        assertThat(news).hasValue(1);
        Thread writer = Thread.startVirtualThread(() -> {
            try {
                window.write(new byte[] {7}, 1, news::incrementAndGet);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        assertThat(window.next(Integer.MAX_VALUE)).hasSize(OutputWindow.BYTES_MAX);
        assertThat(window.next(Integer.MAX_VALUE)).as("the writer waits").isEmpty();
        window.taken(upTo(1));
        writer.join();
        assertThat(window.next(Integer.MAX_VALUE)).containsExactly(7);
    }

    @Test
    void ignoresPositionsThatWereNotSent() throws Exception {
        OutputWindow window = new OutputWindow();
        window.write(new byte[10], 10, () -> {});
        window.taken(upTo(5));
        assertThat(window.taken().position()).as("nothing was sent").isZero();
        window.next(4);
        window.taken(upTo(5));
        assertThat(window.taken().position()).as("four were").isZero();
        window.taken(upTo(4));
        window.taken(upTo(2));
        assertThat(window.taken().position()).as("it does not go back").isEqualTo(4);
    }

    @Test
    void closedWindowTakesEverythingAndKeepsNothing() throws Exception {
        OutputWindow window = new OutputWindow();
        window.write(new byte[100], 100, () -> {});
        window.close();
        window.write(new byte[2 * OutputWindow.BYTES_MAX], 2 * OutputWindow.BYTES_MAX, () -> {});
        assertThat(window.isSent()).isTrue();
        assertThat(window.next(Integer.MAX_VALUE)).isEmpty();
    }

    private static OutputPoint upTo(long position) {
        return new OutputPoint(position, 0, 0);
    }
}
