package org.posthouse.launch.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.posthouse.testkit.SeededRuns;

/** Streams of a process on a node: no byte is lost or repeated when messages are. */
class NodeStreamsTest {
    private static final int SEEDS = 300;

    @Test
    void outputIsReadOnceInOrderAlthoughMessagesAreRepeated() {
        SeededRuns.each(SEEDS, seed -> {
            Random random = new Random(seed);
            byte[] all = new byte[1 + random.nextInt(100_000)];
            random.nextBytes(all);
            List<Long> told = new ArrayList<>();
            ReceivedOutput stream = new ReceivedOutput(told::add);
            int arrived = 0;
            while (arrived < all.length) {
                int from = random.nextInt(arrived + 1);
                int to = Math.min(all.length, from + 1 + random.nextInt(20_000));
                assertThat(stream.add(from, Arrays.copyOfRange(all, from, to))).isTrue();
                arrived = Math.max(arrived, to);
                assertThat(stream.add(arrived + 1, new byte[] {1})).as("a gap").isFalse();
            }
            stream.end();
            assertThat(stream.readAllBytes()).isEqualTo(all);
            assertThat(told).isSorted().endsWith((long) all.length);
        });
    }

    @Test
    void inputThatWasNotTakenIsSentAgain() {
        SeededRuns.each(SEEDS, seed -> {
            Random random = new Random(seed);
            byte[] all = new byte[random.nextInt(SentInput.WINDOW_BYTES)];
            random.nextBytes(all);
            byte[] got = new byte[all.length];
            boolean[] drops = {false};
            SentInput stream = new SentInput(true, (position, end, bytes) -> {
                if (!drops[0]) {
                    System.arraycopy(bytes, 0, got, (int) position, bytes.length);
                }
            });
            int half = all.length / 2;
            stream.write(Arrays.copyOf(all, half), half);
            int taken = random.nextInt(half + 1);
            stream.taken(taken);
            drops[0] = true;
            stream.write(Arrays.copyOfRange(all, half, all.length), all.length - half);
            Arrays.fill(got, taken, got.length, (byte) 0);
            drops[0] = false;
            stream.resend();
            assertThat(got).isEqualTo(all);
        });
    }

    @Test
    void writeBlocksWhileTheWindowIsFull() throws Exception {
        List<Integer> sent = new ArrayList<>();
        SentInput stream = new SentInput(true, (position, end, bytes) -> sent.add(bytes.length));
        stream.write(new byte[SentInput.WINDOW_BYTES], SentInput.WINDOW_BYTES);
        Thread writer = Thread.ofPlatform().start(() -> {
            try {
                stream.write(new byte[] {9}, 1);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        while (writer.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        assertThat(sent.stream().mapToInt(Integer::intValue).sum()).isEqualTo(SentInput.WINDOW_BYTES);
        stream.taken(1);
        writer.join();
        assertThat(sent.getLast()).isEqualTo(1);
    }

    @Test
    void writeFailsOnceTheProcessReadsNoMore() {
        SentInput stream = new SentInput(true, (position, end, bytes) -> {});
        stream.taken(Long.MAX_VALUE);
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> stream.write(new byte[1], 1)).withMessageContaining("reads no more");
    }

    @Test
    void inputOfAProcessOfAnotherLauncherContinuesWhereTheProcessIs() throws Exception {
        List<Long> sent = new ArrayList<>();
        SentInput stream = new SentInput(false, (position, end, bytes) -> sent.add(end ? -position : position));
        stream.taken(7);
        assertThat(stream.position()).isEqualTo(7);
        stream.write(new byte[3], 3);
        stream.write(new byte[0], 0);
        assertThat(sent).containsExactly(7L, -10L);
        sent.clear();
        stream.taken(10);
        stream.resend();
        assertThat(sent).as("the end has no answer").containsExactly(-10L);
    }
}
