package org.posthouse.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.posthouse.testkit.FuzzRuns;

/** Messages between launchers and agents: golden bytes, ranges, and starts in several parts. */
final class AgentMessageTest {
    private static final int ROUNDS = Boolean.getBoolean("posthouse.long") ? 200_000 : 20_000;
    private static final long ALLOCATED_BYTES_MAX = 16L * Wire.FRAME_BYTES_MAX;
    private static final Token KEY = SampleFrames.TOKEN;
    private static final String KEY_HEX = "a1a2a3a4a5a6a7a8b1b2b3b4b5b6b7b8";
    private static final OutputPoint POINT = new OutputPoint(0x14, 0x15, 0x16);
    private static final String POINT_HEX = "00000000 00000014 00000000 00000015 00000000 00000016";
    private static final String PROCESS = "00000003 00000002 ";
    private static final StartSpec SPEC = new StartSpec(
            "Main",
            List.of("a", ""),
            List.of("-Xmx1g"),
            new TreeMap<>(Map.of("B", "2", "A", "ä")),
            List.of(new StartSpec.StagedFile("cp/app.jar", SampleFrames.HASH, 0x51)),
            List.of(new StartSpec.StagedFile("data/x", SampleFrames.HASH, 0)),
            "",
            "h:1",
            new Token(0x61, 0x62),
            true,
            false,
            "marks",
            true,
            30);

    private static final Map<AgentMessage.Kind, AgentMessage> SAMPLES = new EnumMap<>(AgentMessage.Kind.class);
    private static final Map<AgentMessage.Kind, String> GOLDEN = new EnumMap<>(AgentMessage.Kind.class);

    static {
        sample(new AgentMessage.Reserve(KEY, 0x11, 0x12, "ann", "june"), "01" + KEY_HEX + "00000011 00000012 0003 616e6e 0004 6a756e65");
        sample(new AgentMessage.Reserved(0x11, AgentMessage.Refusal.DRAINING, "no"), "02 00000011 0003 0002 6e6f");
        sample(new AgentMessage.Confirm(KEY, 0x11, 0x12), "03" + KEY_HEX + "00000011 00000012");
        sample(new AgentMessage.Release(KEY), "04" + KEY_HEX);
        sample(new AgentMessage.Start(KEY, 3, 2, 4, true, bytes(0xc1, 0xc2)), "05" + KEY_HEX + PROCESS + "00000004 0001 c1c2");
        sample(new AgentMessage.Started(3, 2, 0x13, "why"), "06" + PROCESS + "00000000 00000013 0003 776879");
        sample(new AgentMessage.Signal(KEY, 3, 2, AgentMessage.Target.KILL_TREE), "07" + KEY_HEX + PROCESS + "0001");
        sample(new AgentMessage.Exited(3, 2, 0x89), "08" + PROCESS + "00000089");
        sample(new AgentMessage.Output(3, 2, AgentMessage.STDERR, 0x14, bytes(0xc1)), "09" + PROCESS + "0002 00000000 00000014 c1");
        sample(new AgentMessage.OutputTaken(3, 2, AgentMessage.STDOUT, POINT), "0a" + PROCESS + "0001" + POINT_HEX);
        sample(new AgentMessage.Input(3, 2, 0x14, true, bytes(0xc1)), "0b" + PROCESS + "00000000 00000014 0001 c1");
        sample(new AgentMessage.InputTaken(3, 2, 0x14), "0c" + PROCESS + "00000000 00000014");
        sample(new AgentMessage.Attach(KEY), "0d" + KEY_HEX);
        sample(
                new AgentMessage.Attached(
                        4, true, List.of(new AgentMessage.AttachedProcess(3, 2, AgentMessage.ProcessState.ENDED, 0x89, POINT, OutputPoint.BEGIN))),
                "0e 00000004 0001 00000001" + PROCESS + "0002 00000089" + POINT_HEX + "00".repeat(24));
        sample(new AgentMessage.ExitSeen(3, 2), "0f" + PROCESS);
        sample(new AgentMessage.Note("hi"), "10 0002 6869");
        sample(new AgentMessage.JobWaits("june", "b 1 of 2"), "11 0004 6a756e65 0008 622031206f662032");
        sample(new AgentMessage.JobEnded("june", 0x89, "why"), "12 0004 6a756e65 00000089 0003 776879");
        sample(
                new AgentMessage.Detect("brr", 500, 0x8a, 0x8b, 1,
                        List.of(new AgentMessage.DetectedHost(0x8c, 2, false), new AgentMessage.DetectedHost(0x8d, 3, true))),
                "13 0003 627272 000001f4 00000000 0000008a 00000000 0000008b 0001 0002 00000000 0000008c 0002 0000 00000000 0000008d 0003 0001");
    }

    private static void sample(AgentMessage message, String golden) {
        SAMPLES.put(message.kind(), message);
        GOLDEN.put(message.kind(), golden.replace(" ", ""));
    }

    private static ByteBuffer bytes(int... values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length);
        IntStream.of(values).forEach(value -> bytes.put((byte) value));
        return bytes.flip();
    }

    private static String hex(ByteBuffer body) {
        byte[] bytes = new byte[body.remaining()];
        body.duplicate().get(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    @ParameterizedTest
    @EnumSource
    void isEncodedToTheGoldenBytesAndBack(AgentMessage.Kind kind) throws WireException {
        assertThat(hex(SAMPLES.get(kind).encode())).isEqualTo(GOLDEN.get(kind));
        ByteBuffer golden = ByteBuffer.wrap(HexFormat.of().parseHex(GOLDEN.get(kind)));
        assertThat(AgentMessage.decode(golden)).isEqualTo(SAMPLES.get(kind));
        assertThat(golden.position()).as("position").isZero();
    }

    @ParameterizedTest
    @EnumSource
    void refusesAMessageThatIsCut(AgentMessage.Kind kind) {
        byte[] whole = HexFormat.of().parseHex(GOLDEN.get(kind));
        boolean mayBeShorter = kind == AgentMessage.Kind.START || kind == AgentMessage.Kind.INPUT;
        for (int bytes = 0; bytes < whole.length - (mayBeShorter ? 1 : 0); bytes++) {
            ByteBuffer cut = ByteBuffer.wrap(whole, 0, bytes);
            assertThatExceptionOfType(WireException.class).as("%s bytes", bytes).isThrownBy(() -> AgentMessage.decode(cut));
        }
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            00, agent message of kind 0
            14, agent message of kind 20
            01KEY000000000000001200000, 'RESERVE with slots 0, expected 1 to 16384'
            01KEY000000110036ee810000, 'RESERVE with ttl 3600001, expected 1 to 3600000'
            02ffffffff00000000, 'RESERVED with slots -1, expected 0 to 2048'
            020000000000040000, 'reason 4, expected 0 to 3'
            03KEY00000001ffffffff, 'CONFIRM with launcher''s timeout -1'
            05KEY000040000000000100000000000061, 'START with rank 16384, expected 0 to 16383'
            05KEY000000010000000100000000000261, 'START with more 2, expected 0 to 1'
            06000000010000000000000000000000000000, 'STARTED with incarnation 0, expected 1'
            07KEY00000003000000020002, 'target 2, expected 0 to 1'
            09000000030000000200030000000000000000c1, 'stream 3, expected 1 (output) or 2 (error)'
            0900000003000000020001ffffffffffffffffc1, 'OUTPUT with position -1'
            0b000000030000000200000000000000000000, INPUT ends before its input
            0e0000000000007fffffff, 'ATTACHED announces 2147483647 processes'
            0f0000000300000002ff, EXIT_SEEN with 1 bytes too many
            """)
    void refusesMalformedMessageAndNamesTheFault(String hex, String message) {
        String whole = hex.replace("KEY", KEY_HEX);
        ByteBuffer body = ByteBuffer.wrap(HexFormat.of().parseHex(whole.substring(0, whole.length() & ~1)));
        assertThatExceptionOfType(WireException.class).isThrownBy(() -> AgentMessage.decode(body)).withMessageContaining(message);
    }

    @Test
    void fitsTheLongestContents() {
        ByteBuffer most = ByteBuffer.allocate(AgentMessage.Output.BYTES_MAX);
        assertThat(new AgentMessage.Output(1, 1, 1, 0, most).encode().remaining()).isEqualTo(AgentMessage.BYTES_MAX);
        most = ByteBuffer.allocate(AgentMessage.Input.BYTES_MAX);
        assertThat(new AgentMessage.Input(1, 1, 0, false, most).encode().remaining()).isEqualTo(AgentMessage.BYTES_MAX);
        most = ByteBuffer.allocate(AgentMessage.Start.BYTES_MAX);
        assertThat(new AgentMessage.Start(KEY, 1, 1, 0, false, most).encode().remaining()).isEqualTo(AgentMessage.BYTES_MAX);
        List<AgentMessage.AttachedProcess> processes = IntStream.range(0, AgentMessage.Attached.PROCESSES_MAX)
                .mapToObj(rank -> new AgentMessage.AttachedProcess(rank, 1, AgentMessage.ProcessState.RUNNING, 0, OutputPoint.BEGIN, OutputPoint.BEGIN))
                .toList();
        assertThat(new AgentMessage.Attached(1, false, processes).encode().remaining()).isLessThanOrEqualTo(AgentMessage.BYTES_MAX);
        String text = "ä".repeat(5_000);
        assertThat(new AgentMessage.Note(text).encode().remaining()).isEqualTo(1 + 2 + 4096);
    }

    @Test
    void splitsALongStartAndPutsItTogetherAgain() throws WireException {
        StartSpec longer = withArguments(List.of("x".repeat(200_000), "y"));
        List<AgentMessage.Start> parts = longer.parts(KEY, 3, 2);
        assertThat(parts).hasSize(4).extracting(AgentMessage.Start::part).containsExactly(0, 1, 2, 3);
        assertThat(parts).extracting(AgentMessage.Start::more).containsExactly(true, true, true, false);
        StartAssembly assembly = new StartAssembly();
        List<Optional<StartSpec>> results = new ArrayList<>();
        for (AgentMessage.Start part : parts) {
            results.add(assembly.add((AgentMessage.Start) AgentMessage.decode(part.encode())));
        }
        assertThat(results).containsExactly(Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(longer));
        assertThat(SPEC.parts(KEY, 3, 2)).hasSize(1);
        assertThat(assembly.add(SPEC.parts(KEY, 3, 2).get(0))).contains(SPEC);
    }

    @Test
    void beginsAgainWithTheFirstPart() throws WireException {
        StartSpec longer = withArguments(List.of("x".repeat(100_000)));
        List<AgentMessage.Start> parts = longer.parts(KEY, 3, 2);
        StartAssembly assembly = new StartAssembly();
        assertThat(assembly.add(parts.get(0))).isEmpty();
        assertThat(assembly.add(parts.get(0))).isEmpty();
        assertThat(assembly.add(parts.get(1))).contains(longer);
        assertThatExceptionOfType(WireException.class)
                .isThrownBy(() -> assembly.add(parts.get(1)))
                .withMessage("part 1 of the start of rank 3, expected part 0");
    }

    @Test
    void limitsTheBytesOfAStart() throws WireException {
        StartSpec tooLong = withArguments(List.of("x".repeat(StartSpec.BYTES_MAX)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> tooLong.parts(KEY, 0, 1))
                .withMessage("start specification of more than 16777216 bytes");
        StartAssembly assembly = new StartAssembly();
        ByteBuffer most = ByteBuffer.allocate(AgentMessage.Start.BYTES_MAX);
        int fitting = StartSpec.BYTES_MAX / most.remaining();
        for (int part = 0; part < fitting; part++) {
            assertThat(assembly.add(new AgentMessage.Start(KEY, 0, 1, part, true, most))).isEmpty();
        }
        assertThatExceptionOfType(WireException.class)
                .isThrownBy(() -> assembly.add(new AgentMessage.Start(KEY, 0, 1, fitting, true, most)))
                .withMessageContaining("expected at most 16777216")
                .satisfies(e -> assertThat(e.reason()).isSameAs(CloseReason.LIMIT));
    }

    @Test
    void refusesAStartWithAVariableTwice() {
        String hex = hex(SPEC.parts(KEY, 3, 2).get(0).encode());
        ByteBuffer twice = ByteBuffer.wrap(HexFormat.of().parseHex(hex.replace("0000000142", "0000000141")));
        assertThatExceptionOfType(WireException.class)
                .isThrownBy(() -> new StartAssembly().add((AgentMessage.Start) AgentMessage.decode(twice)))
                .withMessageContaining("variable A twice");
    }

    @Test
    void acceptsOnlyMessagesThatCanBeEncodedAgain() {
        List<byte[]> samples = new ArrayList<>();
        for (AgentMessage message : SAMPLES.values()) {
            samples.add(AgentEnvelope.of(SampleFrames.JOB, 1, 2, message).encode().array());
        }
        samples.add(AgentEnvelope.of(SampleFrames.JOB, 1, 2, SPEC.parts(KEY, 3, 2).get(0)).encode().array());
        FuzzRuns.each(ROUNDS, samples, ALLOCATED_BYTES_MAX, FrameFuzz::fuzzerTestOneInput);
    }

    @Test
    void listsAgentsOnAsManyPagesAsTheyNeed() throws WireException {
        Random random = new Random(3);
        List<AgentOffer> offers = IntStream.range(0, 3_000).mapToObj(at -> offer(at + 1, random)).toList();
        List<ByteBuffer> frames = NodesPage.encode(offers);
        List<AgentOffer> back = new ArrayList<>();
        int left = frames.size() - 1;
        for (ByteBuffer frame : frames) {
            NodesPage page = (NodesPage) SampleFrames.decode(frame);
            assertThat(page.left()).isEqualTo(left--);
            back.addAll(page.offers());
        }
        assertThat(back).isEqualTo(offers);
        assertThat(frames).hasSizeGreaterThan(2);
        assertThat(NodesPage.encode(List.of())).hasSize(1);
        assertThat(NodesPage.isAsk(NodesPage.ask())).isTrue();
        assertThat(NodesPage.isAsk(frames.get(0))).isFalse();
    }

    @Test
    void fitsTheLongestOfferOnAPage() throws WireException {
        Map<String, String> labels = new TreeMap<>();
        for (int label = 0; label < AgentOffer.LABELS_MAX; label++) {
            labels.put(label + "k".repeat(300), "v".repeat(300));
        }
        String name = "n".repeat(300);
        AgentOffer offer = new AgentOffer(1, name, name, 1, 1, 1, 1, 1, 1, 1, false, name, new TreeMap<>(labels));
        NodesPage page = (NodesPage) SampleFrames.decode(NodesPage.encode(List.of(offer)).get(0));
        assertThat(page.offers().get(0).name()).hasSize(255);
        assertThat(page.offers().get(0).labels()).hasSize(AgentOffer.LABELS_MAX);
    }

    @Test
    void refusesAnOfferThatIsOutOfRange() {
        AgentOffer sample = SampleFrames.OFFER;
        refused(sample.named(" "), "with the name ' '");
        refused(new AgentOffer(0, "n", "h", 1, 1, 1, 1, 1, 1, 1, false, "", new TreeMap<>()), "agent 0");
        refused(new AgentOffer(1, "n", "h", 1, 2, 1, 1, 1, 1, 1, false, "", new TreeMap<>()), "free slots 2, expected 0 to 1");
        refused(new AgentOffer(1, "n", "h", 2_049, 2, 1, 1, 1, 1, 1, false, "", new TreeMap<>()), "slots 2049, expected 0 to 2048");
        refused(new AgentOffer(1, "n", "h", 1, 1, 1, 1, -1, 1, 1, false, "", new TreeMap<>()), "cores -1");
        refused(new AgentOffer(1, "n", "h", 1, 1, 1, 1, 1, 1, -1, false, "", new TreeMap<>()), "round trip -1");
    }

    private static void refused(AgentOffer offer, String message) {
        assertThatExceptionOfType(WireException.class)
                .isThrownBy(() -> SampleFrames.decode(offer.encode()))
                .withMessageContaining(message);
    }

    private static AgentOffer offer(long agent, Random random) {
        int slots = random.nextInt(AgentOffer.SLOTS_MAX);
        return new AgentOffer(
                agent,
                "node-" + agent,
                Long.toHexString(random.nextLong()),
                slots,
                random.nextInt(slots + 1),
                random.nextInt(9),
                random.nextInt(9),
                random.nextInt(256),
                random.nextLong(Long.MAX_VALUE),
                random.nextLong(Long.MAX_VALUE),
                random.nextBoolean(),
                "1.0",
                new TreeMap<>(random.nextBoolean() ? Map.of() : Map.of("rack", "r" + random.nextInt(9))));
    }

    private static StartSpec withArguments(List<String> arguments) {
        return new StartSpec(
                SPEC.mainClass(),
                arguments,
                SPEC.jvmFlags(),
                SPEC.environment(),
                SPEC.classPath(),
                SPEC.files(),
                SPEC.workFolder(),
                SPEC.relay(),
                SPEC.token(),
                SPEC.direct(),
                SPEC.restartable(),
                SPEC.marksSecret(),
                SPEC.hasInput(),
                SPEC.silenceSeconds());
    }
}
