package org.posthouse.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Whatever bytes come, a receiver gets a frame or a WireException, and never any other exception. */
final class FrameFuzzTest {
    private static final int ROUNDS = Boolean.getBoolean("posthouse.long") ? 200_000 : 50_000;

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
            refused += decodes(frame, round) ? 0 : 1;
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
    void survivesDamagedFrames() {
        Random random = new Random(12);
        List<ByteBuffer> samples = new ArrayList<>(SampleFrames.all().values());
        int taken = 0;
        for (int round = 0; round < ROUNDS; round++) {
            ByteBuffer sample = samples.get(random.nextInt(samples.size()));
            byte[] bytes = new byte[sample.limit()];
            sample.get(0, bytes);
            for (int damages = 1 + random.nextInt(3); damages > 0; damages--) {
                bytes[random.nextInt(bytes.length)] = (byte) (random.nextBoolean() ? random.nextInt() : 0xff);
            }
            taken += decodes(ByteBuffer.wrap(bytes), round) ? 1 : 0;
        }
        assertThat(taken).as("some damage hits free fields").isBetween(ROUNDS / 10, ROUNDS);
    }

    @Test
    void survivesDamagedCounts() {
        int[] values = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 0x10000000, 65_535, 0};
        for (ByteBuffer sample : SampleFrames.all().values()) {
            for (int at = Wire.HEADER_BYTES; at + 4 <= sample.limit(); at++) {
                for (int value : values) {
                    byte[] bytes = new byte[sample.limit()];
                    sample.get(0, bytes);
                    decodes(ByteBuffer.wrap(bytes).putInt(at, value).rewind(), at);
                }
            }
        }
    }

    private static boolean decodes(ByteBuffer frame, int round) {
        try {
            SampleFrames.decode(frame);
            return true;
        } catch (WireException e) {
            assertThat(e.getMessage()).isNotBlank();
            return false;
        } catch (RuntimeException e) {
            throw new AssertionError("round " + round + ": " + SampleFrames.view(frame), e);
        }
    }
}
