package org.posthouse.logstore.record;

/**
 * Offsets of the fields of each record type, from the first byte of the envelope. docs/log-format.md has the same table
 * in words. Stateless.
 */
public final class RecordLayout {
    public static final int ARRIVAL_CONTEXT = 48;
    public static final int ARRIVAL_SOURCE = 52;
    static final int ARRIVAL_TAG = 56;
    static final int ARRIVAL_ELEMENTS = 60;
    static final int ARRIVAL_DATATYPE = 64;
    static final int ARRIVAL_FORM = 65;
    static final int ARRIVAL_FLAGS = 66;
    public static final int ARRIVAL_SEQUENCE = 72;
    public static final int ARRIVAL_LENGTH = 80;
    static final int ARRIVAL_INCARNATION = 88;
    public static final int ARRIVAL_NUMBER = 96;
    static final int ARRIVAL_ORDINAL = 104;

    /** Flag in the byte of an arrival's form; the other bits are the form itself. */
    static final int STORABLE = 0x80;

    static final int FORM = 0x7F;

    /** In the flags of an arrival. */
    static final int DELIVERED = 1;

    public static final int CHUNK_ARRIVAL = 48;
    public static final int CHUNK_OFFSET = 56;
    public static final int CHUNK_PREVIOUS_PLACE = 64;

    static final int DELIVERY_INCARNATION = 48;
    static final int DELIVERY_CONTEXT = 52;
    static final int DELIVERY_SOURCE = 56;
    public static final int DELIVERY_NUMBER = 64;
    static final int DELIVERY_ORDINAL = 72;
    static final int DELIVERY_SEQUENCE = 80;
    public static final int DELIVERY_ARRIVAL = 88;
    static final int DELIVERY_ARRIVAL_PLACE = 96;
    static final int DELIVERY_LAST_PIECE_PLACE = 104;

    static final int POLLS_INCARNATION = 48;
    public static final int POLLS_CUMULATIVE = 56;

    public static final int OPENED_SIZE = 48;
    public static final int OPENED_DURABILITY = 52;
    static final int CLOSED_STATUS = 48;

    static final int STARTED_WALL_TIME = 48;
    static final int STARTED_PID = 56;
    static final int STARTED_BOOT = 64;
    public static final int STARTED_RELAY_EPOCH = 80;

    static final int EVENTS_INCARNATION = 48;
    public static final int EVENTS_COUNT = 52;
    public static final int EVENTS_FIRST = 56;
    static final int EVENTS_FLAGS = 68;

    /** In the flags of events. */
    static final int LIMITED = 1;

    public static final int INCARNATION_NUMBER = 48;
    public static final int INCARNATION_START = 52;
    public static final int INCARNATION_IMAGE = 56;

    public static final int WITHDRAWN_CONTEXT = 48;
    static final int WITHDRAWN_SOURCE = 52;
    public static final int WITHDRAWN_SEQUENCE = 56;
    public static final int WITHDRAWN_ARRIVAL = 64;

    static final int FINALIZED_INCARNATION = 48;
    static final int FINALIZED_FLAGS = 52;

    /** In the flags of a finalization. */
    static final int DONE = 1;

    static final int CHECKPOINT_NUMBER = 48;
    static final int CHECKPOINT_BYTES = 56;
    static final int CHECKPOINT_PIN = 64;
    static final int CHECKPOINT_EVENTS = 72;
    static final int CHECKPOINT_DELIVERIES = 80;
    static final int CHECKPOINT_POLLS = 88;
    static final int CHECKPOINT_CRC = 96;
    static final int CHECKPOINT_FLAGS = 100;
    static final int CHECKPOINT_OUT = 104;
    static final int CHECKPOINT_ERR = 112;

    /** In the flags of a checkpoint. */
    static final int READY = 1;

    static final int SNAPSHOT_PIECE = 48;
    static final int SNAPSHOT_PIECES = 52;
    public static final int SNAPSHOT_FILE = 60;

    public static final int DIVERGED_COUNT = 48;

    private RecordLayout() {}
}
