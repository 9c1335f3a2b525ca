package org.posthouse.mpj.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.wire.Wire;

/** An image has the bytes that were put into it, wherever they came from. */
class CheckpointImageTest {
    private static final int HEAD_BYTES = 13;

    private static byte[] random(int bytes) {
        byte[] random = new byte[bytes];
        new Random(bytes).nextBytes(random);
        return random;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, Wire.PAYLOAD_BYTES_MAX - HEAD_BYTES, Wire.PAYLOAD_BYTES_MAX, 3 * Wire.PAYLOAD_BYTES_MAX, 200_001})
    void takeAllMovesContentOfAnotherImage(int bytes) throws Exception {
        CheckpointImage program = new CheckpointImage();
        program.output().write(random(bytes));
        CheckpointImage image = new CheckpointImage();
        image.output().write(random(HEAD_BYTES));
        image.takeAll(program, 0);
        assertThat(program.bytes()).isZero();
        assertThat(program.input().read()).isNegative();
        requireHeadAndProgram(image, bytes);
        CheckpointImage again = new CheckpointImage();
        again.output().write(random(HEAD_BYTES));
        again.takeAll(image, HEAD_BYTES);
        requireHeadAndProgram(again, bytes);
    }

    private static void requireHeadAndProgram(CheckpointImage image, int bytes) throws IOException {
        assertThat(image.bytes()).isEqualTo(HEAD_BYTES + bytes);
        byte[] all = image.input().readAllBytes();
        assertThat(ByteBuffer.wrap(all).slice(0, HEAD_BYTES)).isEqualTo(ByteBuffer.wrap(random(HEAD_BYTES)));
        assertThat(ByteBuffer.wrap(all).slice(HEAD_BYTES, bytes)).isEqualTo(ByteBuffer.wrap(random(bytes)));
    }
}
