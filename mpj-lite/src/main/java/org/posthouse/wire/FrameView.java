package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * A view of one frame inside a byte buffer. It reads and writes fields in place, at the offsets of docs/wire.md, and
 * does not move the buffer's position. Confined to the caller of wrap; reused from frame to frame.
 *
 * <p>All message frames share one layout. A SEND becomes a DELIVERED by a change of its type and request id alone, and
 * a CHUNK is forwarded as it came.
 */
public final class FrameView {
    private static final int LENGTH = 0;
    private static final int TYPE = 4;
    private static final int FLAGS = 5;
    private static final int RESERVED = 6;
    private static final int JOB = 8;
    private static final int CONTEXT = 16;
    private static final int SOURCE = 20;
    private static final int DESTINATION = 24;
    private static final int TAG = 28;
    private static final int SEQUENCE = 32;
    private static final int MESSAGE_BYTES = 40;
    private static final int ELEMENTS = 48;
    private static final int DATATYPE = 52;
    private static final int DATATYPE_PADDING = 0xffffff;
    private static final int REQUEST = 56;
    private static final int FAILED_POLLS = 60;
    private static final int CHUNK_OFFSET = 40;
    private static final int POST_REQUEST = 40;
    private static final int POST_FAILED_POLLS = 44;
    private static final int CREDIT_BYTES = 16;
    private static final int CREDIT_MESSAGES = 24;
    private static final int CREDIT_RANK = 28;
    private static final int FINALIZE_FAILED_POLLS = 16;
    private static final int FINALIZE_RESERVED = 20;
    private static final int EVENTS_COUNT = 16;
    private static final int EVENTS_FAILED_POLLS = 20;
    private static final int EVENTS_FIRST = 24;
    private static final int EVENT_KIND = 4;
    private static final int EVENT_VALUE = 8;
    private static final int LINK_WORDS = 16;
    private static final int PACKED_BYTES = 32;
    private static final int PACKED_FRAMES = 36;
    private static final int IMAGE_NUMBER = 16;
    private static final int IMAGE_OFFSET = 24;
    private static final int STREAM = 16;
    private static final int STREAM_COUNT = 20;
    private static final int CANCELLED_REQUEST = 16;
    private static final int CANCELLED_RESERVED = 20;

    /** Flag of PROBE: do not answer before there is a message. */
    public static final int BLOCKING = 1;

    /**
     * Flag of an answer. PROBE_ANSWER: a message is there, and the frame describes it. CANCELLED and WITHDRAWN: the
     * receive or offer was still waiting, and is gone. Without the flag it was matched before.
     */
    public static final int FOUND = 1;

    /**
     * Flag of OFFER: the message is offered only for want of credit, so a relay with a log may request it before its
     * match. Its length is that of an eager message.
     */
    public static final int STORABLE = 1;

    /**
     * Flag of SEND, EAGER and OFFER: the message may have been sent before, over an earlier connection or by an earlier
     * process.
     */
    public static final int AGAIN = 2;

    /** Flag of DELIVERED: the relay sent the message without a request, and the rank finds the receive for it. */
    public static final int PUSHED = 1;

    /**
     * Flag of DELIVERED: the message belongs to the rank's history, and has the ordinal of its receive in place of a
     * request number.
     */
    public static final int NAMED = 2;

    /**
     * Flag of EVENTS from a rank: it waits for an ACK. RESENT from a follower: it waits for the CONFIRMED of this message. EVENTS from a relay:
     * the rank's history ends here.
     */
    public static final int ACK_NOW = 1;

    /** Flag of STREAM_TOKENS: the sender hands over tokens that it got and has not used. */
    public static final int HANDED_OVER = 1;

    /**
     * Flag of EVENTS from a relay, see {@link #ACK_NOW}. AHEAD: the rank ends this round. STREAM_DATA: no bytes follow
     * these in this direction.
     */
    public static final int END = 1;

    /** Flag of CHALLENGE: the relay takes plain frames from its own host only. */
    public static final int NEEDS_TLS = 1;

    /**
     * Offsets at which a DELIVERED differs from the frame that it is made of, in bytes from its start, for conversion
     * in place.
     */
    public static final int TYPE_AT = TYPE;

    public static final int FLAGS_AT = FLAGS;
    public static final int REQUEST_AT = REQUEST;
    public static final int FAILED_POLLS_AT = FAILED_POLLS;

    private ByteBuffer buffer;
    private int base;

    /** Wraps the frame that begins at index {@code base} of {@code buffer}, which must be big-endian. */
    public FrameView wrap(ByteBuffer buffer, int base) {
        this.buffer = buffer;
        this.base = base;
        return this;
    }

    /**
     * Checks the common header: a known type, a length in range for it, no unknown flag, and reserved bytes zero. Once
     * the whole frame is there, it also checks the reserved bytes behind the header. Those of control frames are
     * checked when they are decoded.
     *
     * @param available bytes of the buffer that belong to the stream, from {@code base} on
     * @return the frame's length in bytes, or 0 if fewer than {@link Wire#HEADER_BYTES} bytes are there yet; the rest
     * of the frame may still be missing
     */
    public int checkHeader(int available) throws WireException {
        if (available < Wire.HEADER_BYTES) {
            return 0;
        }
        int length = length();
        if (length < Wire.HEADER_BYTES || length > Wire.CHUNK_FRAME_BYTES_MAX) {
            String foreign = ForeignProtocol.describe(length);
            throw new WireException(
                    length < Wire.HEADER_BYTES && length >= 0 ? CloseReason.MALFORMED_FRAME : CloseReason.FRAME_TOO_LONG,
                    !foreign.isEmpty()
                            ? "this is no Posthouse connection: " + foreign
                            : "frame length " + Integer.toUnsignedString(length) + ", expected " + Wire.HEADER_BYTES + " to "
                                    + Wire.CHUNK_FRAME_BYTES_MAX);
        }
        FrameType type = type();
        if (type == null) {
            throw new WireException(CloseReason.UNKNOWN_TYPE, "frame type " + (buffer.get(base + TYPE) & 0xff));
        }
        if (length < type.bytesMin() || length > type.bytesMax()) {
            throw new WireException(
                    length > Wire.FRAME_BYTES_MAX ? CloseReason.FRAME_TOO_LONG : CloseReason.MALFORMED_FRAME,
                    type + " of " + length + " bytes, expected " + type.bytesMin() + " to " + type.bytesMax());
        }
        if ((flags() & ~knownFlags(type)) != 0) {
            throw new WireException(CloseReason.MALFORMED_FRAME, type + " with unknown flags 0x" + Integer.toHexString(flags()));
        }
        if (buffer.getShort(base + RESERVED) != 0 || available >= length && !reservedAreZero(type)) {
            throw new WireException(CloseReason.MALFORMED_FRAME, type + " with reserved bytes that are not zero");
        }
        return length;
    }

    /**
     * Flags of a DELIVERED that the rank did not request.
     *
     * @param ordinal of its receive; 0 if the rank is to find it
     */
    public static int unasked(long ordinal) {
        return ordinal == 0 ? PUSHED : NAMED;
    }

    private static int knownFlags(FrameType type) {
        return switch (type) {
            case PROBE -> BLOCKING;
            case SEND, EAGER -> AGAIN;
            case OFFER -> AGAIN | STORABLE;
            case EVENTS -> ACK_NOW | END;
            case RESENT -> ACK_NOW;
            case DELIVERED -> PUSHED | NAMED;
            case AHEAD -> END;
            case PROBE_ANSWER, CANCELLED, WITHDRAWN -> FOUND;
            case STREAM_DATA -> END;
            case STREAM_TOKENS -> HANDED_OVER;
            case CHALLENGE -> NEEDS_TLS;
            default -> 0;
        };
    }

    private boolean reservedAreZero(FrameType type) {
        return switch (type) {
            case SEND, EAGER, OFFER -> (buffer.getInt(base + DATATYPE) & DATATYPE_PADDING) == 0 && request() == 0;
            case DELIVERED, PROBE_ANSWER, RESENT -> (buffer.getInt(base + DATATYPE) & DATATYPE_PADDING) == 0;
            case CHUNK, CLEAR, AHEAD -> tag() == 0;
            case PROBE -> sequence() == 0;
            case WITHDRAW -> tag() == 0 && postRequest() == 0;
            case WITHDRAWN -> tag() == 0 && offset() == 0;
            case CANCELLED -> buffer.getInt(base + CANCELLED_RESERVED) == 0;
            case FINALIZE, POLLS -> buffer.getInt(base + FINALIZE_RESERVED) == 0;
            case STREAM_DATA -> streamTokens() == 0;
            default -> true;
        };
    }

    /** Writes the common header and clears all bytes up to {@code headerBytes}. */
    public FrameView begin(FrameType type, int headerBytes, long job) {
        for (int at = base; at < base + headerBytes; at += Long.BYTES) {
            buffer.putLong(at, 0);
        }
        buffer.putInt(base + LENGTH, headerBytes);
        buffer.put(base + TYPE, type.id());
        buffer.putLong(base + JOB, job);
        return this;
    }

    public int length() {
        return buffer.getInt(base + LENGTH);
    }

    public FrameView length(int bytes) {
        buffer.putInt(base + LENGTH, bytes);
        return this;
    }

    /** The frame's type, or null if its id is unknown. */
    public FrameType type() {
        return FrameType.of(buffer.get(base + TYPE));
    }

    public FrameView type(FrameType type) {
        buffer.put(base + TYPE, type.id());
        return this;
    }

    public int flags() {
        return buffer.get(base + FLAGS) & 0xff;
    }

    public FrameView flags(int flags) {
        buffer.put(base + FLAGS, (byte) flags);
        return this;
    }

    public long job() {
        return buffer.getLong(base + JOB);
    }

    public int context() {
        return buffer.getInt(base + CONTEXT);
    }

    /** World rank of the sender; in POST and PROBE it may be {@link Wire#ANY}. */
    public int source() {
        return buffer.getInt(base + SOURCE);
    }

    public int destination() {
        return buffer.getInt(base + DESTINATION);
    }

    public int tag() {
        return buffer.getInt(base + TAG);
    }

    /** Sets the four fields that messages are matched by. Ranks are world ranks. */
    public FrameView address(int context, int source, int destination, int tag) {
        buffer.putInt(base + CONTEXT, context);
        buffer.putInt(base + SOURCE, source);
        buffer.putInt(base + DESTINATION, destination);
        buffer.putInt(base + TAG, tag);
        return this;
    }

    /** Sequence number in the channel (job, context, source, destination); the first message has 1. */
    public long sequence() {
        return buffer.getLong(base + SEQUENCE);
    }

    public FrameView sequence(long sequence) {
        buffer.putLong(base + SEQUENCE, sequence);
        return this;
    }

    /** Payload bytes of the whole message, in all its frames. */
    public long messageBytes() {
        return buffer.getLong(base + MESSAGE_BYTES);
    }

    /** Elements of the datatype in the message (objects, for OBJECT). */
    public int elements() {
        return buffer.getInt(base + ELEMENTS);
    }

    /** Code of the datatype, as numbered by the library; the relay only carries it. */
    public int datatype() {
        return buffer.get(base + DATATYPE) & 0xff;
    }

    public FrameView content(long messageBytes, int elements, int datatype) {
        buffer.putLong(base + MESSAGE_BYTES, messageBytes);
        buffer.putInt(base + ELEMENTS, elements);
        buffer.put(base + DATATYPE, (byte) datatype);
        return this;
    }

    /**
     * The receive or probe that a DELIVERED or PROBE_ANSWER answers; with {@link #NAMED} the low 32 bits of the
     * receive's ordinal.
     */
    public int request() {
        return buffer.getInt(base + REQUEST);
    }

    public FrameView request(int request) {
        buffer.putInt(base + REQUEST, request);
        return this;
    }

    /** Failed polls of the sending rank since its start, the low 32 bits. */
    public int failedPolls() {
        return buffer.getInt(base + FAILED_POLLS);
    }

    public FrameView failedPolls(int polls) {
        buffer.putInt(base + FAILED_POLLS, polls);
        return this;
    }

    /** CHUNK: offset of its bytes in the message. CLEAR: the bound up to which the sender may send, exclusive. */
    public long offset() {
        return buffer.getLong(base + CHUNK_OFFSET);
    }

    public FrameView offset(long offset) {
        buffer.putLong(base + CHUNK_OFFSET, offset);
        return this;
    }

    /** POST, PROBE and CANCEL: the number of the receive or probe. WITHDRAW: reserved. */
    public int postRequest() {
        return buffer.getInt(base + POST_REQUEST);
    }

    /** As {@link #failedPolls}. */
    public int postFailedPolls() {
        return buffer.getInt(base + POST_FAILED_POLLS);
    }

    public FrameView post(int request, int failedPolls) {
        buffer.putInt(base + POST_REQUEST, request);
        buffer.putInt(base + POST_FAILED_POLLS, failedPolls);
        return this;
    }

    /** POST and CANCEL: number of the receive in its context, from 1, in call order. */
    public long ordinal() {
        return buffer.getLong(base + SEQUENCE);
    }

    public FrameView ordinal(long ordinal) {
        buffer.putLong(base + SEQUENCE, ordinal);
        return this;
    }

    /** AHEAD and ENDED: number of the context's opening, from 1: the low 32 bits. */
    public int round() {
        return buffer.getInt(base + SOURCE);
    }

    /**
     * AHEAD: the cost up to which messages may be pushed in the context, counted from the rank's start. ENDED: the cost
     * of all that were pushed.
     */
    public long pushedCost() {
        return buffer.getLong(base + SEQUENCE);
    }

    /** ENDED: the reason, see docs/wire.md. */
    public int endReason() {
        return buffer.getInt(base + TAG);
    }

    /** @param reason zero in AHEAD */
    public FrameView round(int context, int round, int rank, int reason, long pushedCost) {
        return address(context, round, rank, reason).sequence(pushedCost);
    }

    /** RESENT: the checksum of the whole message, see docs/wire.md, replay. */
    public int checksum() {
        return buffer.getInt(base + REQUEST);
    }

    public FrameView checksum(int crc) {
        buffer.putInt(base + REQUEST, crc);
        return this;
    }

    /** EVENTS: how many events follow. */
    public int events() {
        return buffer.getInt(base + EVENTS_COUNT);
    }

    /** EVENTS: failed polls at its end, the low 32 bits of all since the rank's start. */
    public int eventsFailedPolls() {
        return buffer.getInt(base + EVENTS_FAILED_POLLS);
    }

    /** EVENTS: number of the first event that follows; the rank's first has 1. */
    public long firstEvent() {
        return buffer.getLong(base + EVENTS_FIRST);
    }

    /** EVENTS: the kind of the event at {@code index}, from 0. */
    public int eventKind(int index) {
        return buffer.get(base + Wire.EVENTS_HEADER_BYTES + index * Wire.EVENT_BYTES + EVENT_KIND);
    }

    /** EVENTS: the value of the event at {@code index}, from 0. */
    public long eventValue(int index) {
        return buffer.getLong(base + Wire.EVENTS_HEADER_BYTES + index * Wire.EVENT_BYTES + EVENT_VALUE);
    }

    public FrameView events(long first, int count, int failedPolls) {
        buffer.putInt(base + EVENTS_COUNT, count);
        buffer.putInt(base + EVENTS_FAILED_POLLS, failedPolls);
        buffer.putLong(base + EVENTS_FIRST, first);
        return this;
    }

    /** ACK: number of kept frames that are stable, so that the rank need not keep them. */
    public long safe() {
        return buffer.getLong(base + CREDIT_BYTES);
    }

    /** ACK: number of kept frames that the home relay has handled. */
    public long handled() {
        return buffer.getLong(base + CREDIT_MESSAGES);
    }

    public FrameView ack(long safe, long handled) {
        buffer.putLong(base + CREDIT_BYTES, safe);
        buffer.putLong(base + CREDIT_MESSAGES, handled);
        return this;
    }

    /** ACK: number of homes for which it lists what is not stable yet: those of the job, or 0. */
    public int homes() {
        return (length() - Wire.ACK_HEADER_BYTES) / Long.BYTES;
    }

    /**
     * ACK: number of the first kept frame for a rank at this home that is not stable yet; one above {@link #handled} if
     * there is none.
     */
    public long firstUnsafe(int home) {
        return buffer.getLong(base + Wire.ACK_HEADER_BYTES + home * Long.BYTES);
    }

    public FrameView firstUnsafe(int home, long number) {
        buffer.putLong(base + Wire.ACK_HEADER_BYTES + home * Long.BYTES, number);
        return this;
    }

    /** IMAGE: offset of its bytes in the image. */
    public long imageOffset() {
        return buffer.getLong(base + IMAGE_OFFSET);
    }

    public FrameView image(long number, long offset) {
        buffer.putLong(base + IMAGE_NUMBER, number);
        buffer.putLong(base + IMAGE_OFFSET, offset);
        return this;
    }

    /** The receive that a CANCELLED answers. */
    public int cancelledRequest() {
        return buffer.getInt(base + CANCELLED_REQUEST);
    }

    public FrameView cancelledRequest(int request) {
        buffer.putInt(base + CANCELLED_REQUEST, request);
        return this;
    }

    public long creditBytes() {
        return buffer.getLong(base + CREDIT_BYTES);
    }

    public int creditMessages() {
        return buffer.getInt(base + CREDIT_MESSAGES);
    }

    /** The rank that the credit belongs to; a link needs it to find the rank's home. */
    public int creditRank() {
        return buffer.getInt(base + CREDIT_RANK);
    }

    public FrameView credit(long bytes, int messages, int rank) {
        buffer.putLong(base + CREDIT_BYTES, bytes);
        buffer.putInt(base + CREDIT_MESSAGES, messages);
        buffer.putInt(base + CREDIT_RANK, rank);
        return this;
    }

    /** FINALIZE and POLLS. */
    public int finalizeFailedPolls() {
        return buffer.getInt(base + FINALIZE_FAILED_POLLS);
    }

    public FrameView finalizeFailedPolls(int polls) {
        buffer.putInt(base + FINALIZE_FAILED_POLLS, polls);
        return this;
    }

    /** STREAM_OPEN, STREAM_DATA, STREAM_TOKENS and STREAM_END: the stream's number on its link. */
    public int stream() {
        return buffer.getInt(base + STREAM);
    }

    /** STREAM_TOKENS: number of tokens. STREAM_DATA: reserved. */
    public int streamTokens() {
        return buffer.getInt(base + STREAM_COUNT);
    }

    /** @param tokens zero in STREAM_DATA */
    public FrameView stream(int stream, int tokens) {
        buffer.putInt(base + STREAM, stream);
        buffer.putInt(base + STREAM_COUNT, tokens);
        return this;
    }

    /** LINK_PACKED: bytes of its frames before packing. */
    public int packedBytes() {
        return buffer.getInt(base + PACKED_BYTES);
    }

    /** LINK_PACKED: number of frames that it holds. */
    public int packedFrames() {
        return buffer.getInt(base + PACKED_FRAMES);
    }

    public FrameView packed(int bytes, int frames) {
        buffer.putInt(base + PACKED_BYTES, bytes);
        buffer.putInt(base + PACKED_FRAMES, frames);
        return this;
    }

    /**
     * The numbers that LINK_ACK, LINK_PING, LINK_PONG, LINK_RUN, LINK_LANES, LINK_PACKED, LINK_CAME and LINK_RATE
     * carry, by position from 0.
     */
    public long linkWord(int place) {
        return buffer.getLong(base + LINK_WORDS + place * Long.BYTES);
    }

    public FrameView linkWord(int place, long word) {
        buffer.putLong(base + LINK_WORDS + place * Long.BYTES, word);
        return this;
    }

    @Override
    public String toString() {
        FrameType type = type();
        return type + "[job " + Long.toHexString(job()) + ", " + length() + " bytes]";
    }
}
