package org.posthouse.logstore;

import java.util.UUID;

/**
 * What one log record says, without its envelope and payload. Immutable; owned by whoever made it. Records that
 * belong to no job or to no rank carry {@link #NO_JOB} and {@link #NO_RANK}.
 */
public sealed interface LogRecord {
    /** The job of a record that concerns the log itself. */
    long NO_JOB = 0;

    /** The rank of a record that concerns a whole job or the log itself. */
    int NO_RANK = -1;

    /** The job this record belongs to, or {@link #NO_JOB}. */
    long job();

    /** The rank this record belongs to, or {@link #NO_RANK}. */
    default int rank() {
        return NO_RANK;
    }

    /** The kind of this record. */
    RecordType type();

    /**
     * A message stored in a mailbox. What is not inline follows in {@link Chunk} records.
     *
     * @param job the job
     * @param rank destination of the message, whose mailbox it is
     * @param context communicator context
     * @param source sending rank
     * @param tag MPI tag
     * @param sequence number within the channel (job, context, source, rank)
     * @param datatype code of the element type, opaque to the log
     * @param elements count of elements
     * @param length bytes of the whole payload, inline and in chunks
     */
    record Arrival(long job, int rank, int context, int source, int tag, long sequence, int datatype, int elements,
            long length) implements LogRecord {
        /** Refuses a negative length. */
        public Arrival {
            requireNotNegative("length", length);
        }

        @Override
        public RecordType type() {
            return RecordType.ARRIVAL;
        }
    }

    /**
     * A piece of a message's payload, logged as it came; pieces of different messages interleave.
     *
     * @param job the job
     * @param rank destination of the message
     * @param arrivalPosition position of the {@link Arrival} it belongs to
     * @param offset where in the whole payload its first byte stands
     */
    record Chunk(long job, int rank, long arrivalPosition, long offset) implements LogRecord {
        /** Refuses a negative offset and a position that no record can have. */
        public Chunk {
            requireNotNegative("offset", offset);
            requireNotNegative("arrivalPosition - 1", arrivalPosition - 1);
        }

        @Override
        public RecordType type() {
            return RecordType.PAYLOAD_CHUNK;
        }
    }

    /**
     * A determinant: the outcome of one receive. The payload is not repeated; (context, source, sequence) names the
     * message and the arrival's position finds it.
     *
     * @param job the job
     * @param rank receiver
     * @param incarnation of the receiver
     * @param number delivery number of this rank: 1, 2, …
     * @param failedPolls failed probes and tests since the event before
     * @param context communicator context of the message
     * @param source its sender
     * @param sequence its number within the channel
     * @param arrivalPosition position of its {@link Arrival}
     */
    record Delivery(long job, int rank, int incarnation, long number, long failedPolls, int context, int source,
            long sequence, long arrivalPosition) implements LogRecord {
        @Override
        public RecordType type() {
            return RecordType.DELIVERY;
        }
    }

    /**
     * Failed polls that rode on an output frame.
     *
     * @param job the job
     * @param rank who polled
     * @param incarnation of that rank
     * @param count failed polls since that rank's event before
     */
    record Polls(long job, int rank, int incarnation, long count) implements LogRecord {
        @Override
        public RecordType type() {
            return RecordType.POLLS;
        }
    }

    /**
     * A job began.
     *
     * @param job the job
     * @param size its ranks, 0…size-1
     * @param name what its owner calls it; at most {@link MessageLog#MAX_NAME_BYTES} bytes of UTF-8
     */
    record JobOpened(long job, int size, String name) implements LogRecord {
        @Override
        public RecordType type() {
            return RecordType.JOB_OPENED;
        }
    }

    /**
     * A job ended.
     *
     * @param job the job
     */
    record JobClosed(long job) implements LogRecord {
        @Override
        public RecordType type() {
            return RecordType.JOB_CLOSED;
        }
    }

    /**
     * A writer opened the log; its epoch stands in the envelope. Written by the log itself.
     *
     * @param wallTimeMs Unix time in ms, for people only: nothing is ordered by it
     * @param pid process id of the writer, unique only within its container
     * @param boot identity of the host's boot, all zero if unknown: page cache survives within one boot only
     */
    record WriterStarted(long wallTimeMs, long pid, UUID boot) implements LogRecord {
        @Override
        public long job() {
            return NO_JOB;
        }

        @Override
        public RecordType type() {
            return RecordType.WRITER_STARTED;
        }
    }

    private static void requireNotNegative(String what, long value) {
        if (value < 0) {
            throw new IllegalArgumentException(what + " is " + value + ", must be 0 or more");
        }
    }
}
