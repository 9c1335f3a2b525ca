package org.posthouse.wire;

/**
 * Frame types of protocol version 2 (docs/wire.md). Each has its wire id, its shortest and longest legal length in
 * bytes, and its allowed senders. An id is never reused: a retired one stays in this list.
 */
public enum FrameType {
    HELLO(1, 76, 76, Role.RANK | Role.LAUNCHER | Role.AGENT),
    WELCOME(2, 104, Wire.FRAME_BYTES_MAX, Role.RELAY),
    SEND(3, Wire.MESSAGE_HEADER_BYTES, Wire.FRAME_BYTES_MAX, Role.RANK | Role.LINK),
    EAGER(4, Wire.MESSAGE_HEADER_BYTES, Wire.MESSAGE_HEADER_BYTES, Role.RANK | Role.LINK),
    OFFER(5, Wire.MESSAGE_HEADER_BYTES, Wire.MESSAGE_HEADER_BYTES, Role.RANK | Role.LINK),
    CLEAR(6, 48, 48, Role.RELAY | Role.LINK),
    CHUNK(7, Wire.CHUNK_HEADER_BYTES + 1, Wire.CHUNK_FRAME_BYTES_MAX, Role.RANK | Role.RELAY | Role.LINK),
    POST(8, 48, 48, Role.RANK),
    DELIVERED(9, Wire.MESSAGE_HEADER_BYTES, Wire.FRAME_BYTES_MAX, Role.RELAY),
    PROBE(10, 48, 48, Role.RANK),
    PROBE_ANSWER(11, Wire.MESSAGE_HEADER_BYTES, Wire.MESSAGE_HEADER_BYTES, Role.RELAY),
    CREDIT(12, 32, 32, Role.RELAY | Role.LINK),
    FINALIZE(13, 24, 24, Role.RANK | Role.RELAY),
    ABORT(14, 32, Wire.FRAME_BYTES_MAX, Role.RANK | Role.RELAY),
    CLOSE(15, 32, Wire.FRAME_BYTES_MAX, Role.RANK | Role.LAUNCHER | Role.RELAY | Role.LINK | Role.AGENT),
    CANCEL(16, 48, 48, Role.RANK),
    CANCELLED(17, 24, 24, Role.RELAY),
    WITHDRAW(18, 48, 48, Role.RANK | Role.LINK),
    WITHDRAWN(19, 48, 48, Role.RELAY | Role.LINK),
    JOB_OPEN(20, 58, Wire.FRAME_BYTES_MAX, Role.LAUNCHER),
    JOB_OPENED(21, Wire.HEADER_BYTES, Wire.HEADER_BYTES, Role.RELAY),
    JOB_EVENT(22, 48, Wire.FRAME_BYTES_MAX, Role.RELAY),
    JOB_CLOSE(23, 32, Wire.FRAME_BYTES_MAX, Role.LAUNCHER),
    BLOCKED(24, 44, 1068, Role.RANK | Role.LINK),
    MISMATCH(25, 44, 1068, Role.RELAY | Role.LINK),
    POLLS(26, 24, 24, Role.RANK),
    MOVE(27, Wire.HEADER_BYTES, Wire.HEADER_BYTES, Role.RANK | Role.RELAY),
    EVENTS(28, Wire.EVENTS_HEADER_BYTES, Wire.EVENTS_HEADER_BYTES + Wire.EVENT_BYTES * Wire.EVENTS_MAX, Role.RANK | Role.RELAY),
    LIVE(29, Wire.HEADER_BYTES, Wire.HEADER_BYTES, Role.RANK),
    LINK_HELLO(30, 70, Wire.FRAME_BYTES_MAX, Role.LINK),
    LINK_ACK(31, 48, 48, Role.LINK),
    LINK_PING(32, 24, 24, Role.LINK),
    LINK_PONG(33, 24, 24, Role.LINK),
    STATE(34, 24, Wire.FRAME_BYTES_MAX, Role.RANK | Role.RELAY),
    ACK(35, Wire.ACK_HEADER_BYTES, Wire.FRAME_BYTES_MAX, Role.RELAY),
    RESENT(36, Wire.MESSAGE_HEADER_BYTES, Wire.MESSAGE_HEADER_BYTES, Role.RANK | Role.LINK),
    POINT(37, 80, 80, Role.RANK | Role.RELAY),
    IMAGE(38, Wire.IMAGE_HEADER_BYTES + 1, Wire.IMAGE_HEADER_BYTES + Wire.PAYLOAD_BYTES_MAX, Role.RANK | Role.RELAY),
    LINK_REVOKED(39, Wire.HEADER_BYTES + 1, Wire.FRAME_BYTES_MAX, Role.LINK),
    AHEAD(40, 40, 40, Role.RANK),
    ENDED(41, 40, 40, Role.RELAY),
    LINK_RUN(42, 32, 32, Role.LINK),
    LINK_LANES(43, 24, 24, Role.LINK),
    LINK_REACH(45, 20, Wire.FRAME_BYTES_MAX, Role.LINK),
    STREAM_OPEN(46, 28, Wire.FRAME_BYTES_MAX, Role.LINK),
    STREAM_DATA(47, Wire.STREAM_HEADER_BYTES, Wire.STREAM_HEADER_BYTES + Wire.PAYLOAD_BYTES_MAX, Role.LINK),
    STREAM_TOKENS(48, Wire.STREAM_HEADER_BYTES, Wire.STREAM_HEADER_BYTES, Role.LINK),
    STREAM_END(49, 28, Wire.FRAME_BYTES_MAX, Role.LINK),
    LINK_PACKED(50, Wire.PACKED_HEADER_BYTES + 1, Wire.FRAME_BYTES_MAX, Role.LINK),
    JOB_KEPT(51, 40, 40, Role.LAUNCHER),
    LINK_CAME(52, 24, 24, Role.LINK),
    LINK_RATE(53, 24, 24, Role.LINK),
    IDENTIFY(54, 48, 48, Role.RANK | Role.LAUNCHER | Role.AGENT),
    CHALLENGE(55, 84, 84, Role.RELAY),
    PROOF(56, 48, 48, Role.RANK | Role.LAUNCHER | Role.AGENT),
    AGENT_OFFER(57, 72, Wire.FRAME_BYTES_MAX, Role.AGENT | Role.RELAY),
    NODES(58, Wire.HEADER_BYTES, Wire.FRAME_BYTES_MAX, Role.LAUNCHER | Role.RELAY),
    AGENT_MESSAGE(
            59, Wire.AGENT_HEADER_BYTES + 1, Wire.AGENT_HEADER_BYTES + Wire.PAYLOAD_BYTES_MAX, Role.LAUNCHER | Role.RELAY | Role.AGENT),
    AGENT_GONE(60, 26, Wire.FRAME_BYTES_MAX, Role.RELAY),
    AGENT_DRAIN(61, 26, 26, Role.LAUNCHER | Role.RELAY),
    AGENT_PING(62, 24, 24, Role.AGENT),
    AGENT_PONG(63, 24, 24, Role.RELAY),
    STAGE_ASK(64, 58, 58, Role.LAUNCHER | Role.AGENT),
    STAGE_ANSWER(65, 58, Wire.FRAME_BYTES_MAX, Role.RELAY),
    STAGE_DATA(
            66, Wire.STAGE_HEADER_BYTES + 1, Wire.STAGE_HEADER_BYTES + Wire.PAYLOAD_BYTES_MAX, Role.LAUNCHER | Role.RELAY),
    STAGE_TAKEN(67, 56, 56, Role.RELAY | Role.AGENT),
    JOB_SAVE(68, Wire.HEADER_BYTES, Wire.HEADER_BYTES, Role.LAUNCHER),
    AGENT_END(69, 26, 26, Role.LAUNCHER | Role.RELAY),
    JOB_CHECK(70, 18, 18, Role.AGENT | Role.RELAY),
    JOB_REPORT(71, 34, 34 + JobReport.TEXT_BYTES_MAX, Role.LAUNCHER),
    JOB_REPORTED(72, Wire.HEADER_BYTES, Wire.HEADER_BYTES, Role.RELAY),
    NAME_ASK(73, NamePage.HEADER_BYTES + 1, NamePage.HEADER_BYTES + NamePage.BYTES_MAX, Role.RANK | Role.LAUNCHER | Role.AGENT),
    NAME_ANSWER(74, NamePage.HEADER_BYTES + 1, NamePage.HEADER_BYTES + NamePage.BYTES_MAX, Role.RELAY),
    NAME_CHANGED(75, NamePage.HEADER_BYTES + 1, NamePage.HEADER_BYTES + NamePage.BYTES_MAX, Role.RELAY),
    JOB_JOIN(76, 78, Wire.FRAME_BYTES_MAX, Role.RANK),
    JOB_JOINED(77, 42, Wire.FRAME_BYTES_MAX, Role.RELAY),
    NODE_LIFETIMES(78, Wire.HEADER_BYTES, Wire.FRAME_BYTES_MAX, Role.LAUNCHER | Role.RELAY),
    RANK_FAILED(80, 24, 24, Role.RELAY | Role.LINK | Role.LAUNCHER),
    REVOKE(81, 24 + Long.BYTES, 24 + RankSet.BYTES_MAX, Role.RANK | Role.RELAY | Role.LINK),
    AGREE(82, 48 + 2 * Long.BYTES, 48 + 2 * RankSet.BYTES_MAX, Role.RANK | Role.LINK),
    AGREED(83, 48 + 2 * Long.BYTES, 48 + 2 * RankSet.BYTES_MAX, Role.RELAY | Role.LINK),
    CONFIRMED(
            90, Confirmed.HEADER_BYTES + Confirmed.MESSAGE_BYTES, Confirmed.HEADER_BYTES + Confirmed.MESSAGE_BYTES * Confirmed.MESSAGES_MAX, Role.RELAY),
    PROMOTED(91, 56, 56, Role.RELAY),
    GOSSIP(
            96, DetectorMessage.FRAME_HEADER_BYTES + 1, DetectorMessage.FRAME_HEADER_BYTES + DetectorMessage.BYTES_MAX, Role.RELAY | Role.LINK | Role.AGENT),
    DETECTOR_QUESTION(97, 40, 40, Role.LINK | Role.AGENT),
    DETECTOR_VERDICT(98, 36, 36, Role.RELAY | Role.LINK),
    DETECTOR_CHECK(99, 24, 24, Role.RELAY | Role.AGENT),
    JOINT_ENDED(100, 26, Wire.FRAME_BYTES_MAX, Role.RELAY);

    /** The role of the sending end of a connection. A set of roles is a bit mask. */
    public static final class Role {
        public static final int RANK = 1;
        public static final int LAUNCHER = 2;
        public static final int RELAY = 4;
        public static final int LINK = 8;
        public static final int AGENT = 16;

        private Role() {}
    }

    private static final FrameType[] BY_ID = new FrameType[128];

    static {
        for (FrameType type : values()) {
            BY_ID[type.id] = type;
        }
    }

    private final byte id;
    private final int bytesMin;
    private final int bytesMax;
    private final int senders;

    FrameType(int id, int bytesMin, int bytesMax, int senders) {
        this.id = (byte) id;
        this.bytesMin = bytesMin;
        this.bytesMax = bytesMax;
        this.senders = senders;
    }

    public byte id() {
        return id;
    }

    /** Shortest legal frame of this type, in bytes, header included. */
    public int bytesMin() {
        return bytesMin;
    }

    /** Longest legal frame of this type, in bytes, header included; equal to the shortest if its size is fixed. */
    public int bytesMax() {
        return bytesMax;
    }

    /** Whether an end in {@code role} (one of {@link Role}) may send this frame. */
    public boolean sentBy(int role) {
        return (senders & role) != 0;
    }

    /** The type with this wire id, or null if the id is unknown to version 2. */
    public static FrameType of(byte id) {
        return id >= 0 && id < BY_ID.length ? BY_ID[id] : null;
    }
}
