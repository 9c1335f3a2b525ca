package org.posthouse.tunnel.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReceiveWindowTest {
    private final ReceiveWindow receipts = new ReceiveWindow();

    @Test
    void acknowledgesGaplessPrefixOfHandledFrames() {
        long first = receipts.receive(10);
        long second = receipts.receive(10);
        long third = receipts.receive(10);
        receipts.handle(third);
        receipts.handle(second);
        assertThat(receipts.pending()).isFalse();
        assertThat(receipts.received()).isEqualTo(3);
        receipts.handle(first);
        assertThat(receipts.acknowledge()).isEqualTo(3);
        assertThat(receipts.pending()).isFalse();
    }

    @Test
    void aFrameThatIsTakenBackComesAgainUnderItsNumber() {
        long refused = receipts.receive(10);
        receipts.takeBack(10);
        assertThat(receipts.received()).isZero();
        assertThat(receipts.receive(10)).isEqualTo(refused);
    }

    @Test
    void bytesOfAFrameThatIsTakenBackAreNotDue() {
        receipts.receive(256 * 1024);
        receipts.takeBack(256 * 1024);
        assertThat(receipts.handle(receipts.receive(10))).isFalse();
    }

    @Test
    void isDueAfter64FramesOr256KiB() {
        for (int i = 1; i < 64; i++) {
            assertThat(receipts.handle(receipts.receive(10))).as("frame %d", i).isFalse();
        }
        assertThat(receipts.handle(receipts.receive(10))).isTrue();
        receipts.acknowledge();
        assertThat(receipts.handle(receipts.receive(256 * 1024))).isTrue();
    }

    @Test
    void lateHandlingFromBeforeResetDoesNotCount() {
        long old = receipts.receive(10);
        long older = receipts.receive(10);
        receipts.handle(older);
        receipts.forget();
        long fresh = receipts.receive(10);
        receipts.handle(old);
        assertThat(receipts.pending()).isFalse();
        receipts.handle(fresh);
        assertThat(receipts.acknowledge()).isEqualTo(1);
        assertThat(receipts.received()).isEqualTo(1);
    }

    @Test
    void refusesHandlingOfUnreceivedNumber() {
        long number = receipts.receive(10);
        assertThatThrownBy(() -> receipts.handle(number + 1)).hasMessageContaining("below 1");
    }

    /** Something is always handled behind the gap, until the bits in front of it are too many. */
    @Test
    void countsThePrefixThoughTheGapMovesOnForLong() {
        int frames = 200_000;
        for (int i = 0; i < frames; i++) {
            receipts.receive(1);
        }
        receipts.handle(0);
        receipts.handle(2);
        for (int missing = 1; missing < frames - 3; missing += 2) {
            receipts.handle(missing + 3);
            receipts.handle(missing);
            assertThat(receipts.acknowledge()).isEqualTo(missing + 2);
        }
        receipts.handle(frames - 3);
        receipts.handle(frames - 1);
        assertThat(receipts.acknowledge()).isEqualTo(frames);
    }

    /** Against the set of what is not handled. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void acknowledgedPrefixMatchesModelInRandomOrder(long seed) {
        Random random = new Random(seed);
        TreeSet<Long> open = new TreeSet<>();
        List<Long> waiting = new ArrayList<>();
        long received = 0;
        for (int step = 0; step < 60_000; step++) {
            boolean isCrowded = waiting.size() > 50;
            if (!isCrowded && random.nextBoolean()) {
                long number = receipts.receive(1);
                received++;
                open.add(number);
                waiting.add(number);
            } else if (!waiting.isEmpty()) {
                // The oldest often stays: a shard that is slow.
                int from = waiting.size() > 1 && random.nextInt(10) > 0 ? 1 : 0;
                long number = waiting.remove(from + random.nextInt(waiting.size() - from));
                open.remove(number);
                receipts.handle(number);
            }
            if (step % 97 == 0) {
                assertThat(receipts.acknowledge()).isEqualTo(open.isEmpty() ? received : open.first());
            }
        }
    }
}
