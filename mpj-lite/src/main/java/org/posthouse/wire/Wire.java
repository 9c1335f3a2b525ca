package org.posthouse.wire;

/** The numbers of wire protocol version 2 (docs/wire.md). Integers on the wire are big-endian. */
public final class Wire {
    /** First word of IDENTIFY, HELLO, WELCOME and LINK_HELLO: "PHS1". */
    public static final int MAGIC = 0x50485331;

    public static final int VERSION = 2;

    /** Wildcard for a source or a tag in POST and PROBE. */
    public static final int ANY = -2;

    /**
     * The tag of a message that was sent with ANY_TAG. Only a receive of any tag takes it, and its receiver sees
     * ANY_TAG (ADR 7).
     */
    public static final int SENT_WITH_ANY_TAG = Integer.MIN_VALUE;

    /** Bytes of the header that every frame begins with. */
    public static final int HEADER_BYTES = 16;

    /** Bytes of a message frame's header: SEND, EAGER, OFFER, DELIVERED and PROBE_ANSWER. */
    public static final int MESSAGE_HEADER_BYTES = 64;

    /** Bytes of a CHUNK frame's header. */
    public static final int CHUNK_HEADER_BYTES = 48;

    /**
     * Most payload bytes in one frame except a CHUNK. A longer message is sent in chunks, which consist of pieces of
     * this size.
     */
    public static final int PAYLOAD_BYTES_MAX = 64 * 1024;

    /**
     * Most payload bytes of a CHUNK in a job without a log: four pieces. In a logged job a chunk is one piece (ADR 67).
     */
    public static final int CHUNK_BYTES_MAX = 4 * PAYLOAD_BYTES_MAX;

    /** Longest message that may be sent as EAGER, in chunks that do not wait for a receive; a longer one is offered. */
    public static final int EAGER_BYTES_MAX = 1024 * 1024;

    /** Longest frame except a CHUNK: a full payload behind the longest header. */
    public static final int FRAME_BYTES_MAX = PAYLOAD_BYTES_MAX + MESSAGE_HEADER_BYTES;

    /** Longest frame: a CHUNK. */
    public static final int CHUNK_FRAME_BYTES_MAX = CHUNK_HEADER_BYTES + CHUNK_BYTES_MAX;

    /**
     * Byte credit that a message takes in addition to its payload, for its header and the relay's bookkeeping. It
     * bounds a flood of empty messages as well as one of large messages.
     */
    public static final int MESSAGE_COST_BYTES = 256;

    /** Bytes of an EVENTS frame's header; its events follow. */
    public static final int EVENTS_HEADER_BYTES = 32;

    /** Bytes of one event of a rank's history. */
    public static final int EVENT_BYTES = 16;

    /** Bytes of an ACK frame that names no homes. */
    public static final int ACK_HEADER_BYTES = 32;

    /** Most homes that an ACK can name. */
    public static final int ACK_HOMES_MAX = (PAYLOAD_BYTES_MAX + MESSAGE_HEADER_BYTES - ACK_HEADER_BYTES) / Long.BYTES;

    /** Bytes of an IMAGE frame's header; a piece of the image follows. */
    public static final int IMAGE_HEADER_BYTES = 32;

    /** Bytes of an image that a rank may send beyond those that the relay has reported as written (MORE). */
    public static final int IMAGE_WINDOW_BYTES = 4 * 1024 * 1024;

    /** Bytes of a STREAM_DATA frame's header; its bytes follow. STREAM_TOKENS is the header alone. */
    public static final int STREAM_HEADER_BYTES = 24;

    /** Bytes of a LINK_PACKED frame's header; the packed frames follow. */
    public static final int PACKED_HEADER_BYTES = 40;

    /** Bytes of an AGENT_MESSAGE frame's header; the message follows. */
    public static final int AGENT_HEADER_BYTES = 32;

    /** Bytes of a STAGE_DATA frame's header; a piece of the file follows. */
    public static final int STAGE_HEADER_BYTES = 56;

    /** Bytes of one file that its sender may send beyond those that STAGE_TAKEN has reported as stored. */
    public static final int STAGE_WINDOW_BYTES = 1024 * 1024;

    /** Most bytes, before packing, of all the frames in one LINK_PACKED: those of one frame. */
    public static final int PACKED_BYTES_MAX = FRAME_BYTES_MAX;

    /** Kind of the event from which on a replay is not guaranteed; its value is a {@link ReplayLimit}'s code. */
    public static final int EVENT_LIMIT = 6;

    /** Longest message: 1 TiB, some 64 times what one array can hold. */
    public static final long MESSAGE_BYTES_MAX = 1L << 40;

    /** Most events in one frame. */
    public static final int EVENTS_MAX = 4_096;

    /**
     * Most cost of the messages that are pushed in one context (sent before their receives are posted) and not yet
     * received.
     */
    public static final int PUSHED_COST_MAX = 1024 * 1024;

    private Wire() {}

    /** A message's tag as text for people. */
    public static String tag(int tag) {
        return tag == SENT_WITH_ANY_TAG ? "ANY_TAG" : Integer.toString(tag);
    }

    /** The byte credit that a message of {@code payloadBytes} takes. */
    public static long cost(long payloadBytes) {
        return payloadBytes + MESSAGE_COST_BYTES;
    }
}
