package org.posthouse.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Control frames come back as they were sent, and nothing else is taken for one. */
final class ControlFramesTest {
    private static final int ROUNDS = Boolean.getBoolean("posthouse.long") ? 2_000 : 500;

    /** Frames that have flag bit 1. */
    private static final Set<FrameType> SECOND_FLAG =
            EnumSet.of(FrameType.SEND, FrameType.EAGER, FrameType.OFFER, FrameType.DELIVERED);

    /** Frames that have flag bit 0. */
    private static final Set<FrameType> FLAGGED =
            EnumSet.of(
                    FrameType.RESENT,
                    FrameType.PROBE,
                    FrameType.DELIVERED,
                    FrameType.AHEAD,
                    FrameType.OFFER,
                    FrameType.PROBE_ANSWER,
                    FrameType.CANCELLED,
                    FrameType.WITHDRAWN,
                    FrameType.EVENTS,
                    FrameType.STREAM_DATA,
                    FrameType.STREAM_TOKENS,
                    FrameType.CHALLENGE);

    @Test
    void streamFramesRoundTrip() throws WireException {
        assertThat(StreamOpen.decode(SampleFrames.STREAM_OPEN.encode())).isEqualTo(SampleFrames.STREAM_OPEN);
        assertThat(StreamEnd.decode(SampleFrames.STREAM_END.encode())).isEqualTo(SampleFrames.STREAM_END);
        assertThat(SampleFrames.STREAM_END.reason()).isSameAs(CloseReason.SITE_UNREACHABLE);
    }

    @Test
    void bringsBackHello() throws WireException {
        Random random = new Random(1);
        for (int round = 0; round < ROUNDS; round++) {
            Hello hello = new Hello(
                    1 + random.nextInt(3),
                    random.nextLong(),
                    random.nextInt(JobOpen.RANKS_MAX),
                    1 + random.nextInt(Integer.MAX_VALUE),
                    1 + random.nextInt(Hello.AGAIN),
                    random.nextLong(Long.MAX_VALUE),
                    random.nextLong(Long.MAX_VALUE),
                    random.nextLong(Long.MAX_VALUE),
                    1 + random.nextLong(Long.MAX_VALUE),
                    random.nextInt(Hello.PAGES_MAX + 1),
                    random.nextInt(5) - 1);
            assertThat(SampleFrames.decode(hello.encode())).isEqualTo(hello);
        }
    }

    @Test
    void bringsBackWelcome() throws WireException {
        Random random = new Random(2);
        for (int round = 0; round < ROUNDS; round++) {
            List<HomeRelay> homes = homes(random);
            int[] homeOf = placement(random, homes.size(), 0);
            int[] ranksAt = random.ints(homeOf.length == 0 ? homes.size() : 0, 0, Integer.MAX_VALUE).toArray();
            Welcome welcome = new Welcome(
                    random.nextLong(),
                    random.nextInt(),
                    random.nextInt(),
                    random.nextLong(),
                    random.nextInt(),
                    Durability.of(random.nextInt(3)),
                    random.nextLong(),
                    random.nextLong(),
                    random.nextInt(9),
                    random.nextLong(),
                    random.nextLong(),
                    random.nextInt(homes.size()),
                    homes,
                    homeOf,
                    ranksAt);
            Welcome back = (Welcome) SampleFrames.decode(welcome.encode());
            assertThat(back).usingRecursiveComparison().isEqualTo(welcome);
            assertThat(back.size()).isEqualTo(welcome.homeOf().length);
        }
    }

    @Test
    void tellsALauncherOfAsManyRelaysAsThereIsRoomForAndHowManyMoreThereAre() throws WireException {
        for (int nameBytes : new int[] {1, 100, 254, 255, 1_000}) {
            List<HomeRelay> homes = IntStream.range(0, 10_000)
                    .mapToObj(i -> new HomeRelay("s" + i, "r" + i, "\u00e4".repeat(nameBytes / 2) + "b".repeat(nameBytes % 2)))
                    .toList();
            ByteBuffer frame = Welcome.launcher(homes, IntStream.range(0, homes.size()).toArray()).encode();
            assertThat(frame.remaining()).isBetween(Wire.FRAME_BYTES_MAX - 300, Wire.FRAME_BYTES_MAX);
            Welcome back = (Welcome) SampleFrames.decode(frame);
            int told = back.homes().size();
            assertThat(back.homes().get(told - 1).relay()).isEqualTo("r" + (told - 1));
            assertThat(back.ranksAt()).hasSize(told).endsWith(told - 1);
            assertThat(back.pages()).as("left out").isEqualTo(homes.size() - told);
        }
        assertThat(Welcome.launcher(List.of(new HomeRelay("s", "r", "h:1")), new int[1]).pages()).isZero();
    }

    /** The opening of a job without a name says less than WELCOME does. */
    @Test
    void welcomeFitsForEveryJobThatJobOpenFits() {
        List<HomeRelay> homes = List.of(new HomeRelay("s", "r", ""));
        int ranks = Wire.FRAME_BYTES_MAX / 2;
        while (true) {
            try {
                new JobOpen(1, new Token(1, 2), false, "", homes, new int[ranks]).encode();
                break;
            } catch (IllegalArgumentException e) {
                ranks--;
            }
        }
        Welcome welcome = new Welcome(1, 0, 1, 1, 1, Durability.NONE, 0, 0, 0, 0, 0, 0, homes, new int[ranks], new int[0]);
        assertThatCode(welcome::encode).doesNotThrowAnyException();
    }

    @Test
    void bringsBackJobOpen() throws WireException {
        Random random = new Random(3);
        for (int round = 0; round < ROUNDS; round++) {
            List<HomeRelay> homes = homes(random);
            JobOpen open = new JobOpen(
                    random.nextLong(),
                    token(random),
                    Durability.of(random.nextInt(3)),
                    random.nextBoolean(),
                    text(random),
                    homes,
                    placement(random, homes.size(), 1),
                    random.nextInt(JobOpen.KEEP_SECONDS_MAX + 1),
                    random.nextBoolean());
            assertThat(SampleFrames.decode(open.encode())).usingRecursiveComparison().isEqualTo(open);
        }
    }

    @Test
    void bringsBackJobOpenWithFollowedRanks() throws WireException {
        JobOpen plain = new JobOpen(7, Token.NONE, Durability.NONE, false, "n", SampleFrames.HOMES, new int[200]);
        int[] degrees = new int[200];
        Arrays.fill(degrees, 1);
        degrees[0] = 3;
        degrees[199] = 3;
        JobOpen open = plain.with(FollowedRanks.of(degrees)).at("relay").comingBack();
        JobOpen read = JobOpen.decode(open.encode());
        assertThat(read).usingRecursiveComparison().isEqualTo(open);
        assertThat(read.remembers()).isTrue();
        assertThat(read.logged()).isFalse();
        assertThat(List.of(read.followed().of(0), read.followed().of(1), read.followed().of(199))).containsExactly(2, 0, 2);
        assertThat(JobOpen.decode(plain.encode()).remembers()).isFalse();
    }

    @Test
    void refusesFollowedRanksThatTheJobHasNotOrThatReadALog() {
        JobOpen plain = new JobOpen(7, Token.NONE, Durability.NONE, false, "n", SampleFrames.HOMES, new int[2]);
        assertRefused(plain.with(FollowedRanks.of(1, 1, 2)).encode(), CloseReason.LIMIT);
        assertRefused(plain.with(FollowedRanks.of(17, 1)).encode(), CloseReason.LIMIT);
        JobOpen logged = new JobOpen(7, Token.NONE, Durability.PROCESS, false, "n", SampleFrames.HOMES, new int[2]);
        assertRefused(logged.with(FollowedRanks.of(2, 1)).encode(), CloseReason.MALFORMED_FRAME);
    }

    /** As many relays as fit, those that were named first. */
    @Test
    void aReachIsNoLongerThanAFrame() throws WireException {
        List<LinkReach.Entry> entries = new ArrayList<>();
        String name = "x".repeat(60);
        for (int i = 0; i < 1_000; i++) {
            entries.add(new LinkReach.Entry(name + "/" + i, i, i, List.of(name, name + "/k\u00f6ln")));
        }
        LinkReach reach = LinkReach.fitting(entries);
        ByteBuffer frame = reach.encode();
        assertThat(frame.remaining()).isBetween(Wire.FRAME_BYTES_MAX - 300, Wire.FRAME_BYTES_MAX);
        assertThat(LinkReach.decode(frame)).isEqualTo(new LinkReach(entries.subList(0, reach.entries().size())));
        assertThat(LinkReach.fitting(entries.subList(0, 3)).entries()).hasSize(3);
    }

    @Test
    void bringsBackNoticesEventsAndLinkHellos() throws WireException {
        Random random = new Random(4);
        for (int round = 0; round < ROUNDS; round++) {
            CloseNotice closeNotice = new CloseNotice(random.nextLong(), random.nextInt(), random.nextInt(), text(random));
            for (FrameType type : List.of(FrameType.ABORT, FrameType.CLOSE, FrameType.JOB_CLOSE)) {
                assertThat(SampleFrames.decode(closeNotice.encode(type))).isEqualTo(closeNotice);
            }
            JobEvent event = new JobEvent(
                    random.nextLong(),
                    1 + random.nextInt(JobEvent.LIMITED),
                    random.nextInt(),
                    random.nextInt(),
                    random.nextLong(),
                    random.nextLong(),
                    text(random));
            assertThat(SampleFrames.decode(event.encode())).isEqualTo(event);
            LinkHello hello = new LinkHello(
                    text(random),
                    text(random),
                    text(random),
                    random.nextLong(),
                    random.nextLong(),
                    random.nextInt(256),
                    random.nextLong(),
                    random.nextLong(),
                    random.nextLong(),
                    random.nextBoolean(),
                    random.nextBoolean());
            assertThat(SampleFrames.decode(hello.encode())).isEqualTo(hello);
            CheckpointNotice checkpointNotice = new CheckpointNotice(
                    random.nextLong(),
                    CheckpointNotice.Kind.values()[random.nextInt(CheckpointNotice.Kind.values().length)],
                    random.nextInt(),
                    random.nextLong() >>> 1,
                    random.nextLong() >>> 1,
                    random.nextLong() >>> 1,
                    random.nextLong() >>> 1,
                    random.nextLong() >>> 1,
                    random.nextLong() >>> 1,
                    random.nextLong() >>> 1);
            assertThat(SampleFrames.decode(checkpointNotice.encode())).isEqualTo(checkpointNotice);
        }
    }

    static Stream<FrameType> controlFrames() {
        return Stream.of(
                FrameType.HELLO,
                FrameType.WELCOME,
                FrameType.ABORT,
                FrameType.CLOSE,
                FrameType.JOB_OPEN,
                FrameType.JOB_EVENT,
                FrameType.JOB_CLOSE,
                FrameType.JOB_KEPT,
                FrameType.LINK_HELLO,
                FrameType.STATE,
                FrameType.POINT);
    }

    @ParameterizedTest
    @MethodSource("controlFrames")
    void refusesEveryTruncation(FrameType type) {
        ByteBuffer whole = SampleFrames.of(type);
        for (int length = Wire.HEADER_BYTES; length < whole.limit(); length++) {
            ByteBuffer cut = ByteBuffer.wrap(Arrays.copyOf(whole.array(), length));
            SampleFrames.view(cut).length(length);
            assertRefused(cut, CloseReason.MALFORMED_FRAME);
        }
    }

    @ParameterizedTest
    @MethodSource("controlFrames")
    void refusesBytesBehindTheEnd(FrameType type) {
        ByteBuffer whole = SampleFrames.of(type);
        ByteBuffer longer = ByteBuffer.wrap(Arrays.copyOf(whole.array(), whole.limit() + 1));
        SampleFrames.view(longer).length(longer.limit());
        assertRefused(longer, CloseReason.MALFORMED_FRAME);
    }

    /** Offsets of bytes that must be zero, per type; with four bytes of text where there is text. */
    static Stream<Arguments> reservedBytes() {
        return Stream.of(
                Arguments.of(FrameType.WELCOME, 32, 35, CloseReason.WRONG_VERSION),
                Arguments.of(FrameType.SEND, 53, 56, CloseReason.MALFORMED_FRAME),
                Arguments.of(FrameType.SEND, 56, 60, CloseReason.MALFORMED_FRAME),
                Arguments.of(FrameType.EAGER, 53, 60, CloseReason.MALFORMED_FRAME),
                Arguments.of(FrameType.OFFER, 53, 60, CloseReason.MALFORMED_FRAME),
                Arguments.of(FrameType.DELIVERED, 53, 56, CloseReason.MALFORMED_FRAME),
                Arguments.of(FrameType.PROBE_ANSWER, 53, 56, CloseReason.MALFORMED_FRAME),
                Arguments.of(FrameType.CHUNK, 28, 32, CloseReason.MALFORMED_FRAME),
                Arguments.of(FrameType.CLEAR, 28, 32, CloseReason.MALFORMED_FRAME),
                Arguments.of(FrameType.AHEAD, 28, 32, CloseReason.MALFORMED_FRAME),
                Arguments.of(FrameType.PROBE, 32, 40, CloseReason.MALFORMED_FRAME),
                Arguments.of(FrameType.FINALIZE, 20, 24, CloseReason.MALFORMED_FRAME),
                Arguments.of(FrameType.RESENT, 53, 56, CloseReason.MALFORMED_FRAME),
                Arguments.of(FrameType.CANCELLED, 20, 24, CloseReason.MALFORMED_FRAME),
                Arguments.of(FrameType.WITHDRAW, 28, 32, CloseReason.MALFORMED_FRAME),
                Arguments.of(FrameType.WITHDRAW, 40, 44, CloseReason.MALFORMED_FRAME),
                Arguments.of(FrameType.WITHDRAWN, 28, 32, CloseReason.MALFORMED_FRAME),
                Arguments.of(FrameType.WITHDRAWN, 40, 48, CloseReason.MALFORMED_FRAME),
                Arguments.of(FrameType.ABORT, 24, 28, CloseReason.MALFORMED_FRAME),
                Arguments.of(FrameType.ABORT, 33, 35, CloseReason.MALFORMED_FRAME),
                Arguments.of(FrameType.JOB_EVENT, 50, 52, CloseReason.MALFORMED_FRAME),
                Arguments.of(FrameType.BLOCKED, 45, 47, CloseReason.MALFORMED_FRAME),
                Arguments.of(FrameType.MISMATCH, 45, 47, CloseReason.MALFORMED_FRAME),
                Arguments.of(FrameType.STREAM_OPEN, 31, 33, CloseReason.MALFORMED_FRAME),
                Arguments.of(FrameType.STREAM_DATA, 20, 24, CloseReason.MALFORMED_FRAME),
                Arguments.of(FrameType.STREAM_END, 28, 30, CloseReason.MALFORMED_FRAME));
    }

    @ParameterizedTest
    @MethodSource("reservedBytes")
    void refusesReservedBytesThatAreNotZero(FrameType type, int from, int to, CloseReason closeReason) {
        for (int at = from; at < to; at++) {
            ByteBuffer frame = SampleFrames.of(type);
            assertThat(frame.get(at)).isZero();
            frame.put(at, (byte) 0x80);
            assertRefused(frame, closeReason);
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusesReservedBytesOfTheHeaderAndUnknownFlags(FrameType type) {
        for (int at = 6; at < 8; at++) {
            ByteBuffer frame = SampleFrames.of(type);
            frame.put(at, (byte) 1);
            assertRefused(frame, CloseReason.MALFORMED_FRAME);
        }
        int known = (FLAGGED.contains(type) ? 1 : 0) + (SECOND_FLAG.contains(type) ? 2 : 0);
        for (int flag = 1; flag < 0x100; flag <<= 1) {
            if ((flag & known) != 0) {
                continue;
            }
            ByteBuffer frame = SampleFrames.of(type);
            SampleFrames.view(frame).flags(flag);
            assertRefused(frame, CloseReason.MALFORMED_FRAME);
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusesOtherLengths(FrameType type) {
        assertLengthRefused(type, type.bytesMin() - 1, CloseReason.MALFORMED_FRAME);
        boolean longest = type.bytesMax() >= Wire.FRAME_BYTES_MAX;
        assertLengthRefused(type, type.bytesMax() + 1, longest ? CloseReason.FRAME_TOO_LONG : CloseReason.MALFORMED_FRAME);
        assertLengthRefused(type, -1, CloseReason.FRAME_TOO_LONG);
    }

    private static void assertLengthRefused(FrameType type, int length, CloseReason closeReason) {
        ByteBuffer frame = SampleFrames.of(type);
        SampleFrames.view(frame).length(length);
        assertThatExceptionOfType(WireException.class)
                .isThrownBy(() -> SampleFrames.view(frame).checkHeader(frame.limit()))
                .satisfies(e -> assertThat(e.reason()).isEqualTo(closeReason));
    }

    @ParameterizedTest
    @EnumSource(
            value = FrameType.class,
            names = {"IDENTIFY", "HELLO", "WELCOME", "LINK_HELLO"})
    void refusesOtherMagicAndVersion(FrameType type) {
        ByteBuffer magic = SampleFrames.of(type);
        magic.putInt(16, 0x47455420);
        assertRefused(magic, CloseReason.MALFORMED_FRAME);
        ByteBuffer version = SampleFrames.of(type);
        version.putShort(20, (short) 1);
        assertRefused(version, CloseReason.WRONG_VERSION);
    }

    @Test
    void refusesValuesOutOfRange() {
        assertRefused(changed(FrameType.HELLO, 22, 2, 4), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.HELLO, 32, 4, 3), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.HELLO, 52, 4, -2), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.HELLO, 32, 4, 0), CloseReason.MALFORMED_FRAME); // A process that starts knows no origin.
        assertRefused(changed(FrameType.HELLO, 56, 4, -1), CloseReason.LIMIT);
        assertRefused(changed(FrameType.HELLO, 56, 4, Hello.PAGES_MAX + 1), CloseReason.LIMIT);
        for (int field : new int[] {24, 28, 36, 44, 60, 68}) {
            assertRefused(changed(FrameType.HELLO, field, 4, -1), CloseReason.MALFORMED_FRAME);
        }
        assertRefused(changed(FrameType.HELLO, 28, 4, 0), CloseReason.MALFORMED_FRAME);
        assertRefused(Hello.firstStart(7, 0).again(Hello.AGAIN, 0, 0, 0, 0, 0).encode(), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.WELCOME, 68, 4, -1), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.STATE, 20, 4, -1), CloseReason.LIMIT);
        assertRefused(changed(FrameType.POINT, 16, 4, 0), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.POINT, 16, 4, 8), CloseReason.MALFORMED_FRAME);
        for (int count = 24; count < FrameType.POINT.bytesMax(); count += Long.BYTES) {
            assertRefused(changed(FrameType.POINT, count, 4, -1), CloseReason.MALFORMED_FRAME);
        }
        assertRefused(changed(FrameType.STATE, 24, 4, 0), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.STATE, 24, 4, StatePage.GONE + 1), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.JOB_OPEN, 32, 2, 32), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.RANK_FAILED, 16, 4, -1), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.RANK_FAILED, 20, 4, 0), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.REVOKE, 16, 4, 3), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.REVOKE, 20, 4, 257), CloseReason.LIMIT);
        assertRefused(changed(FrameType.AGREE, 20, 4, 5), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.AGREE, 24, 4, 2), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.AGREE, 32, 4, 3), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.AGREED, 36, 4, 2), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.AGREED, 40, 4, 0), CloseReason.LIMIT);
        assertRefused(changed(FrameType.AGREED, 44, 4, 1), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.CONFIRMED, 16, 4, 1), CloseReason.MALFORMED_FRAME); // Of two messages.
        assertRefused(changed(FrameType.CONFIRMED, 16, 4, 3), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.CONFIRMED, 20, 4, 1), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.CONFIRMED, 28, 4, -1), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.CONFIRMED, 32, 4, -1), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.PROMOTED, 16, 4, 0), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.PROMOTED, 20, 4, Hello.PAGES_MAX + 1), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.PROMOTED, 36, 4, 1), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.PROMOTED, 40, 4, -1), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.PROMOTED, 48, 4, -1), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.WELCOME, 22, 2, 2), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.WELCOME, 48, 4, 1), CloseReason.WRONG_VERSION);
        assertRefused(changed(FrameType.WELCOME, 32, 4, 2), CloseReason.WRONG_VERSION); // Survives hosts, but is not logged.
        assertRefused(changed(FrameType.JOB_OPEN, 34, 2, 3), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.JOB_EVENT, 16, 4, 0), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.JOB_EVENT, 16, 4, JobEvent.LEADS + 1), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.JOB_EVENT, 16, 4, 13), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.JOB_REPORT, 16, 4, 0), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.JOB_REPORT, 16, 4, JobReport.NODE), CloseReason.MALFORMED_FRAME); // And with lines left out.
        assertRefused(changed(FrameType.JOB_REPORT, 20, 4, -1), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.JOB_REPORT, 24, 4, -1), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.JOB_JOIN, 24, 4, -1), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.JOB_JOIN, 24, 4, 3), CloseReason.MALFORMED_FRAME); // Of three ranks, from 0.
        assertRefused(changed(FrameType.JOB_JOIN, 40, 4, -1), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.JOB_JOIN, 40, 4, JobOpen.RANKS_MAX), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.JOB_KEPT, 16, 4, -1), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.JOB_KEPT, 20, 4, -1), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.JOB_KEPT, 20, 4, 0), CloseReason.MALFORMED_FRAME); // Done, and with bytes that were printed.
        assertRefused(changed(FrameType.JOB_KEPT, 24, 4, -1), CloseReason.MALFORMED_FRAME);
        assertRefused(changed(FrameType.JOB_KEPT, 32, 4, -1), CloseReason.MALFORMED_FRAME);
        ByteBuffer placed = SampleFrames.of(FrameType.JOB_OPEN);
        placed.putShort(placed.limit() - 2 - Integer.BYTES, (short) 2);
        assertRefused(placed, CloseReason.MALFORMED_FRAME);
    }

    private static ByteBuffer changed(FrameType type, int at, int size, int value) {
        ByteBuffer frame = SampleFrames.of(type);
        if (size == 2) {
            frame.putShort(at, (short) value);
        } else {
            frame.putInt(at, value);
        }
        return frame;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, JobOpen.RANKS_MAX + 1})
    void refusesJobOfTooFewOrTooManyRanks(int ranks) {
        JobOpen open = new JobOpen(1, Token.NONE, false, "n", SampleFrames.HOMES, new int[ranks]);
        assertRefused(open.encode(), CloseReason.LIMIT);
    }

    /** Whoever has a job's home twice has no way to the second. */
    @Test
    void refusesJobThatIsNoneAndOneWithARelayTwice() {
        assertRefused(new JobOpen(0, Token.NONE, true, "n", SampleFrames.HOMES, new int[1]).encode(), CloseReason.MALFORMED_FRAME);
        HomeRelay homeRelay = SampleFrames.HOMES.get(0);
        List<HomeRelay> twice = List.of(homeRelay, new HomeRelay("elsewhere", homeRelay.relay(), "elsewhere:1"));
        assertRefused(new JobOpen(1, Token.NONE, true, "n", twice, new int[1]).encode(), CloseReason.MALFORMED_FRAME);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, JobOpen.KEEP_SECONDS_MAX + 1})
    void refusesRetentionSecondsOutOfRange(int seconds) {
        JobOpen open = new JobOpen(1, Token.NONE, Durability.PROCESS, false, "n", SampleFrames.HOMES, new int[1], seconds, false);
        assertRefused(open.encode(), CloseReason.LIMIT);
    }

    @Test
    void fitsTheLargestJobInOneFrame() throws WireException {
        List<HomeRelay> homes =
                IntStream.range(10, 74).mapToObj(i -> new HomeRelay("site-of-some-length", "relay-of-some-leng" + i, "198.51.100.200:17411")).toList();
        JobOpen open = new JobOpen(1, Token.NONE, false, "n", homes, new int[JobOpen.RANKS_MAX]);
        assertThat(((JobOpen) SampleFrames.decode(open.encode())).size()).isEqualTo(JobOpen.RANKS_MAX);
    }

    @Test
    void tellsAnyNumberOfEntriesInPages() throws WireException {
        List<StatePage.Entry> entries = new ArrayList<>();
        for (int i = 1; i <= 2 * StatePage.ENTRIES_MAX + 3; i++) {
            entries.add(new StatePage.Entry(1 + i % StatePage.GONE, i, i + 1, i + 2, i, -i));
        }
        List<StatePage.Entry> told = new ArrayList<>();
        List<Integer> left = new ArrayList<>();
        for (ByteBuffer frame : StatePage.encode(7, entries)) {
            StatePage page = (StatePage) SampleFrames.decode(frame);
            left.add(page.left());
            told.addAll(page.entries());
        }
        assertThat(told).isEqualTo(entries);
        assertThat(left).containsExactly(2, 1, 0).hasSize(StatePage.pages(entries.size()));
        assertThat(StatePage.encode(7, List.of())).isEmpty();
    }

    @Test
    void saysThatContentDoesNotFitOneFrame() {
        StatePage page = new StatePage(1, 0, Collections.nCopies(2_100, new StatePage.Entry(1, 0, 1, 1)));
        assertThatIllegalArgumentException()
                .isThrownBy(page::encode)
                .withMessageContaining("STATE of more than 65600 bytes");
    }

    @Test
    void cutsLongTextAtTheBorderOfACharacter() throws WireException {
        String text = "€".repeat(2_000);
        CloseNotice back = (CloseNotice) SampleFrames.decode(new CloseNotice(1, 2, 3, text).encode(FrameType.CLOSE));
        assertThat(back.text()).isEqualTo("€".repeat(1_365));
    }

    @Test
    void readsFrameInTheMiddleOfBuffer() throws WireException {
        ByteBuffer frame = SampleFrames.of(FrameType.HELLO);
        ByteBuffer larger = ByteBuffer.allocate(frame.limit() + 20);
        larger.position(7).put(frame).flip().position(7);
        assertThat(Hello.decode(larger)).isEqualTo(SampleFrames.HELLO);
    }

    @Test
    void waitsForTheWholeHeader() throws WireException {
        ByteBuffer frame = SampleFrames.of(FrameType.SEND);
        frame.put(53, (byte) 1);
        for (int available = 0; available < Wire.HEADER_BYTES; available++) {
            assertThat(SampleFrames.view(frame).checkHeader(available)).isZero();
        }
        assertThat(SampleFrames.view(frame).checkHeader(frame.limit() - 1))
                .as("what has not arrived is not judged")
                .isEqualTo(frame.limit());
    }

    static void assertRefused(ByteBuffer frame, CloseReason closeReason) {
        assertThatExceptionOfType(WireException.class)
                .isThrownBy(() -> SampleFrames.decode(frame))
                .satisfies(e -> assertThat(e.reason()).as(e.getMessage()).isEqualTo(closeReason));
    }

    private static Token token(Random random) {
        return new Token(random.nextLong(), random.nextLong());
    }

    private static List<HomeRelay> homes(Random random) {
        List<HomeRelay> homes = new ArrayList<>();
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            homes.add(new HomeRelay(text(random), text(random) + i, text(random)));
        }
        return homes;
    }

    private static int[] placement(Random random, int homes, int ranksMin) {
        return random.ints(ranksMin + random.nextInt(20), 0, homes).toArray();
    }

    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(30); i > 0; i--) {
            text.append(random.nextInt(4) == 0 ? "ß€\n語".charAt(random.nextInt(4)) : (char) ('a' + random.nextInt(26)));
        }
        return text.toString();
    }
}
