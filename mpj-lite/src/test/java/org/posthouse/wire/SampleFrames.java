package org.posthouse.wire;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** One frame of every type, with a value of its own in every field. What golden bytes and fuzz start from. */
final class SampleFrames {
    static final long JOB = 0x0102030405060708L;
    static final Token TOKEN = new Token(0xa1a2a3a4a5a6a7a8L, 0xb1b2b3b4b5b6b7b8L);
    static final List<HomeRelay> HOMES = List.of(new HomeRelay("lyon", "r1", "h:1"), new HomeRelay("köln", "r2", "h:2"));
    static final Hello HELLO = new Hello(Hello.RANK, JOB, 3, 2, Hello.AGAIN, 0x1112, 0x2122, 0x3132, 0x4142, 5, 6);
    static final Identify IDENTIFY = new Identify(Hello.RANK, JOB, 3, new Nonce(TOKEN.high(), TOKEN.low()));
    static final Hmac PROOF = new Hmac(0x31, 0x32, 0x33, 0x34);
    static final Challenge CHALLENGE =
            new Challenge(new Nonce(0x41, 0x42), PROOF, Optional.of(new InetSocketAddress("10.1.2.3", 7_411)));
    static final Welcome WELCOME = new Welcome(
            JOB, 3, 2, 0x1000000, 0x4000, Durability.PROCESS, 0x1112, 0x3132, 5, 6, 7, 1, HOMES, new int[] {0, 1, 1}, new int[0]);
    static final StatePage STATE = new StatePage(
            JOB, 4, List.of(new StatePage.Entry(StatePage.SENT, 5, 6, 7), new StatePage.Entry(StatePage.GONE, 8, 9, 10, 11, 12)));
    static final JobOpen JOB_OPEN = new JobOpen(JOB, TOKEN, Durability.PROCESS, false, "pi", HOMES, new int[] {0, 1, 1}, 86_400, true);
    static final JobReport JOB_REPORT = new JobReport(JOB, JobReport.ERR, 3, 0x38, "oh\n");
    static final NamedRecord NAMED = new NamedRecord("a/b", 0x34, 0x35, true, new TreeMap<>(Map.of("k", "v")));
    static final NameAsk NAME_ASK = new NameAsk(NameAsk.Operation.SWAP, "a/b", 0x31, 0x32, 0x33, "a", NAMED.fields());
    static final NameAnswer NAME_ANSWER = new NameAnswer(NameAnswer.Status.CONFLICT, "why", 0x36, List.of(NAMED), true);
    static final JobJoin JOB_JOIN = new JobJoin(
            JOB, 0x71, 2, new JobJoin.Part(0x72, new int[] {4, 0}), new JobJoin.Part(JOB, new int[] {5}), HOMES, new int[] {0, 0, 1});
    static final JobJoined JOB_JOINED = new JobJoined(JOB, 0x71, TOKEN, "no");
    static final JointEnded JOINT_ENDED = new JointEnded(JOB, 0x71, "gone");
    static final RankFailed RANK_FAILED = new RankFailed(JOB, 3, 2);
    static final Revocation REVOCATION = new Revocation(JOB, 0x12, ranks(1, 65));
    static final Agree AGREE = new Agree(JOB, 0x12, 5, 0x13, Agree.Kind.SHRINK, 0x14, ranks(1, 5), ranks(1));
    static final Agreed AGREED = new Agreed(
            JOB, 0x12, 0x13, Agree.Kind.SHRINK, 0x14, 0x15, true, ranks(1, 5), ranks(5));
    static final Confirmed CONFIRMED = new Confirmed(
            JOB, List.of(new Confirmed.Message(0x11, 0x12, 0x15), new Confirmed.Message(0x13, 0x14, 0x16)));
    static final Promoted PROMOTED = new Promoted(JOB, 3, 0x1000000, 0x4000, 0x1112, 0x3132, 5);
    static final JobKept JOB_KEPT = new JobKept(JOB, 3, 2, 0x36, 0x37);
    static final JobEvent JOB_EVENT = new JobEvent(JOB, JobEvent.LOST, 3, 14, 0x51, 0x61, "gone");
    static final CheckpointNotice POINT = new CheckpointNotice(JOB, CheckpointNotice.Kind.SAVE, 0x19, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37);
    static final LinkHello LINK_HELLO = new LinkHello("lyon", "r1", "köln", 0x31, 0x32, 2, 0x33, 0x34, 0x35, true, false);
    static final BlockedReport STALL = new BlockedReport(JOB, 0x11, 0x61626364, 0x15, 0x12, 0x13, "why");
    static final LinkReach LINK_REACH = new LinkReach(List.of(
            new LinkReach.Entry("b", 0x36, 0x37, List.of()), new LinkReach.Entry("c/2", 0x38, 0x39, List.of("b"))));
    static final StreamOpen STREAM_OPEN = new StreamOpen(0x71, 0x72, "group");
    static final StreamEnd STREAM_END = new StreamEnd(0x71, CloseReason.SITE_UNREACHABLE, "no");
    static final long AGENT = 0x8182838485868788L;
    static final AgentOffer OFFER = new AgentOffer(
            AGENT, "n1", "f00d", 0x41, 0x31, 4, 2, 0x42, 0x43, 0x44, true, "1.0", new TreeMap<>(Map.of("gpu", "a", "rack", "b")));
    static final NodesPage NODES = new NodesPage(2, List.of(OFFER));
    static final NodeLifetimes NODE_LIFETIMES = new NodeLifetimes(
            2, List.of(new NodeLifetimes.Lifetime(0x45, NodeLifetimes.State.FAILED), new NodeLifetimes.Lifetime(0x46, NodeLifetimes.State.LEFT)));
    static final AgentEnvelope AGENT_MESSAGE = AgentEnvelope.of(JOB, AGENT, 0x91, new AgentMessage.Exited(3, 2, 0x92));
    static final AgentGone AGENT_GONE = new AgentGone(AGENT, "why");
    static final AgentEnd AGENT_END = new AgentEnd(AGENT, true);
    static final JobCheck JOB_CHECK = new JobCheck(JOB, true);
    static final AgentDrain AGENT_DRAIN = new AgentDrain(AGENT, true);
    static final AgentPing AGENT_PING = new AgentPing(0x93);
    static final Gossip GOSSIP = new Gossip(JOB, AGENT, 1, 2, new DetectorMessage.Ack(0xa1, 3, List.of()).encode());
    static final DetectorQuestion DETECTOR_QUESTION = new DetectorQuestion(JOB, AGENT, 1, 0xa2, 2, 500);
    static final DetectorVerdict DETECTOR_VERDICT = new DetectorVerdict(JOB, AGENT, 0xa2, 2, true);
    static final DetectorCheck DETECTOR_CHECK = new DetectorCheck(AGENT);
    static final ContentHash HASH = new ContentHash(0x31, 0x32, 0x33, 0x34);
    static final StageAsk STAGE_ASK = new StageAsk(HASH, 0x94, true);
    static final StageAnswer STAGE_ANSWER = StageAnswer.refused(HASH, "full");
    static final StageData STAGE_DATA = new StageData(HASH, 0x95, ByteBuffer.wrap(new byte[] {(byte) 0xc1, (byte) 0xc2}));
    static final StageTaken STAGE_TAKEN = new StageTaken(HASH, 0x96);
    static final CloseNotice ABORT = new CloseNotice(JOB, 3, 1, "why");
    static final CloseNotice CLOSE = CloseNotice.closing(JOB, CloseReason.FENCED, "old");
    static final CloseNotice JOB_CLOSE = new CloseNotice(JOB, 0, -1, "");

    private SampleFrames() {}

    private static BitSet ranks(int... ranks) {
        BitSet set = new BitSet();
        for (int rank : ranks) {
            set.set(rank);
        }
        return set;
    }

    static Map<FrameType, ByteBuffer> all() {
        Map<FrameType, ByteBuffer> frames = new EnumMap<>(FrameType.class);
        for (FrameType type : FrameType.values()) {
            frames.put(type, of(type));
        }
        return frames;
    }

    /** The bytes of one frame of every type. */
    static List<byte[]> bytes() {
        return all().values().stream().map(frame -> Arrays.copyOf(frame.array(), frame.limit())).toList();
    }

    static ByteBuffer of(FrameType type) {
        return switch (type) {
            case HELLO -> HELLO.encode();
            case IDENTIFY -> IDENTIFY.encode();
            case CHALLENGE -> CHALLENGE.encode();
            case PROOF -> MutualProof.encode(PROOF);
            case WELCOME -> WELCOME.encode();
            case SEND, DELIVERED -> message(type, 4);
            case EAGER, OFFER, PROBE_ANSWER, RESENT -> message(type, 0);
            case CLEAR -> transfer(type, 0);
            case CHUNK -> transfer(type, 4);
            case POST, PROBE, CANCEL -> post(type);
            case CANCELLED -> cancelled();
            case WITHDRAW, WITHDRAWN -> withdrawal(type);
            case CREDIT -> credit();
            case FINALIZE, POLLS -> polls(type);
            case ABORT -> ABORT.encode(type);
            case CLOSE -> CLOSE.encode(type);
            case JOB_OPEN -> JOB_OPEN.encode();
            case JOB_OPENED, JOB_SAVE, JOB_REPORTED, MOVE, LIVE -> fixed(type, Wire.HEADER_BYTES, 0);
            case JOB_EVENT -> JOB_EVENT.encode();
            case JOB_KEPT -> JOB_KEPT.encode();
            case JOB_REPORT -> JOB_REPORT.encode();
            case JOB_JOIN -> JOB_JOIN.encode();
            case JOB_JOINED -> JOB_JOINED.encode();
            case JOINT_ENDED -> JOINT_ENDED.encode();
            case RANK_FAILED -> RANK_FAILED.encode();
            case REVOKE -> REVOCATION.encode();
            case AGREE -> AGREE.encode();
            case AGREED -> AGREED.encode();
            case CONFIRMED -> CONFIRMED.encode();
            case PROMOTED -> PROMOTED.encode();
            case NAME_ASK -> namePage(type, NAME_ASK.encode());
            case NAME_ANSWER, NAME_CHANGED -> namePage(type, NAME_ANSWER.encode());
            case JOB_CLOSE -> JOB_CLOSE.encode(type);
            case BLOCKED, MISMATCH -> STALL.encode(type);
            case EVENTS -> events();
            case STATE -> STATE.encode();
            case ACK -> ack();
            case POINT -> POINT.encode();
            case IMAGE -> image();
            case AHEAD, ENDED -> round(type);
            case LINK_HELLO -> LINK_HELLO.encode();
            case LINK_REVOKED -> fixed(type, Wire.HEADER_BYTES, 4);
            case LINK_ACK, LINK_PING, LINK_PONG, LINK_RUN, LINK_LANES, LINK_CAME, LINK_RATE -> link(type);
            case LINK_REACH -> LINK_REACH.encode();
            case STREAM_OPEN -> STREAM_OPEN.encode();
            case STREAM_DATA, STREAM_TOKENS -> stream(type);
            case STREAM_END -> STREAM_END.encode();
            case LINK_PACKED -> packed();
            case AGENT_OFFER -> OFFER.encode();
            case NODES -> NODES.encode();
            case NODE_LIFETIMES -> NODE_LIFETIMES.encode();
            case AGENT_MESSAGE -> AGENT_MESSAGE.encode();
            case AGENT_GONE -> AGENT_GONE.encode();
            case AGENT_DRAIN -> AGENT_DRAIN.encode();
            case AGENT_END -> AGENT_END.encode();
            case JOB_CHECK -> JOB_CHECK.encode();
            case AGENT_PING, AGENT_PONG -> AGENT_PING.encode(type);
            case STAGE_ASK -> STAGE_ASK.encode();
            case STAGE_ANSWER -> STAGE_ANSWER.encode();
            case STAGE_DATA -> STAGE_DATA.encode();
            case STAGE_TAKEN -> STAGE_TAKEN.encode();
            case GOSSIP -> GOSSIP.encode();
            case DETECTOR_QUESTION -> DETECTOR_QUESTION.encode();
            case DETECTOR_VERDICT -> DETECTOR_VERDICT.encode();
            case DETECTOR_CHECK -> DETECTOR_CHECK.encode();
        };
    }

    /** Bytes of a frame of this type before its payload, if receivers read its fields in place. */
    static int headerBytes(FrameType type) {
        return switch (type) {
            case SEND, DELIVERED -> Wire.MESSAGE_HEADER_BYTES;
            case CHUNK -> Wire.CHUNK_HEADER_BYTES;
            case EVENTS -> Wire.EVENTS_HEADER_BYTES;
            case ACK -> Wire.ACK_HEADER_BYTES;
            case IMAGE -> Wire.IMAGE_HEADER_BYTES;
            case LINK_REVOKED -> Wire.HEADER_BYTES;
            case LINK_PACKED -> Wire.PACKED_HEADER_BYTES;
            default -> type.bytesMin();
        };
    }

    private static ByteBuffer packed() {
        ByteBuffer frame = fixed(FrameType.LINK_PACKED, Wire.PACKED_HEADER_BYTES, 4);
        view(frame).linkWord(0, 0x4142434445464748L).linkWord(1, 0x4142434445464749L).packed(0x30, 2);
        return frame;
    }

    private static ByteBuffer fixed(FrameType type, int headerBytes, int payloadBytes) {
        ByteBuffer frame = ByteBuffer.allocate(headerBytes + payloadBytes);
        view(frame).begin(type, headerBytes, JOB).length(headerBytes + payloadBytes);
        for (int i = 0; i < payloadBytes; i++) {
            frame.put(headerBytes + i, (byte) (0xc1 + i));
        }
        return frame;
    }

    private static ByteBuffer message(FrameType type, int payloadBytes) {
        ByteBuffer frame = fixed(type, Wire.MESSAGE_HEADER_BYTES, payloadBytes);
        boolean answer = type == FrameType.DELIVERED || type == FrameType.PROBE_ANSWER || type == FrameType.RESENT;
        view(frame)
                .flags(
                        switch (type) {
                            case PROBE_ANSWER -> FrameView.FOUND;
                            case EAGER -> FrameView.AGAIN;
                            default -> 0;
                        })
                .address(0x11, 0x12, 0x13, 0x14)
                .sequence(0x15)
                .content(payloadBytes == 0 ? 0x20000 : payloadBytes, 0x16, 0x17)
                .request(answer ? 0x18 : 0)
                .failedPolls(answer && type != FrameType.RESENT ? 0 : 0x19);
        return frame;
    }

    private static ByteBuffer transfer(FrameType type, int payloadBytes) {
        ByteBuffer frame = fixed(type, Wire.CHUNK_HEADER_BYTES, payloadBytes);
        view(frame).address(0x11, 0x12, 0x13, 0).sequence(0x15).offset(0x10000);
        return frame;
    }

    private static ByteBuffer post(FrameType type) {
        ByteBuffer frame = fixed(type, 48, 0);
        view(frame)
                .flags(type == FrameType.PROBE ? FrameView.BLOCKING : 0)
                .address(0x11, Wire.ANY, 0x13, 0x14)
                .ordinal(type == FrameType.PROBE ? 0 : 0x15)
                .post(0x18, 0x19);
        return frame;
    }

    private static ByteBuffer cancelled() {
        ByteBuffer frame = fixed(FrameType.CANCELLED, 24, 0);
        view(frame).flags(FrameView.FOUND).cancelledRequest(0x18);
        return frame;
    }

    private static ByteBuffer withdrawal(FrameType type) {
        boolean answer = type == FrameType.WITHDRAWN;
        ByteBuffer frame = fixed(type, 48, 0);
        view(frame)
                .flags(answer ? FrameView.FOUND : 0)
                .address(0x11, 0x12, 0x13, 0)
                .sequence(0x15)
                .post(0, answer ? 0 : 0x19);
        return frame;
    }

    private static ByteBuffer namePage(FrameType type, ByteBuffer body) {
        return NamePage.encode(type, JOB, 0x37, body).get(0);
    }

    private static ByteBuffer credit() {
        ByteBuffer frame = fixed(FrameType.CREDIT, 32, 0);
        view(frame).credit(0x100000, 0x40, 3);
        return frame;
    }

    private static ByteBuffer events() {
        ByteBuffer frame = fixed(FrameType.EVENTS, Wire.EVENTS_HEADER_BYTES, 2 * Wire.EVENT_BYTES);
        view(frame).flags(FrameView.ACK_NOW).events(0x1a, 2, 0x19);
        return frame;
    }

    private static ByteBuffer ack() {
        ByteBuffer frame = fixed(FrameType.ACK, Wire.ACK_HEADER_BYTES, 2 * Long.BYTES);
        view(frame).ack(0x1b, 0x1c).firstUnsafe(0, 0x1d).firstUnsafe(1, 0x1c);
        return frame;
    }

    private static ByteBuffer image() {
        ByteBuffer frame = fixed(FrameType.IMAGE, Wire.IMAGE_HEADER_BYTES, 4);
        view(frame).image(0x31, 0x10000);
        return frame;
    }

    private static ByteBuffer round(FrameType type) {
        boolean asks = type == FrameType.AHEAD;
        ByteBuffer frame = fixed(type, 40, 0);
        view(frame).flags(asks ? FrameView.END : 0).round(0x11, 0x31, 0x13, asks ? 0 : 2, 0x40000);
        return frame;
    }

    private static ByteBuffer polls(FrameType type) {
        ByteBuffer frame = fixed(type, 24, 0);
        view(frame).finalizeFailedPolls(0x19);
        return frame;
    }

    private static ByteBuffer link(FrameType type) {
        ByteBuffer frame = fixed(type, type.bytesMin(), 0);
        for (int place = 0; Wire.HEADER_BYTES + place * Long.BYTES < type.bytesMin(); place++) {
            view(frame).linkWord(place, 0x4142434445464748L + place);
        }
        return frame;
    }

    private static ByteBuffer stream(FrameType type) {
        boolean data = type == FrameType.STREAM_DATA;
        ByteBuffer frame = fixed(type, Wire.STREAM_HEADER_BYTES, data ? 4 : 0);
        view(frame).flags(data ? FrameView.END : FrameView.HANDED_OVER).stream(0x71, data ? 0 : 0x72);
        return frame;
    }

    static FrameView view(ByteBuffer frame) {
        return new FrameView().wrap(frame, 0);
    }

    /** Checks and decodes a frame as its receiver does. */
    static Object decode(ByteBuffer frame) throws WireException {
        FrameView view = view(frame);
        int length = view.checkHeader(frame.limit());
        if (length == 0 || length != frame.limit()) {
            throw new WireException(CloseReason.MALFORMED_FRAME, "length " + length + " of " + frame.limit());
        }
        return switch (view.type()) {
            case HELLO -> Hello.decode(frame);
            case IDENTIFY -> Identify.decode(frame);
            case CHALLENGE -> Challenge.decode(frame);
            case PROOF -> MutualProof.decode(frame);
            case WELCOME -> Welcome.decode(frame);
            case ABORT, CLOSE, JOB_CLOSE -> CloseNotice.decode(frame);
            case JOB_OPEN -> JobOpen.decode(frame);
            case JOB_EVENT -> JobEvent.decode(frame);
            case JOB_KEPT -> JobKept.decode(frame);
            case JOB_REPORT -> JobReport.decode(frame);
            case JOB_JOIN -> JobJoin.decode(frame);
            case JOB_JOINED -> JobJoined.decode(frame);
            case RANK_FAILED -> RankFailed.decode(frame);
            case REVOKE -> Revocation.decode(frame);
            case AGREE -> Agree.decode(frame);
            case AGREED -> Agreed.decode(frame);
            case CONFIRMED -> Confirmed.decode(frame);
            case PROMOTED -> Promoted.decode(frame);
            case JOINT_ENDED -> JointEnded.decode(frame);
            case NAME_ASK, NAME_ANSWER, NAME_CHANGED -> NamePage.decode(frame);
            case BLOCKED, MISMATCH -> BlockedReport.decode(frame);
            case LINK_HELLO -> LinkHello.decode(frame);
            case STATE -> StatePage.decode(frame);
            case POINT -> CheckpointNotice.decode(frame);
            case LINK_REACH -> LinkReach.decode(frame);
            case STREAM_OPEN -> StreamOpen.decode(frame);
            case STREAM_END -> StreamEnd.decode(frame);
            case AGENT_OFFER -> AgentOffer.decode(frame);
            case NODES -> NodesPage.decode(frame);
            case NODE_LIFETIMES -> NodeLifetimes.decode(frame);
            case AGENT_MESSAGE -> AgentEnvelope.decode(frame);
            case AGENT_GONE -> AgentGone.decode(frame);
            case AGENT_DRAIN -> AgentDrain.decode(frame);
            case AGENT_END -> AgentEnd.decode(frame);
            case JOB_CHECK -> JobCheck.decode(frame);
            case AGENT_PING, AGENT_PONG -> AgentPing.decode(frame);
            case STAGE_ASK -> StageAsk.decode(frame);
            case STAGE_ANSWER -> StageAnswer.decode(frame);
            case STAGE_DATA -> StageData.decode(frame);
            case STAGE_TAKEN -> StageTaken.decode(frame);
            case GOSSIP -> gossip(Gossip.decode(frame));
            case DETECTOR_QUESTION -> DetectorQuestion.decode(frame);
            case DETECTOR_VERDICT -> DetectorVerdict.decode(frame);
            case DETECTOR_CHECK -> DetectorCheck.decode(frame);
            default -> view;
        };
    }

    private static Gossip gossip(Gossip gossip) throws WireException {
        DetectorMessage.decode(gossip.message());
        return gossip;
    }
}
