package org.posthouse.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.posthouse.testkit.FuzzRuns;

/** Whatever bytes come, a receiver gets a frame or a WireException, and never any other exception ({@link FrameFuzz}). */
final class FrameFuzzTest {
    private static final int ROUNDS = Boolean.getBoolean("posthouse.long") ? 200_000 : 20_000;

    /** Four frames, each encoded into a buffer of the longest. */
    private static final long ALLOCATED_BYTES_MAX = 16L * Wire.FRAME_BYTES_MAX;

    @Test
    void survivesRandomBytes() {
        Random random = new Random(11);
        int refused = 0;
        for (int round = 0; round < ROUNDS; round++) {
            byte[] bytes = new byte[Wire.HEADER_BYTES + random.nextInt(120)];
            random.nextBytes(bytes);
            ByteBuffer frame = ByteBuffer.wrap(bytes);
            if (random.nextInt(4) > 0) {
                makePlausible(frame, random);
            }
            refused += FrameFuzz.accepts(bytes) ? 0 : 1;
        }
        assertThat(refused).isBetween(ROUNDS / 2, ROUNDS - 1);
    }

    /** A header that passes, so that the noise reaches the fields behind it. */
    private static void makePlausible(ByteBuffer frame, Random random) {
        FrameType type = FrameType.values()[random.nextInt(FrameType.values().length)];
        SampleFrames.view(frame).length(frame.limit()).type(type).flags(0);
        frame.putShort(6, (short) 0);
        boolean hello = type == FrameType.HELLO || type == FrameType.WELCOME || type == FrameType.LINK_HELLO;
        if (hello && frame.limit() > 24) {
            frame.putInt(16, Wire.MAGIC).putShort(20, (short) Wire.VERSION);
        }
    }

    @Test
    void acceptsOnlyFramesThatCanBeEncodedAgain() {
        List<byte[]> samples = SampleFrames.bytes();
        FuzzRuns.each(ROUNDS, samples, ALLOCATED_BYTES_MAX, FrameFuzz::fuzzerTestOneInput);
        assertThat(samples).allMatch(FrameFuzz::accepts);
    }

    @Test
    void survivesDamagedCounts() {
        int[] values = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 0x10000000, 65_535, 0};
        for (ByteBuffer sample : SampleFrames.all().values()) {
            for (int at = Wire.HEADER_BYTES; at + 4 <= sample.limit(); at++) {
                for (int value : values) {
                    byte[] bytes = new byte[sample.limit()];
                    sample.get(0, bytes);
                    FrameFuzz.accepts(ByteBuffer.wrap(bytes).putInt(at, value).array());
                }
            }
        }
    }
}
