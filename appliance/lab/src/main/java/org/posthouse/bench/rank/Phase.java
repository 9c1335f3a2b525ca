package org.posthouse.bench.rank;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.posthouse.bench.carrier.Carrier;

/**
 * An order of the driver to the ranks that take part in a test; they begin when they read it.
 *
 * @param work what to do; {@link Work#LEAVE} ends the job
 * @param test the test
 * @param carrier the carrier of its messages
 * @param bytes message size X
 * @param iterations number of iterations
 */
public record Phase(Work work, Benchmark test, Carrier carrier, int bytes, int iterations) {
    /** The work of a rank in a phase. */
    public enum Work {
        /** One iteration with buffers whose every byte is known, and a look at what came. */
        CHECK,
        /** The iterations, each timed. */
        MEASURE,
        /** Only the barriers that go before the iterations. */
        BARRIERS,
        /** The second partner listens for a connection of the carrier, and its answer is the port. */
        LISTEN,
        /** The first partner dials a port, {@code bytes}, that leads there; the second accepts. */
        CONNECT,
        /** Nothing more. */
        LEAVE
    }

    /** Ends the job. */
    public static final Phase LEAVE = new Phase(Work.LEAVE, Benchmark.BARRIER, Carrier.RELAY, 0, 0);

    /** The same phase with another work. */
    public Phase with(Work other) {
        return new Phase(other, test, carrier, bytes, iterations);
    }

    void write(DataOutput out) throws IOException {
        out.writeByte(work.ordinal());
        out.writeByte(test.ordinal());
        out.writeByte(carrier.ordinal());
        out.writeInt(bytes);
        out.writeInt(iterations);
    }

    static Phase read(DataInput in) throws IOException {
        return new Phase(
                Work.values()[in.readByte()], Benchmark.values()[in.readByte()], Carrier.values()[in.readByte()], in.readInt(),
                in.readInt());
    }

    @Override
    public String toString() {
        if (work == Work.LISTEN || work == Work.CONNECT) {
            return "connecting over " + carrier.label();
        }
        return test + (test.isSized() ? " of " + bytes + " bytes" : "");
    }
}
