package org.posthouse.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Fuzz target: a receiver decodes any bytes or refuses them with a WireException. What it accepts can be encoded again
 * without a loss.
 */
public final class FrameFuzz {
    private FrameFuzz() {}

    /** Jazzer's entry ({@code make fuzz}). Runs the bytes as they are, and with the length that they have. */
    public static void fuzzerTestOneInput(byte[] bytes) {
        accepts(bytes);
        if (bytes.length >= Wire.HEADER_BYTES) {
            accepts(ByteBuffer.wrap(bytes.clone()).putInt(0, bytes.length).array());
        }
    }

    /** Whether the bytes are one frame. */
    static boolean accepts(byte[] bytes) {
        ByteBuffer frame = ByteBuffer.wrap(bytes);
        try {
            Object decoded = SampleFrames.decode(frame);
            if (decoded instanceof FrameView view) {
                assertThat(rewritten(view, frame)).as("%s, by its fields", view).isEqualTo(frame);
            } else {
                FrameType type = SampleFrames.view(frame).type();
                // A decoder ignores unknown features, and text is shortened: so the second frame is compared to the third.
                ByteBuffer second = encode(type, decoded);
                ByteBuffer third = encode(type, SampleFrames.decode(second));
                assertThat(third).as("%s", decoded).isEqualTo(second);
            }
            return true;
        } catch (WireException e) {
            assertThat(e.getMessage()).isNotBlank();
            return false;
        }
    }

    private static ByteBuffer encode(FrameType type, Object decoded) {
        return switch (type) {
            case HELLO -> ((Hello) decoded).encode();
            case IDENTIFY -> ((Identify) decoded).encode();
            case CHALLENGE -> ((Challenge) decoded).encode();
            case PROOF -> MutualProof.encode((Hmac) decoded);
            case WELCOME -> ((Welcome) decoded).encode();
            case ABORT, CLOSE, JOB_CLOSE -> ((CloseNotice) decoded).encode(type);
            case JOB_OPEN -> ((JobOpen) decoded).encode();
            case JOB_EVENT -> ((JobEvent) decoded).encode();
            case JOB_KEPT -> ((JobKept) decoded).encode();
            case JOB_REPORT -> ((JobReport) decoded).encode();
            case JOB_JOIN -> ((JobJoin) decoded).encode();
            case JOB_JOINED -> ((JobJoined) decoded).encode();
            case RANK_FAILED -> ((RankFailed) decoded).encode();
            case REVOKE -> ((Revocation) decoded).encode();
            case AGREE -> ((Agree) decoded).encode();
            case AGREED -> ((Agreed) decoded).encode();
            case CONFIRMED -> ((Confirmed) decoded).encode();
            case PROMOTED -> ((Promoted) decoded).encode();
            case JOINT_ENDED -> ((JointEnded) decoded).encode();
            case NAME_ASK, NAME_ANSWER, NAME_CHANGED -> namePage(type, (NamePage) decoded);
            case BLOCKED, MISMATCH -> ((BlockedReport) decoded).encode(type);
            case LINK_HELLO -> ((LinkHello) decoded).encode();
            case STATE -> ((StatePage) decoded).encode();
            case POINT -> ((CheckpointNotice) decoded).encode();
            case LINK_REACH -> ((LinkReach) decoded).encode();
            case STREAM_OPEN -> ((StreamOpen) decoded).encode();
            case STREAM_END -> ((StreamEnd) decoded).encode();
            case AGENT_OFFER -> ((AgentOffer) decoded).encode();
            case NODE_LIFETIMES -> ((NodeLifetimes) decoded).encode();
            case NODES -> ((NodesPage) decoded).encode();
            case AGENT_MESSAGE -> envelope((AgentEnvelope) decoded);
            case AGENT_GONE -> ((AgentGone) decoded).encode();
            case AGENT_END -> ((AgentEnd) decoded).encode();
            case JOB_CHECK -> ((JobCheck) decoded).encode();
            case AGENT_DRAIN -> ((AgentDrain) decoded).encode();
            case AGENT_PING, AGENT_PONG -> ((AgentPing) decoded).encode(type);
            case STAGE_ASK -> ((StageAsk) decoded).encode();
            case STAGE_ANSWER -> ((StageAnswer) decoded).encode();
            case STAGE_DATA -> ((StageData) decoded).encode();
            case STAGE_TAKEN -> ((StageTaken) decoded).encode();
            case GOSSIP -> ((Gossip) decoded).encode();
            case DETECTOR_QUESTION -> ((DetectorQuestion) decoded).encode();
            case DETECTOR_VERDICT -> ((DetectorVerdict) decoded).encode();
            case DETECTOR_CHECK -> ((DetectorCheck) decoded).encode();
            default -> throw new AssertionError(type);
        };
    }

    /** The frame, after a check of what its body would be as the only page. */
    private static ByteBuffer namePage(FrameType type, NamePage page) {
        try {
            if (type == FrameType.NAME_ASK) {
                NameAsk ask = NameAsk.decode(page.bytes());
                assertThat(NameAsk.decode(ask.encode())).isEqualTo(ask);
            } else {
                NameAnswer answer = NameAnswer.decode(page.bytes());
                ByteBuffer second = answer.encode(); // Its text may be cut.
                assertThat(NameAnswer.decode(second).encode()).isEqualTo(second);
            }
        } catch (WireException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
        return page.encode(type);
    }

    /** The frame, after a check of its body, which a relay does not read. */
    private static ByteBuffer envelope(AgentEnvelope envelope) {
        try {
            AgentMessage message = envelope.message();
            ByteBuffer second = message.encode();
            assertThat(AgentMessage.decode(second).encode()).as("%s", message).isEqualTo(second);
            if (message instanceof AgentMessage.Start start) {
                checkStart(start);
            }
        } catch (WireException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
        return envelope.encode();
    }

    private static void checkStart(AgentMessage.Start start) throws WireException {
        Optional<StartSpec> spec = new StartAssembly().add(start);
        if (spec.isPresent()) {
            ByteBuffer second = spec.get().encode();
            assertThat(StartSpec.decode(second).encode()).as("%s", spec).isEqualTo(second);
        }
    }

    /** A frame with the same fields and payload, written by the setters. */
    private static ByteBuffer rewritten(FrameView from, ByteBuffer frame) {
        int headerBytes = SampleFrames.headerBytes(from.type());
        ByteBuffer copy = ByteBuffer.allocate(from.length());
        FrameView to = SampleFrames.view(copy).begin(from.type(), headerBytes, from.job()).length(from.length()).flags(from.flags());
        copyFields(from, to);
        copy.put(headerBytes, frame, headerBytes, from.length() - headerBytes);
        return copy;
    }

    private static void copyFields(FrameView from, FrameView to) {
        switch (from.type()) {
            case SEND, EAGER, OFFER, DELIVERED, PROBE_ANSWER, RESENT -> copyAddress(from, to).sequence(from.sequence())
                    .content(from.messageBytes(), from.elements(), from.datatype()).request(from.request()).failedPolls(from.failedPolls());
            case CHUNK, CLEAR -> copyAddress(from, to).sequence(from.sequence()).offset(from.offset());
            case POST, PROBE, CANCEL, WITHDRAW, WITHDRAWN -> copyAddress(from, to).ordinal(from.ordinal()).post(from.postRequest(), from.postFailedPolls());
            case CREDIT -> to.credit(from.creditBytes(), from.creditMessages(), from.creditRank());
            case FINALIZE, POLLS -> to.finalizeFailedPolls(from.finalizeFailedPolls());
            case EVENTS -> to.events(from.firstEvent(), from.events(), from.eventsFailedPolls());
            case ACK -> to.ack(from.safe(), from.handled());
            case IMAGE -> to.image(from.linkWord(0), from.imageOffset());
            case AHEAD, ENDED -> to.round(from.context(), from.round(), from.destination(), from.endReason(), from.pushedCost());
            case CANCELLED -> to.cancelledRequest(from.cancelledRequest());
            case STREAM_DATA, STREAM_TOKENS -> to.stream(from.stream(), from.streamTokens());
            case LINK_PACKED -> to.linkWord(0, from.linkWord(0)).linkWord(1, from.linkWord(1)).packed(from.packedBytes(), from.packedFrames());
            case LINK_ACK, LINK_PING, LINK_PONG, LINK_RUN, LINK_LANES, LINK_CAME, LINK_RATE -> {
                for (int place = 0; Wire.HEADER_BYTES + place * Long.BYTES < from.length(); place++) {
                    to.linkWord(place, from.linkWord(place));
                }
            }
            case JOB_OPENED, JOB_SAVE, JOB_REPORTED, MOVE, LIVE, LINK_REVOKED -> {}
            default -> throw new AssertionError(from.type());
        }
    }

    private static FrameView copyAddress(FrameView from, FrameView to) {
        return to.address(from.context(), from.source(), from.destination(), from.tag());
    }
}
