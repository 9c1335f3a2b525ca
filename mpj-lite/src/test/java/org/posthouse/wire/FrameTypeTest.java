package org.posthouse.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.posthouse.wire.FrameType.Role.AGENT;
import static org.posthouse.wire.FrameType.Role.LAUNCHER;
import static org.posthouse.wire.FrameType.Role.LINK;
import static org.posthouse.wire.FrameType.Role.RANK;
import static org.posthouse.wire.FrameType.Role.RELAY;

import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ids, senders and lengths, written down a second time: a change here is a change of the protocol. */
final class FrameTypeTest {
    private static final Map<FrameType, Integer> SENDERS = new EnumMap<>(FrameType.class);

    static {
        SENDERS.put(FrameType.HELLO, RANK | LAUNCHER | AGENT);
        SENDERS.put(FrameType.WELCOME, RELAY);
        SENDERS.put(FrameType.SEND, RANK | LINK);
        SENDERS.put(FrameType.EAGER, RANK | LINK);
        SENDERS.put(FrameType.OFFER, RANK | LINK);
        SENDERS.put(FrameType.CLEAR, RELAY | LINK);
        SENDERS.put(FrameType.CHUNK, RANK | RELAY | LINK);
        SENDERS.put(FrameType.POST, RANK);
        SENDERS.put(FrameType.DELIVERED, RELAY);
        SENDERS.put(FrameType.PROBE, RANK);
        SENDERS.put(FrameType.PROBE_ANSWER, RELAY);
        SENDERS.put(FrameType.CREDIT, RELAY | LINK);
        SENDERS.put(FrameType.FINALIZE, RANK | RELAY);
        SENDERS.put(FrameType.ABORT, RANK | RELAY);
        SENDERS.put(FrameType.CLOSE, RANK | LAUNCHER | RELAY | LINK | AGENT);
        SENDERS.put(FrameType.CANCEL, RANK);
        SENDERS.put(FrameType.CANCELLED, RELAY);
        SENDERS.put(FrameType.WITHDRAW, RANK | LINK);
        SENDERS.put(FrameType.WITHDRAWN, RELAY | LINK);
        SENDERS.put(FrameType.JOB_OPEN, LAUNCHER);
        SENDERS.put(FrameType.JOB_OPENED, RELAY);
        SENDERS.put(FrameType.JOB_EVENT, RELAY);
        SENDERS.put(FrameType.JOB_CLOSE, LAUNCHER);
        SENDERS.put(FrameType.BLOCKED, RANK | LINK);
        SENDERS.put(FrameType.MISMATCH, RELAY | LINK);
        SENDERS.put(FrameType.POLLS, RANK);
        SENDERS.put(FrameType.MOVE, RANK | RELAY);
        SENDERS.put(FrameType.EVENTS, RANK | RELAY);
        SENDERS.put(FrameType.LIVE, RANK);
        SENDERS.put(FrameType.LINK_HELLO, LINK);
        SENDERS.put(FrameType.LINK_ACK, LINK);
        SENDERS.put(FrameType.LINK_PING, LINK);
        SENDERS.put(FrameType.LINK_PONG, LINK);
        SENDERS.put(FrameType.STATE, RANK | RELAY);
        SENDERS.put(FrameType.ACK, RELAY);
        SENDERS.put(FrameType.RESENT, RANK | LINK);
        SENDERS.put(FrameType.POINT, RANK | RELAY);
        SENDERS.put(FrameType.IMAGE, RANK | RELAY);
        SENDERS.put(FrameType.LINK_REVOKED, LINK);
        SENDERS.put(FrameType.AHEAD, RANK);
        SENDERS.put(FrameType.ENDED, RELAY);
        SENDERS.put(FrameType.LINK_RUN, LINK);
        SENDERS.put(FrameType.LINK_LANES, LINK);
        SENDERS.put(FrameType.LINK_PACKED, LINK);
        SENDERS.put(FrameType.JOB_KEPT, LAUNCHER);
        SENDERS.put(FrameType.LINK_CAME, LINK);
        SENDERS.put(FrameType.LINK_RATE, LINK);
        SENDERS.put(FrameType.IDENTIFY, RANK | LAUNCHER | AGENT);
        SENDERS.put(FrameType.CHALLENGE, RELAY);
        SENDERS.put(FrameType.PROOF, RANK | LAUNCHER | AGENT);
        SENDERS.put(FrameType.LINK_REACH, LINK);
        SENDERS.put(FrameType.STREAM_OPEN, LINK);
        SENDERS.put(FrameType.STREAM_DATA, LINK);
        SENDERS.put(FrameType.STREAM_TOKENS, LINK);
        SENDERS.put(FrameType.STREAM_END, LINK);
        SENDERS.put(FrameType.AGENT_OFFER, AGENT | RELAY);
        SENDERS.put(FrameType.NODES, LAUNCHER | RELAY);
        SENDERS.put(FrameType.NODE_LIFETIMES, LAUNCHER | RELAY);
        SENDERS.put(FrameType.AGENT_MESSAGE, LAUNCHER | RELAY | AGENT);
        SENDERS.put(FrameType.AGENT_GONE, RELAY);
        SENDERS.put(FrameType.AGENT_DRAIN, LAUNCHER | RELAY);
        SENDERS.put(FrameType.AGENT_PING, AGENT);
        SENDERS.put(FrameType.AGENT_PONG, RELAY);
        SENDERS.put(FrameType.STAGE_ASK, LAUNCHER | AGENT);
        SENDERS.put(FrameType.STAGE_ANSWER, RELAY);
        SENDERS.put(FrameType.STAGE_DATA, LAUNCHER | RELAY);
        SENDERS.put(FrameType.STAGE_TAKEN, RELAY | AGENT);
        SENDERS.put(FrameType.JOB_SAVE, LAUNCHER);
        SENDERS.put(FrameType.JOB_REPORTED, RELAY);
        SENDERS.put(FrameType.JOB_REPORT, LAUNCHER);
        SENDERS.put(FrameType.AGENT_END, LAUNCHER | RELAY);
        SENDERS.put(FrameType.JOB_CHECK, AGENT | RELAY);
        SENDERS.put(FrameType.NAME_ASK, RANK | LAUNCHER | AGENT);
        SENDERS.put(FrameType.NAME_ANSWER, RELAY);
        SENDERS.put(FrameType.NAME_CHANGED, RELAY);
        SENDERS.put(FrameType.JOB_JOIN, RANK);
        SENDERS.put(FrameType.JOB_JOINED, RELAY);
        SENDERS.put(FrameType.JOINT_ENDED, RELAY);
        SENDERS.put(FrameType.RANK_FAILED, LAUNCHER | RELAY | LINK);
        SENDERS.put(FrameType.REVOKE, RANK | RELAY | LINK);
        SENDERS.put(FrameType.AGREE, RANK | LINK);
        SENDERS.put(FrameType.AGREED, RELAY | LINK);
        SENDERS.put(FrameType.CONFIRMED, RELAY);
        SENDERS.put(FrameType.PROMOTED, RELAY);
        SENDERS.put(FrameType.GOSSIP, RELAY | LINK | AGENT);
        SENDERS.put(FrameType.DETECTOR_QUESTION, LINK | AGENT);
        SENDERS.put(FrameType.DETECTOR_VERDICT, RELAY | LINK);
        SENDERS.put(FrameType.DETECTOR_CHECK, RELAY | AGENT);
    }

    @ParameterizedTest
    @EnumSource
    void isSentByItsSendersOnly(FrameType type) {
        for (int role : new int[] {RANK, LAUNCHER, RELAY, LINK, AGENT}) {
            assertThat(type.sentBy(role)).as("role %s", role).isEqualTo((SENDERS.get(type) & role) != 0);
        }
    }

    @ParameterizedTest
    @EnumSource
    void isFoundByItsId(FrameType type) {
        assertThat(FrameType.of(type.id())).isSameAs(type);
    }

    @Test
    void knowsNoOtherId() {
        int known = 0;
        for (int id = Byte.MIN_VALUE; id <= Byte.MAX_VALUE; id++) {
            known += FrameType.of((byte) id) == null ? 0 : 1;
        }
        assertThat(known).isEqualTo(FrameType.values().length);
    }

    @ParameterizedTest
    @EnumSource
    void hasLengthsInsideTheLimits(FrameType type) {
        assertThat(type.bytesMin()).isBetween(Wire.HEADER_BYTES, type.bytesMax());
        assertThat(type.bytesMax()).isLessThanOrEqualTo(type == FrameType.CHUNK ? Wire.CHUNK_FRAME_BYTES_MAX : Wire.FRAME_BYTES_MAX);
        assertThat(SampleFrames.of(type).limit()).isBetween(type.bytesMin(), type.bytesMax());
    }
}
