package org.posthouse.logstore;

import java.util.UUID;

/**
 * What one log record says, without its envelope and payload. Immutable; owned by whoever made it. Records that
 * belong to no job or to no rank carry {@link #NO_JOB} and {@link #NO_RANK}. Checksums of payload are no part of it:
 * {@link LogEntry} and {@link LogCursor} tell them.
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

    /** What makes room, or comes with that, or tells how a rank or a job stands: it does not wait until there is room. Without payload. */
    sealed interface Pressing extends LogRecord permits Polls, JobClosed, Incarnation, Finalized, CheckpointTaken {}

    /** How a message came. */
    enum Form {
        /** Whole, in one frame. */
        SEND,
        /** In chunks that follow unasked. */
        EAGER,
        /** In chunks that follow once they are asked for. */
        OFFER;

        private static final Form[] BY_CODE = values();

        /** 1, 2, 3 in the log. */
        byte code() {
            return (byte) (ordinal() + 1);
        }

        static Form of(int code) {
            return BY_CODE[code - 1];
        }
    }

    /**
     * Which receive got a message: the outcome of matching.
     *
     * @param incarnation of the receiver
     * @param number delivery number of the receiver: 1, 2, …
     * @param ordinal of the receive among those that were called in the message's context: 1, 2, …; 0 if the message came unasked
     */
    record Receipt(int incarnation, long number, long ordinal) {}

    /**
     * A message stored in a mailbox. What is not inline follows in {@link Chunk} records.
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
     * @param form how it came
     * @param storable an offer that was made for want of credit only
     * @param receipt of the receive that waited for it and got it at once; null if none did, and a {@link Delivery} may
     *     follow
     */
    record Arrival(long job, int rank, int context, int source, int tag, long sequence, int datatype, int elements,
            long length, Form form, boolean storable, Receipt receipt) implements LogRecord {
        /** Refuses a negative length and a datatype that is no byte. */
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
     * A piece of a message's payload, logged as it came; pieces of different messages interleave, those of one follow
     * each other without a gap.
     *
     * @param job the job
     * @param rank destination of the message
     * @param arrivalPosition position of the {@link Arrival} it belongs to
     * @param offset where in the whole payload its first byte stands
     * @param previousPlace of the message's piece before, or of its arrival; {@link MessageLog#NO_PLACE} if the job was
     *     not open
     */
    record Chunk(long job, int rank, long arrivalPosition, long offset, long previousPlace) implements LogRecord {
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
     * A determinant: the outcome of one receive that did not wait for its message. The payload is not repeated;
     * (context, source, sequence) names the message, the arrival's position and place find it.
     *
     * @param job the job
     * @param rank receiver
     * @param receipt which receive
     * @param context communicator context of the message
     * @param source its sender
     * @param sequence its number within the channel
     * @param arrivalPosition position of its {@link Arrival}
     * @param arrivalPlace place of its {@link Arrival}
     * @param lastPiecePlace of the last of its pieces that had come; without any the place of its arrival
     */
    record Delivery(long job, int rank, Receipt receipt, int context, int source, long sequence, long arrivalPosition,
            long arrivalPlace, long lastPiecePlace) implements LogRecord {
        /** To be appended: the log knows the last piece's place. */
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
     * Failed polls that rode on a frame.
     *
     * @param job the job
     * @param rank who polled
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
     * A job began. The payload is what opened it, opaque to the log.
     *
     * @param job the job
     * @param size its ranks, 0…size-1
     * @param durability what it asked for, opaque to the log
     */
    record JobOpened(long job, int size, int durability) implements LogRecord {
        /** Refuses a negative size. */
        public JobOpened {
            requireNotNegative("size", size);
        }

        @Override
        public RecordType type() {
            return RecordType.JOB_OPENED;
        }
    }

    /**
     * A job ended.
     *
     * @param job the job
     * @param status how, opaque to the log
     */
    record JobClosed(long job, int status) implements Pressing {
        @Override
        public RecordType type() {
            return RecordType.JOB_CLOSED;
        }
    }

    /**
     * Ranks of a job that were started again do not send what they had sent. The payload says in UTF-8 what came first.
     *
     * @param job the job
     * @param count messages that differ so far
     */
    record Diverged(long job, long count) implements LogRecord {
        @Override
        public RecordType type() {
            return RecordType.DIVERGED;
        }
    }

    /**
     * A writer opened the log; its epoch stands in the envelope. Written by the log itself.
     *
     * @param wallTimeMs Unix time in ms, for people only: nothing is ordered by it
     * @param pid process id of the writer, unique only within its container
     * @param boot identity of the host's boot, all zero if unknown: page cache survives within one boot only
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
     * What a rank has observed, as it told it. The payload is {@code count} items of {@link #ITEM_BYTES}.
     *
     * @param job the job
     * @param rank who observed
     * @param incarnation of that rank
     * @param count items
     * @param first number of the first of them; they are numbered 1, 2, … over all incarnations
     * @param limited one of them says that from there on a replay is not promised
     */
    record Events(long job, int rank, int incarnation, int count, long first, boolean limited) implements LogRecord {
        /** Bytes of an item. */
        public static final int ITEM_BYTES = 16;

        @Override
        public RecordType type() {
            return RecordType.EVENTS;
        }
    }

    /**
     * A process of a rank was let in, and all before it are fenced; or it was decided where that process goes on.
     *
     * @param job the job
     * @param rank the rank
     * @param incarnation of the process: 1, 2, …
     * @param start 0: it was let in; {@link #CHOSEN}
     * @param image number of the image that was chosen for it, 0 if none
     */
    record Incarnation(long job, int rank, int incarnation, int start, long image) implements Pressing {
        /** It goes on from the image: what is newer could not be read. */
        public static final int CHOSEN = 1;

        @Override
        public RecordType type() {
            return RecordType.INCARNATION;
        }
    }

    /**
     * An offered message is gone from its mailbox: its sender took it back. A tombstone.
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
     * A rank said goodbye, or is done.
     *
     * @param job the job
     * @param rank the rank
     * @param incarnation of it
     * @param done its process has ended as it should, too: no other is started
     */
    record Finalized(long job, int rank, int incarnation, boolean done) implements Pressing {
        @Override
        public RecordType type() {
            return RecordType.FINALIZED;
        }
    }

    /**
     * A point that a rank can be started from again: an image of it is safe on disk, or its prologue has ended.
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
     * A part of the log's book: what the files before this one said. Written by the log itself.
     *
     * @param piece 0…pieces-1
     * @param pieces how many there are
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
