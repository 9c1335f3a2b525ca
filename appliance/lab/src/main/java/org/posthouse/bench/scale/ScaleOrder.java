package org.posthouse.bench.scale;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * An order of the driver of {@code bench scale} to a process that hosts ranks.
 *
 * @param work the work to do
 * @param series which of the ways that were opened, by its place in the list
 * @param bytes message size X
 * @param phaseMs duration in milliseconds
 */
record ScaleOrder(Work work, int series, int bytes, int phaseMs) {
    /** The work of the ranks of a process. */
    enum Work {
        /** Opens the ways between the partners; what they are follows on the order. */
        OPEN,
        /** One round trip with known bytes, and a look at what came. */
        CHECK,
        /** Round trips until the time is over. */
        MEASURE,
        /** Closes the ways. */
        CLOSE
    }

    static final ScaleOrder OPEN = new ScaleOrder(Work.OPEN, 0, 0, 0);
    static final ScaleOrder CLOSE = new ScaleOrder(Work.CLOSE, 0, 0, 0);

    void write(DataOutput out) throws IOException {
        out.writeByte(work.ordinal());
        out.writeInt(series);
        out.writeInt(bytes);
        out.writeInt(phaseMs);
    }

    static ScaleOrder read(DataInput in) throws IOException {
        return new ScaleOrder(Work.values()[in.readByte()], in.readInt(), in.readInt(), in.readInt());
    }

    @Override
    public String toString() {
        return switch (work) {
            case OPEN -> "connecting";
            case CHECK -> "a check of " + bytes + " bytes in series " + series;
            case MEASURE -> phaseMs + " ms of " + bytes + " bytes in series " + series;
            case CLOSE -> "leaving";
        };
    }
}
