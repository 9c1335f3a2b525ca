package org.posthouse.mpj.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.PrintMark;

/** A rank's library marks in its output where it is, for a launcher only. */
final class OutputOffsetTest {
    private final ByteArrayOutputStream toOut = new ByteArrayOutputStream();
    private final OutputStream out = OutputOffset.countOut(toOut);
    private final OutputStream err = OutputOffset.countErr(new ByteArrayOutputStream());

    @AfterEach
    void close() {
        OutputOffset.markWith(null);
    }

    @Test
    void aMarkStandsInTheStreamAndHasANumberOfItsOwn() throws IOException {
        OutputOffset.markWith("000000000000abcd");
        out.write(new byte[3]);
        OutputOffset.markAll();
        OutputOffset.markAll();
        assertThat(OutputOffset.out()).isEqualTo(3 + 2 * PrintMark.BYTES);
        assertThat(OutputOffset.err()).isEqualTo(2 * PrintMark.BYTES);
        String mark = "\0posthouse mark 000000000000abcd P 0000000000000048 0000000000000048\0";
        assertThat(toOut.toString(StandardCharsets.US_ASCII)).startsWith("\0\0\0" + mark).hasSize(3 + 2 * PrintMark.BYTES);
        assertThat(PrintMark.decode(toOut.toByteArray(), 3)).isEqualTo(new PrintMark(false, 3 + PrintMark.BYTES, 3 + PrintMark.BYTES));
    }

    @Test
    void resumedOutputMarksItsOffsetAndCountsFromIt() throws IOException {
        OutputOffset.markWith("000000000000abcd");
        OutputOffset.markAll();
        OutputOffset.goOn(1_000, 2_000);
        OutputOffset.sayGoesOn();
        assertThat(PrintMark.decode(toOut.toByteArray(), PrintMark.BYTES).number()).isEqualTo(1_000);
        out.write(new byte[5]);
        OutputOffset.markAll();
        assertThat(OutputOffset.out()).isEqualTo(1_005 + PrintMark.BYTES);
        assertThat(OutputOffset.processOut()).isEqualTo(toOut.size());
        assertThat(OutputOffset.err()).isEqualTo(2_000 + PrintMark.BYTES);
    }

    @Test
    void withoutALauncherThereAreNoMarks() {
        OutputOffset.markAll();
        OutputOffset.sayGoesOn();
        assertThat(toOut.toByteArray()).isEmpty();
    }

    /** A save goes on with the last mark that came. */
    @Test
    void inAStreamThatTheProgramHasClosedNothingIsMarked() throws IOException {
        OutputStream closed = OutputOffset.countOut(new OutputStream() {
            @Override
            public void write(int single) throws IOException {
                throw new IOException("Stream Closed");
            }
        });
        OutputOffset.markWith("000000000000abcd");
        OutputOffset.markAll();
        assertThat(OutputOffset.out()).isZero();
        assertThat(OutputOffset.processErr()).isEqualTo(PrintMark.BYTES);
        closed.close();
        err.close();
    }
}
