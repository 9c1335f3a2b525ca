package org.posthouse.logstore.record;

import java.util.UUID;

/**
 * The content of one log record, without its envelope and payload. Immutable; owned by its creator. Records without a
 * job or a rank carry {@link #NO_JOB} and {@link #NO_RANK}. Payload checksums are not part of it;
 * {@link org.posthouse.logstore.LogEntry} and {@link org.posthouse.logstore.LogCursor} provide them.
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
     * A record that does not wait for log space: it frees space, accompanies such a record, or reports the state of a
     * rank or job. It has no payload.
     */
    sealed interface Pressing extends LogRecord permits Polls, JobClosed, Incarnation, Finalized, CheckpointTaken {}

    /** The form in which a message was sent. */
    enum Form {
        /** Whole, in one frame. */
        SEND,
        /** In chunks that follow without a request. */
        EAGER,
        /** In chunks that follow on request. */
        OFFER;

        private static final Form[] BY_CODE = values();

        /** The code in the log: 1, 2 or 3. */
        byte code() {
            return (byte) (ordinal() + 1);
        }

        static Form of(int code) {
            return BY_CODE[code - 1];
        }
    }

    /**
     * The outcome of matching: which receive got a message.
     *
     * @param incarnation of the receiver
     * @param number delivery number of the receiver: 1, 2, …
     * @param ordinal of the receive among those called in the message's context: 1, 2, …; 0 if the message was pushed
     */
    record Receipt(int incarnation, long number, long ordinal) {}

    /**
     * A message stored in a mailbox. The part that is not inline follows in {@link Chunk} records.
     *
     * @param job the job
     * @param rank destination of the message, whose mailbox it is
     * @param context communicator context
     * @param source sending rank
     * @param tag MPI tag
     * @param sequence number within the channel (job, context, source, rank)
     * @param datatype code of the element type, opaque to the log, 0 … 255
     * @param elements count of elements
     * @param length bytes of the whole payload, inline and in chunks
     * @param form how it was sent
     * @param storable whether it is an offer that was made only for want of credit
     * @param receipt of the receive that was already waiting and got the message at once; null if there was none, and a
     *         {@link Delivery} may follow
     */
    record Arrival(long job, int rank, int context, int source, int tag, long sequence, int datatype, int elements,
            long length, Form form, boolean storable, Receipt receipt) implements LogRecord {
        /** Rejects a negative length, and a datatype that does not fit in a byte. */
        public Arrival {
            requireNotNegative("length", length);
            requireNotNegative("datatype", datatype);
            requireNotNegative("255 - datatype", 255 - datatype);
        }

        @Override
        public RecordType type() {
            return RecordType.ARRIVAL;
        }
    }

    /**
     * A piece of a message's payload, logged as it arrived. Pieces of different messages interleave. Pieces of one
     * message follow each other without a gap.
     *
     * @param job the job
     * @param rank destination of the message
     * @param arrivalPosition position of the {@link Arrival} it belongs to
     * @param offset of the piece's first byte in the whole payload
     * @param previousPlace of the message's previous piece, or of its arrival;
     *         {@link org.posthouse.logstore.MessageLog#NO_PLACE} if the job was not open
     */
    record Chunk(long job, int rank, long arrivalPosition, long offset, long previousPlace) implements LogRecord {
        /** Rejects a negative offset, and a position that no record can have. */
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
     * A determinant: the outcome of one receive that was called after its message arrived. The payload is not repeated.
     * The fields context, source and sequence identify the message; the arrival's position and place locate it.
     *
     * @param job the job
     * @param rank receiver
     * @param receipt which receive
     * @param context communicator context of the message
     * @param source its sender
     * @param sequence its number within the channel
     * @param arrivalPosition position of its {@link Arrival}
     * @param arrivalPlace place of its {@link Arrival}
     * @param lastPiecePlace place of the last piece that had arrived; without any, the place of its arrival
     */
    record Delivery(long job, int rank, Receipt receipt, int context, int source, long sequence, long arrivalPosition,
            long arrivalPlace, long lastPiecePlace) implements LogRecord {
        /** A determinant to append; the log fills in the last piece's place. */
        public Delivery(long job, int rank, Receipt receipt, int context, int source, long sequence,
                long arrivalPosition, long arrivalPlace) {
            this(job, rank, receipt, context, source, sequence, arrivalPosition, arrivalPlace, arrivalPlace);
        }

        @Override
        public RecordType type() {
            return RecordType.DELIVERY;
        }
    }

    /**
     * Failed polls, which were reported with a frame.
     *
     * @param job the job
     * @param rank the polling rank
     * @param incarnation of that rank
     * @param cumulative failed polls of that rank so far, over all incarnations
     */
    record Polls(long job, int rank, int incarnation, long cumulative) implements Pressing {
        @Override
        public RecordType type() {
            return RecordType.POLLS;
        }
    }

    /**
     * The start of a job. The payload is the request that opened it, opaque to the log.
     *
     * @param job the job
     * @param size number of its ranks, 0…size-1
     * @param durability that the job requested, opaque to the log
     */
    record JobOpened(long job, int size, int durability) implements LogRecord {
        /** Rejects a negative size. */
        public JobOpened {
            requireNotNegative("size", size);
        }

        @Override
        public RecordType type() {
            return RecordType.JOB_OPENED;
        }
    }

    /**
     * The end of a job.
     *
     * @param job the job
     * @param status exit status, opaque to the log
     */
    record JobClosed(long job, int status) implements Pressing {
        @Override
        public RecordType type() {
            return RecordType.JOB_CLOSED;
        }
    }

    /**
     * A divergence: restarted ranks of a job do not send what they had sent before. The payload describes the first
     * divergence, in UTF-8.
     *
     * @param job the job
     * @param count number of differing messages so far
     */
    record Diverged(long job, long count) implements LogRecord {
        @Override
        public RecordType type() {
            return RecordType.DIVERGED;
        }
    }

    /**
     * A rank is dead, at any home, or a communicator is revoked. The payload is the wire's frame that says so.
     *
     * @param job the job
     * @param rank that is dead; {@link #NO_RANK}: a communicator is revoked
     */
    record Failed(long job, int rank) implements LogRecord {
        @Override
        public RecordType type() {
            return RecordType.FAILED;
        }
    }

    /**
     * An agreement is decided. The payload is the wire's frame with the result.
     *
     * @param job the job
     */
    record Agreed(long job) implements LogRecord {
        @Override
        public RecordType type() {
            return RecordType.AGREED;
        }
    }

    /**
     * The opening of the log by a writer, whose epoch is in the envelope. Written by the log itself.
     *
     * @param wallTimeMs Unix time in ms, for information only; nothing is ordered by it
     * @param pid process id of the writer, unique only within its container
     * @param boot identity of the host's boot, all zero if unknown; the page cache survives only within one boot
     * @param relayEpoch of the relay that the log is opened for, 0 if it has none
     */
    record WriterStarted(long wallTimeMs, long pid, UUID boot, long relayEpoch) implements LogRecord {
        @Override
        public long job() {
            return NO_JOB;
        }

        @Override
        public RecordType type() {
            return RecordType.WRITER_STARTED;
        }
    }

    /**
     * Events that a rank has observed and reported. The payload is {@code count} items of {@link #ITEM_BYTES} each.
     *
     * @param job the job
     * @param rank the observing rank
     * @param incarnation of that rank
     * @param count number of items
     * @param first number of the first item; items are numbered 1, 2, … over all incarnations
     * @param limited whether one item declares that a replay is not promised from there on
     */
    record Events(long job, int rank, int incarnation, int count, long first, boolean limited) implements LogRecord {
        /** Size of an item in bytes. */
        public static final int ITEM_BYTES = 16;

        @Override
        public RecordType type() {
            return RecordType.EVENTS;
        }
    }

    /**
     * The admission of a rank's process, or a follower's promotion, which fences all earlier ones; or the choice of the image that it restarts
     * from.
     *
     * @param job the job
     * @param rank the rank
     * @param incarnation of the process: 1, 2, …
     * @param start 0 for an admission, {@link #CHOSEN} or {@link #PROMOTED}
     * @param image number of the image that was chosen for it, 0 if none; of one that was promoted, the incarnation that
     *         it had as a follower
     */
    record Incarnation(long job, int rank, int incarnation, int start, long image) implements Pressing {
        /** The value of {@code start} for a chosen image; newer images could not be read. */
        public static final int CHOSEN = 1;

        /** The value of {@code start} for a follower that leads the rank from here on. */
        public static final int PROMOTED = 2;

        @Override
        public RecordType type() {
            return RecordType.INCARNATION;
        }
    }

    /**
     * A tombstone: the sender withdrew an offered message, which is gone from its mailbox.
     *
     * @param job the job
     * @param rank destination of the message
     * @param context communicator context
     * @param source sending rank
     * @param sequence number within the channel
     * @param arrivalPosition position of its {@link Arrival}
     */
    record Withdrawn(long job, int rank, int context, int source, long sequence, long arrivalPosition)
            implements LogRecord {
        @Override
        public RecordType type() {
            return RecordType.WITHDRAWN;
        }
    }

    /**
     * The finalization of a rank, or its completion.
     *
     * @param job the job
     * @param rank the rank
     * @param incarnation of the rank's process
     * @param done whether the process has also exited normally, so that no other is started
     */
    record Finalized(long job, int rank, int incarnation, boolean done) implements Pressing {
        @Override
        public RecordType type() {
            return RecordType.FINALIZED;
        }
    }

    /**
     * A point that a rank can be restarted from: an image that is safe on disk, or the end of its prologue.
     *
     * @param job the job
     * @param rank the rank
     * @param checkpoint the point
     */
    record CheckpointTaken(long job, int rank, Checkpoint checkpoint) implements Pressing {
        @Override
        public RecordType type() {
            return RecordType.CHECKPOINT_TAKEN;
        }
    }

    /**
     * A part of the log's book, which summarizes the files before this one. Written by the log itself.
     *
     * @param piece 0…pieces-1
     * @param pieces total number of pieces
     */
    record Snapshot(int piece, int pieces) implements LogRecord {
        @Override
        public long job() {
            return NO_JOB;
        }

        @Override
        public RecordType type() {
            return RecordType.SNAPSHOT;
        }
    }

    private static void requireNotNegative(String what, long value) {
        if (value < 0) {
            throw new IllegalArgumentException(what + " is " + value + ", must be 0 or more");
        }
    }
}
