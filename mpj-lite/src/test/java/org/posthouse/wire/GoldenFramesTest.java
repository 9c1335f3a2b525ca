package org.posthouse.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The bytes of one frame of every type. They change only together with the protocol's version. */
final class GoldenFramesTest {
    private static final Map<FrameType, String> GOLDEN = new EnumMap<>(FrameType.class);

    static {
        GOLDEN.put(
                FrameType.HELLO,
                "0000004c 01000000 01020304 05060708 50485331 00020001 00000003 00000002 00000002 "
                        + "00000000 00001112 00000000 00002122 00000006 "
                        + "00000005 00000000 00003132 00000000 00004142");
        GOLDEN.put(
                FrameType.WELCOME,
                "00000085 02000000 01020304 05060708 50485331 00020001 00000003 00000002 00000001 "
                        + "00000000 01000000 00004000 00010000 00000000 00001112 00000000 00003132 00000005 "
                        + "00000000 00000006 00000000 00000007 00000002 00046c79 6f6e0002 72310003 683a3100 "
                        + "056bc3b6 6c6e0002 72320003 683a3200 00000300 00000100 01");
        GOLDEN.put(
                FrameType.SEND,
                "00000044 03000000 01020304 05060708 00000011 00000012 00000013 00000014 00000000 00000015 "
                        + "00000000 00000004 00000016 17000000 00000000 00000019 c1c2c3c4");
        GOLDEN.put(
                FrameType.EAGER,
                "00000040 04020000 01020304 05060708 00000011 00000012 00000013 00000014 00000000 "
                        + "00000015 00000000 00020000 00000016 17000000 00000000 00000019");
        GOLDEN.put(
                FrameType.OFFER,
                "00000040 05000000 01020304 05060708 00000011 00000012 00000013 00000014 00000000 00000015 "
                        + "00000000 00020000 00000016 17000000 00000000 00000019");
        GOLDEN.put(
                FrameType.CLEAR,
                "00000030 06000000 01020304 05060708 00000011 00000012 00000013 00000000 00000000 00000015 "
                        + "00000000 00010000");
        GOLDEN.put(
                FrameType.CHUNK,
                "00000034 07000000 01020304 05060708 00000011 00000012 00000013 00000000 00000000 00000015 "
                        + "00000000 00010000 c1c2c3c4");
        GOLDEN.put(
                FrameType.POST,
                "00000030 08000000 01020304 05060708 00000011 fffffffe 00000013 00000014 00000000 "
                        + "00000015 00000018 00000019");
        GOLDEN.put(
                FrameType.DELIVERED,
                "00000044 09000000 01020304 05060708 00000011 00000012 00000013 00000014 00000000 00000015 "
                        + "00000000 00000004 00000016 17000000 00000018 00000000 c1c2c3c4");
        GOLDEN.put(
                FrameType.PROBE,
                "00000030 0a010000 01020304 05060708 00000011 fffffffe 00000013 00000014 00000000 00000000 "
                        + "00000018 00000019");
        GOLDEN.put(
                FrameType.PROBE_ANSWER,
                "00000040 0b010000 01020304 05060708 00000011 00000012 00000013 00000014 00000000 00000015 "
                        + "00000000 00020000 00000016 17000000 00000018 00000000");
        GOLDEN.put(
                FrameType.CREDIT,
                "00000020 0c000000 01020304 05060708 00000000 00100000 00000040 00000003");
        GOLDEN.put(
                FrameType.FINALIZE,
                "00000018 0d000000 01020304 05060708 00000019 00000000");
        GOLDEN.put(
                FrameType.ABORT,
                "00000023 0e000000 01020304 05060708 00000003 00000001 00000000 00037768 790000");
        GOLDEN.put(
                FrameType.CLOSE,
                "00000023 0f000000 01020304 05060708 00000009 ffffffff 00000000 00036f6c 640000");
        GOLDEN.put(
                FrameType.CANCEL,
                "00000030 10000000 01020304 05060708 00000011 fffffffe 00000013 00000014 00000000 "
                        + "00000015 00000018 00000019");
        GOLDEN.put(
                FrameType.CANCELLED,
                "00000018 11010000 01020304 05060708 00000018 00000000");
        GOLDEN.put(
                FrameType.WITHDRAW,
                "00000030 12000000 01020304 05060708 00000011 00000012 00000013 00000000 00000000 00000015 "
                        + "00000000 00000019");
        GOLDEN.put(
                FrameType.WITHDRAWN,
                "00000030 13010000 01020304 05060708 00000011 00000012 00000013 00000000 00000000 00000015 "
                        + "00000000 00000000");
        GOLDEN.put(
                FrameType.JOB_OPEN,
                "00000059 14000000 01020304 05060708 a1a2a3a4 a5a6a7a8 b1b2b3b4 b5b6b7b8 00020001 00027069 "
                        + "00000002 00046c79 6f6e0002 72310003 683a3100 056bc3b6 6c6e0002 72320003 683a3200 00000300 "
                        + "00000100 01000151 80");
        GOLDEN.put(
                FrameType.JOB_OPENED,
                "00000010 15000000 01020304 05060708");
        GOLDEN.put(
                FrameType.JOB_REPORT,
                "00000025 47000000 01020304 05060708 00000003 00000003 00000000 00000038 00036f68 0a");
        GOLDEN.put(FrameType.JOB_REPORTED, "00000010 48000000 01020304 05060708");
        GOLDEN.put(
                FrameType.JOB_JOIN,
                "0000006d 4c000000 01020304 05060708 00000000 00000071 00000002 00000000 00000072 00000002 "
                        + "00000004 00000000 01020304 05060708 00000001 00000005 00000002 00046c79 6f6e0002 72310003 "
                        + "683a3100 056bc3b6 6c6e0002 72320003 683a3200 00000300 00000000 01");
        GOLDEN.put(
                FrameType.JOB_JOINED,
                "0000002c 4d000000 01020304 05060708 00000000 00000071 a1a2a3a4 a5a6a7a8 b1b2b3b4 b5b6b7b8 00026e6f");
        GOLDEN.put(FrameType.JOINT_ENDED, "0000001e 64000000 01020304 05060708 00000000 00000071 0004676f 6e65");
        GOLDEN.put(FrameType.RANK_FAILED, "00000018 50000000 01020304 05060708 00000003 00000002");
        GOLDEN.put(
                FrameType.REVOKE,
                "00000028 51000000 01020304 05060708 00000012 00000002 00000000 00000002 00000000 00000002");
        GOLDEN.put(
                FrameType.AGREE,
                "00000040 52000000 01020304 05060708 00000012 00000000 00000005 00000013 00000001 00000014 "
                        + "00000000 00000001 00000000 00000022 00000000 00000002");
        GOLDEN.put(
                FrameType.AGREED,
                "00000040 53000000 01020304 05060708 00000012 00000013 00000001 00000014 00000015 00000001 "
                        + "00000001 00000000 00000000 00000022 00000000 00000020");
        GOLDEN.put(
                FrameType.CONFIRMED,
                "00000038 5a000000 01020304 05060708 00000002 00000000 00000011 00000012 00000000 00000015 "
                        + "00000013 00000014 00000000 00000016");
        GOLDEN.put(
                FrameType.PROMOTED,
                "00000038 5b000000 01020304 05060708 00000003 00000005 00000000 01000000 00004000 00000000 "
                        + "00000000 00001112 00000000 00003132");
        GOLDEN.put(
                FrameType.NAME_ASK,
                "0000004b 49000000 01020304 05060708 00000000 00000037 00000000 03000000 03612f62 00000000 "
                        + "00000031 00000000 00000032 00000033 00000001 61000000 01000000 016b0000 000176");
        GOLDEN.put(
                FrameType.NAME_ANSWER,
                "00000053 4a000000 01020304 05060708 00000000 00000037 00000000 03000377 68790000 00360001 "
                        + "00000001 00000003 612f6200 00000000 00003400 00000000 00003500 01000000 01000000 016b0000 000176");
        GOLDEN.put(
                FrameType.NAME_CHANGED,
                "00000053 4b000000 01020304 05060708 00000000 00000037 00000000 03000377 68790000 00360001 "
                        + "00000001 00000003 612f6200 00000000 00003400 00000000 00003500 01000000 01000000 016b0000 000176");
        GOLDEN.put(FrameType.JOB_SAVE, "00000010 44000000 01020304 05060708");
        GOLDEN.put(
                FrameType.JOB_EVENT,
                "00000034 16000000 01020304 05060708 00000004 00000003 0000000e 00000000 00000051 "
                        + "00000000 00000061 0004676f 6e650000");
        GOLDEN.put(
                FrameType.JOB_CLOSE,
                "00000020 17000000 01020304 05060708 00000000 ffffffff 00000000 00000000");
        GOLDEN.put(
                FrameType.BLOCKED,
                "0000002f 18000000 01020304 05060708 00000011 00000012 00000000 61626364 00000015 00000013 "
                        + "00037768 790000");
        GOLDEN.put(
                FrameType.MISMATCH,
                "0000002f 19000000 01020304 05060708 00000011 00000012 00000000 61626364 00000015 00000013 "
                        + "00037768 790000");
        GOLDEN.put(
                FrameType.POLLS,
                "00000018 1a000000 01020304 05060708 00000019 00000000");
        GOLDEN.put(
                FrameType.MOVE,
                "00000010 1b000000 01020304 05060708");
        GOLDEN.put(
                FrameType.EVENTS,
                "00000040 1c010000 01020304 05060708 00000002 00000019 00000000 0000001a c1c2c3c4 "
                        + "c5c6c7c8 c9cacbcc cdcecfd0 d1d2d3d4 d5d6d7d8 d9dadbdc dddedfe0");
        GOLDEN.put(
                FrameType.LIVE,
                "00000010 1d000000 01020304 05060708");
        GOLDEN.put(
                FrameType.LINK_HELLO,
                "00000051 1e000000 00000000 00000000 50485331 00020102 00000000 00000031 00000000 00000032 "
                        + "00000000 00000034 00000000 00000035 00000000 00000033 00046c79 6f6e0002 72310005 6bc3b66c 6e");
        GOLDEN.put(
                FrameType.LINK_ACK,
                "00000030 1f000000 01020304 05060708 41424344 45464748 41424344 45464749 41424344 4546474a 41424344 4546474b");
        GOLDEN.put(
                FrameType.LINK_PING,
                "00000018 20000000 01020304 05060708 41424344 45464748");
        GOLDEN.put(
                FrameType.LINK_PONG,
                "00000018 21000000 01020304 05060708 41424344 45464748");
        GOLDEN.put(
                FrameType.STATE,
                "00000058 22000000 01020304 05060708 00000002 00000004 00000001 00000005 00000006 "
                        + "00000000 00000000 00000007 00000000 00000000 00000006 00000008 00000009 0000000a "
                        + "00000000 0000000b 00000000 0000000c");
        GOLDEN.put(
                FrameType.ACK,
                "00000030 23000000 01020304 05060708 00000000 0000001b 00000000 0000001c "
                        + "00000000 0000001d 00000000 0000001c");
        GOLDEN.put(
                FrameType.RESENT,
                "00000040 24000000 01020304 05060708 00000011 00000012 00000013 00000014 00000000 "
                        + "00000015 00000000 00020000 00000016 17000000 00000018 00000019");
        GOLDEN.put(
                FrameType.POINT,
                "00000050 25000000 01020304 05060708 00000002 00000019 00000000 00000031 00000000 00000032 "
                        + "00000000 00000033 00000000 00000034 00000000 00000035 00000000 00000036 00000000 00000037");
        GOLDEN.put(
                FrameType.IMAGE,
                "00000024 26000000 01020304 05060708 00000000 00000031 00000000 00010000 c1c2c3c4");
        GOLDEN.put(FrameType.LINK_REVOKED, "00000014 27000000 01020304 05060708 c1c2c3c4");
        GOLDEN.put(
                FrameType.AHEAD,
                "00000028 28010000 01020304 05060708 00000011 00000031 00000013 00000000 00000000 00040000");
        GOLDEN.put(
                FrameType.ENDED,
                "00000028 29000000 01020304 05060708 00000011 00000031 00000013 00000002 00000000 00040000");
        GOLDEN.put(
                FrameType.LINK_RUN,
                "00000020 2a000000 01020304 05060708 41424344 45464748 41424344 45464749");
        GOLDEN.put(
                FrameType.LINK_LANES,
                "00000018 2b000000 01020304 05060708 41424344 45464748");
        GOLDEN.put(
                FrameType.LINK_REACH,
                "0000003f 2d000000 00000000 00000000 0002 0000 0001 62 00000036 00000000 00000037 0000 0000 "
                        + "0003 632f32 00000038 00000000 00000039 0001 0000 0001 62");
        GOLDEN.put(FrameType.STREAM_OPEN, "00000021 2e000000 00000000 00000000 00000071 00000072 00056772 6f757000 00");
        GOLDEN.put(FrameType.STREAM_DATA, "0000001c 2f010000 01020304 05060708 00000071 00000000 c1c2c3c4");
        GOLDEN.put(FrameType.STREAM_TOKENS, "00000018 30010000 01020304 05060708 00000071 00000072");
        GOLDEN.put(FrameType.STREAM_END, "0000001e 31000000 00000000 00000000 00000071 00000011 00026e6f 0000");
        GOLDEN.put(
                FrameType.LINK_PACKED,
                "0000002c 32000000 01020304 05060708 41424344 45464748 41424344 45464749 00000030 00000002 c1c2c3c4");
        GOLDEN.put(
                FrameType.JOB_KEPT,
                "00000028 33000000 01020304 05060708 00000003 00000002 00000000 00000036 00000000 00000037");
        GOLDEN.put(FrameType.LINK_CAME, "00000018 34000000 01020304 05060708 41424344 45464748");
        GOLDEN.put(
                FrameType.IDENTIFY,
                "00000030 36000000 01020304 05060708 50485331 00020001 00000003 00000000 a1a2a3a4 a5a6a7a8 b1b2b3b4 b5b6b7b8");
        GOLDEN.put(
                FrameType.CHALLENGE,
                "00000054 37000000 00000000 00000000 00000000 00000041 00000000 00000042 00000000 00000031 00000000 00000032 "
                        + "00000000 00000033 00000000 00000034 00000000 00000000 0000ffff 0a010203 00001cf3");
        GOLDEN.put(
                FrameType.PROOF,
                "00000030 38000000 00000000 00000000 00000000 00000031 00000000 00000032 00000000 00000033 00000000 00000034");
        String offer = "81828384 85868788 00026e31 0004 66303064 00000041 00000031 00000004 00000002 00000042 00000000 00000043 "
                + "00000000 00000044 0001 0003 312e30 00000002 0003 677075 000161 0004 7261636b 000162";
        GOLDEN.put(FrameType.AGENT_OFFER, "00000062 39000000 00000000 00000000" + offer);
        GOLDEN.put(FrameType.NODES, "0000006a 3a000000 00000000 00000000 00000002 00000001" + offer);
        GOLDEN.put(
                FrameType.NODE_LIFETIMES,
                "0000002c 4e000000 00000000 00000000 00000002 00000002 00000000 00000045 0001 00000000 00000046 0002");
        GOLDEN.put(
                FrameType.AGENT_MESSAGE,
                "0000002d 3b000000 01020304 05060708 81828384 85868788 00000000 00000091 08 00000003 00000002 00000092");
        GOLDEN.put(FrameType.AGENT_GONE, "0000001d 3c000000 00000000 00000000 81828384 85868788 0003 776879");
        GOLDEN.put(FrameType.AGENT_END, "0000001a 45000000 00000000 00000000 81828384 85868788 0001");
        GOLDEN.put(FrameType.JOB_CHECK, "00000012 46000000 01020304 05060708 0001");
        GOLDEN.put(FrameType.AGENT_DRAIN, "0000001a 3d000000 00000000 00000000 81828384 85868788 0001");
        GOLDEN.put(FrameType.AGENT_PING, "00000018 3e000000 00000000 00000000 00000000 00000093");
        GOLDEN.put(FrameType.AGENT_PONG, "00000018 3f000000 00000000 00000000 00000000 00000093");
        String hash = "00000000 00000031 00000000 00000032 00000000 00000033 00000000 00000034";
        GOLDEN.put(FrameType.STAGE_ASK, "0000003a 40000000 00000000 00000000" + hash + "00000000 00000094 0001");
        GOLDEN.put(FrameType.STAGE_ANSWER, "0000003e 41000000 00000000 00000000" + hash + "ffffffff ffffffff 0004 66756c6c");
        GOLDEN.put(FrameType.STAGE_DATA, "0000003a 42000000 00000000 00000000" + hash + "00000000 00000095 c1c2");
        GOLDEN.put(FrameType.STAGE_TAKEN, "00000038 43000000 00000000 00000000" + hash + "00000000 00000096");
        GOLDEN.put(
                FrameType.GOSSIP, "00000028 60000000 01020304 05060708 81828384 85868788 0001 0002 04 00000000 000000a1 0003 00");
        GOLDEN.put(
                FrameType.DETECTOR_QUESTION,
                "00000028 61000000 01020304 05060708 81828384 85868788 0001 00000000 000000a2 0002 000001f4");
        GOLDEN.put(
                FrameType.DETECTOR_VERDICT, "00000024 62000000 01020304 05060708 81828384 85868788 00000000 000000a2 0002 0001");
        GOLDEN.put(FrameType.DETECTOR_CHECK, "00000018 63000000 00000000 00000000 81828384 85868788");
        GOLDEN.put(FrameType.LINK_RATE, "00000018 35000000 01020304 05060708 41424344 45464748");
    }

    @ParameterizedTest
    @EnumSource
    void isEncodedToTheGoldenBytes(FrameType type) {
        assertThat(hex(SampleFrames.of(type))).isEqualTo(GOLDEN.get(type).replace(" ", ""));
    }

    @ParameterizedTest
    @EnumSource
    void isReadFromTheGoldenBytes(FrameType type) throws WireException {
        ByteBuffer golden = ByteBuffer.wrap(HexFormat.of().parseHex(GOLDEN.get(type).replace(" ", "")));
        assertThat(SampleFrames.view(golden).checkHeader(golden.limit())).isEqualTo(golden.limit());
        assertThat(SampleFrames.view(golden).type()).isSameAs(type);
        assertThat(SampleFrames.view(golden).job()).isEqualTo(jobOf(type));
        assertThat(SampleFrames.decode(golden)).isNotNull();
    }

    /** Bit 0: point-to-point; bit 3: it waits for its message to be matched. */
    @Test
    void aRankThatWaitsForItsMessageToBeMatchedSaysSoInBit3() throws WireException {
        String golden = "0000002f18000000010203040506070800000011000000120000000061626364000000150000001300037768790009";
        BlockedReport sends = SampleFrames.STALL.with(BlockedReport.POINT_TO_POINT).with(BlockedReport.SENDS);
        assertThat(hex(sends.encode(FrameType.BLOCKED))).isEqualTo(golden);
        BlockedReport read = BlockedReport.decode(ByteBuffer.wrap(HexFormat.of().parseHex(golden)));
        assertThat(read).isEqualTo(sends);
        assertThat(read.waitsForMatch()).isTrue();
    }

    @Test
    void aSendThatIsMatchedBehindAnotherIsEvent19() throws WireException {
        String golden = "00000034160000000102030405060708000000130000000300000002000000000000005100000000000000610004" + "53656e64" + "0000";
        JobEvent behind = new JobEvent(SampleFrames.JOB, JobEvent.SENDS_BEHIND, 3, 2, 0x51, 0x61, "Send");
        assertThat(hex(behind.encode())).isEqualTo(golden);
        assertThat(JobEvent.decode(ByteBuffer.wrap(HexFormat.of().parseHex(golden)))).isEqualTo(behind);
        ByteBuffer later = ByteBuffer.wrap(HexFormat.of().parseHex(golden.replace("00000013", "00000018")));
        assertThatThrownBy(() -> JobEvent.decode(later)).isInstanceOf(WireException.class).hasMessage("JOB_EVENT of kind 24, expected 1 to 23 without 13");
    }

    /** In HELLO the kind stands behind the version. */
    @Test
    void aFollowerIsKind4AndWritesNoKeptFrames() throws WireException {
        Hello follower = Hello.follower(SampleFrames.JOB, 3, 2);
        String golden = "0000004c01000000010203040506070850485331" + "00020004" + "000000030000000200000000" + "0".repeat(64) + "0000000000000001";
        assertThat(hex(follower.encode())).isEqualTo(golden);
        assertThat(Hello.decode(follower.encode())).isEqualTo(follower);
        assertThat(Hello.decode(follower.again(Hello.AGAIN, 5, 6, 7, 1, 1).encode()).kind()).isEqualTo(Hello.FOLLOWER);
        for (Hello wrong : List.of(follower.again(Hello.MOVED, 5, 6, 7, 1, 0), follower.again(Hello.AGAIN, 5, 6, 7, 2, 0))) {
            assertThatThrownBy(() -> Hello.decode(wrong.encode()))
                    .isInstanceOf(WireException.class)
                    .hasMessageEndingWith("expected start 0 (fresh) or 2 (again) and no kept frames of a follower");
        }
    }

    private static String hex(ByteBuffer frame) {
        byte[] bytes = new byte[frame.limit()];
        frame.get(0, bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private static long jobOf(FrameType type) {
        return switch (type) {
            case LINK_HELLO, LINK_REACH, STREAM_OPEN, STREAM_END, CHALLENGE, PROOF -> 0;
            case AGENT_OFFER, NODES, NODE_LIFETIMES, AGENT_GONE, AGENT_DRAIN, AGENT_END, AGENT_PING, AGENT_PONG -> 0;
            case STAGE_ASK, STAGE_ANSWER, STAGE_DATA, STAGE_TAKEN, DETECTOR_CHECK -> 0;
            default -> SampleFrames.JOB;
        };
    }
}
