package org.posthouse.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

/**
 * Runs a fuzz target in the build, on valid samples and on samples with seeded damage. The same target runs under Jazzer, which is guided by coverage, with {@code make fuzz}.
 */
public final class FuzzRuns {
    /** Values at which lengths and counts overflow. */
    private static final int[] EDGES = {-1, 0, 1, Integer.MIN_VALUE, Integer.MAX_VALUE, 0x10000000, 0x7fff, 0xffff, 0x10000};

    private static final int DAMAGES_MAX = 4;
    private static final int SHOWN_BYTES_MAX = 4_096;

    private FuzzRuns() {}

    /** A property of any bytes. It throws if the property does not hold. */
    public interface Target {
        void run(byte[] input) throws Exception;
    }

    /**
     * Runs {@code target} on each sample and on {@code count} damaged ones.
     *
     * @param samples valid inputs
     * @param allocatedBytesMax limit of the heap that one run may allocate in its thread; the input itself not counted
     */
    public static void each(long count, List<byte[]> samples, long allocatedBytesMax, Target target) {
        samples.forEach(sample -> run(sample, allocatedBytesMax, target));
        SeededRuns.each(count, seed -> run(damaged(new Random(seed), samples), allocatedBytesMax, target));
    }

    private static void run(byte[] input, long allocatedBytesMax, Target target) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        try {
            target.run(input.clone());
        } catch (Throwable e) {
            throw new AssertionError("input " + shown(input), e);
        }
        assertThat(threads.getCurrentThreadAllocatedBytes() - before)
                .as("bytes allocated for input %s", shown(input))
                .isLessThanOrEqualTo(allocatedBytesMax + 2L * input.length);
    }

    private static String shown(byte[] input) {
        return input.length > SHOWN_BYTES_MAX ? "of " + input.length + " bytes" : HexFormat.of().formatHex(input);
    }

    /** One of {@code samples} with one to four damages. */
    public static byte[] damaged(Random random, List<byte[]> samples) {
        byte[] input = samples.get(random.nextInt(samples.size())).clone();
        for (int damages = 1 + random.nextInt(DAMAGES_MAX); damages > 0; damages--) {
            input = damage(input, random, samples);
        }
        return input;
    }

    private static byte[] damage(byte[] input, Random random, List<byte[]> samples) {
        if (input.length < Integer.BYTES) {
            return samples.get(random.nextInt(samples.size())).clone();
        }
        int at = random.nextInt(input.length);
        switch (random.nextInt(8)) {
            case 0, 1 -> input[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
            case 2 -> input[at] = (byte) random.nextInt();
            case 3, 4 -> putEdge(input, random);
            case 5 -> input = Arrays.copyOf(input, at);
            case 6 -> input = joined(input, input.length, Arrays.copyOf(input, at), 0);
            default -> {
                byte[] other = samples.get(random.nextInt(samples.size()));
                input = joined(input, at, other, random.nextInt(other.length + 1));
            }
        }
        return input;
    }

    private static void putEdge(byte[] input, Random random) {
        int value = EDGES[random.nextInt(EDGES.length)];
        int at = random.nextInt(input.length - Integer.BYTES + 1);
        int bytes = random.nextBoolean() ? Integer.BYTES : Short.BYTES;
        for (int i = 0; i < bytes; i++) {
            input[at + i] = (byte) (value >> (Byte.SIZE * (bytes - 1 - i)));
        }
    }

    /** The first {@code bytes} of one array, and the other one from {@code from} on. */
    private static byte[] joined(byte[] one, int bytes, byte[] other, int from) {
        byte[] joined = Arrays.copyOf(one, bytes + other.length - from);
        System.arraycopy(other, from, joined, bytes, other.length - from);
        return joined;
    }
}
