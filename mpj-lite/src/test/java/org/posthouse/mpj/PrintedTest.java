package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.PrintMark;

/** A rank's library marks in its output where it is, for a launcher only. */
final class PrintedTest {
    private final ByteArrayOutputStream toOut = new ByteArrayOutputStream();
    private final OutputStream out = Printed.countOut(toOut);
    private final OutputStream err = Printed.countErr(new ByteArrayOutputStream());

    @AfterEach
    void close() {
        Printed.markWith(null);
    }

    @Test
    void aMarkStandsInTheStreamAndHasANumberOfItsOwn() throws IOException {
        Printed.markWith("000000000000abcd");
        out.write(new byte[3]);
        Printed.markAll();
        Printed.markAll();
        assertThat(Printed.out()).isEqualTo(3 + 2 * PrintMark.BYTES);
        assertThat(Printed.err()).isEqualTo(2 * PrintMark.BYTES);
        String mark = "\0posthouse mark 000000000000abcd P 0000000000000048 0000000000000048\0";
        assertThat(toOut.toString(StandardCharsets.US_ASCII)).startsWith("\0\0\0" + mark).hasSize(3 + 2 * PrintMark.BYTES);
        assertThat(PrintMark.decode(toOut.toByteArray(), 3)).isEqualTo(new PrintMark(false, 3 + PrintMark.BYTES, 3 + PrintMark.BYTES));
    }

    @Test
    void whoGoesOnAtAMarkSaysItsNumberAndCountsFromThere() throws IOException {
        Printed.markWith("000000000000abcd");
        Printed.markAll();
        Printed.goOn(1_000, 2_000);
        Printed.sayGoesOn();
        assertThat(PrintMark.decode(toOut.toByteArray(), PrintMark.BYTES).number()).isEqualTo(1_000);
        out.write(new byte[5]);
        Printed.markAll();
        assertThat(Printed.out()).isEqualTo(1_005 + PrintMark.BYTES);
        assertThat(Printed.processOut()).isEqualTo(toOut.size());
        assertThat(Printed.err()).isEqualTo(2_000 + PrintMark.BYTES);
    }

    @Test
    void withoutALauncherThereAreNoMarks() {
        Printed.markAll();
        Printed.sayGoesOn();
        assertThat(toOut.toByteArray()).isEmpty();
    }

    /** A save goes on with the last mark that came. */
    @Test
    void inAStreamThatTheProgramHasClosedNothingIsMarked() throws IOException {
        OutputStream closed = Printed.countOut(new OutputStream() {
            @Override
            public void write(int single) throws IOException {
                throw new IOException("Stream Closed");
            }
        });
        Printed.markWith("000000000000abcd");
        Printed.markAll();
        assertThat(Printed.out()).isZero();
        assertThat(Printed.processErr()).isEqualTo(PrintMark.BYTES);
        closed.close();
        err.close();
    }
}
