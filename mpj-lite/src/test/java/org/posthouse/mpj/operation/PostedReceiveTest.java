package org.posthouse.mpj.operation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Plain;

/** Whatever a sink throws, and whenever, is its receive's own failure, and the rest of the message is thrown away; and what has a place. */
class PostedReceiveTest {
    private static final class Failing implements Sink {
        private final String at;
        private final Throwable thrown;
        private final List<String> calls = new ArrayList<>();

        Failing(String at, Throwable thrown) {
            this.at = at;
            this.thrown = thrown;
        }

        private void call(String name) {
            calls.add(name);
            if (name.equals(at) && thrown instanceof RuntimeException e) {
                throw e;
            } else if (name.equals(at)) {
                throw (Error) thrown;
            }
        }

        @Override
        public void begin(Envelope envelope) {
            call("begin");
        }

        @Override
        public void read(long from, ByteBuffer in) {
            call("read");
            in.position(in.limit());
        }

        @Override
        public void end() {
            call("end");
        }
    }

    @ParameterizedTest
    @CsvSource({"begin, 1", "read, 2", "end, 4"})
    void receiveFailsWithExceptionOfItsSink(String at, int calls) {
        Failing memory = new Failing(at, new OutOfMemoryError("too large"));
        assertThat(failure(memory).kind()).isEqualTo(ReceiveException.Kind.MEMORY);
        Failing fault = new Failing(at, new ArithmeticException("integer overflow"));
        assertThat(failure(fault).kind()).isEqualTo(ReceiveException.Kind.INTERNAL);
        assertThat(failure(fault)).hasMessageContaining("message of 8 bytes").hasMessageContaining("integer overflow");
        assertThat(memory.calls).hasSize(calls);
    }

    @Test
    void bytesBeyondTheMessageAreNotPlaced() {
        ByteBuffer memory = ByteBuffer.allocateDirect(20);
        PostedReceive postedReceive = new PostedReceive(1, 0, 5, Plain.sink(Base.BYTE, memory, 0, 20));
        postedReceive.begin(new Envelope(0, 5, 8, 8, Base.BYTE.code()), 1);
        assertThat(postedReceive.placed(3)).isFalse();
        assertThat(postedReceive.placeOfRest(5).remaining()).isEqualTo(5);
        assertThat(postedReceive.placeOfRest(6)).isNull();
    }

    private static ReceiveException failure(Sink sink) {
        PostedReceive postedReceive = new PostedReceive(1, 0, 5, sink);
        postedReceive.begin(new Envelope(0, 5, 8, 2, 5), 1);
        assertThat(postedReceive.read(ByteBuffer.allocate(4))).isFalse();
        assertThat(postedReceive.read(ByteBuffer.allocate(4))).as("the last bytes").isTrue();
        assertThat(postedReceive.isDone()).isTrue();
        return postedReceive.failure();
    }
}
