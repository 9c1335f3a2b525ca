package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.relay.ClientHalf;
import org.posthouse.relay.RawPeer;
import org.posthouse.system.jobs.Waits;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Hmac;
import org.posthouse.wire.Identify;
import org.posthouse.wire.MutualProof;
import org.posthouse.wire.Nonce;
import org.posthouse.wire.Token;
import org.posthouse.wire.Wire;

/** Whoever speaks to a relay wrongly is told why and let go; the relay runs the next job as if nothing had been. */
@Timeout(900)
class BadPeerTest {
    private static final int HEADER_TYPE_AT = 4;
    private static final byte CLOSE = 15;

    @TempDir
    private static Path folder;

    private static Relays relay;

    @BeforeAll
    static void startRelay() throws IOException {
        relay = Relays.start(folder, "site-a");
    }

    @AfterAll
    static void runsTheNextJobAndStops() throws Exception {
        try (Relays last = relay) {
            Jobs.assertRunsARing(last);
            assertThat(last.stop().err()).doesNotContain("Exception");
        }
    }

    @Test
    void randomBytesAreRefused() throws Exception {
        byte[] noise = new byte[4_096];
        new Random(4711).nextBytes(noise);
        assertThat(refusal(ByteBuffer.wrap(noise)).reason())
                .isIn(CloseReason.FRAME_TOO_LONG, CloseReason.UNKNOWN_TYPE, CloseReason.MALFORMED_FRAME);
    }

    @Test
    void anotherProtocolIsRefused() throws Exception {
        assertThat(refusal(ByteBuffer.wrap("GET / HTTP/1.1\r\nHost: relay\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII)))
                .reason())
                .isEqualTo(CloseReason.FRAME_TOO_LONG);
    }

    @Test
    void rankOfAnUnknownJobIsRefused() throws Exception {
        CloseNotice why = refusal(new Identify(Hello.RANK, 77, 0, Nonce.random()).encode());
        assertThat(why.reason()).isEqualTo(CloseReason.UNKNOWN_JOB);
        assertThat(why.text()).contains("000000000000004d");
    }

    @Test
    void rankWithTheWrongTokenIsRefusedByName() throws Exception {
        try (RawPeer launcher = RawPeer.launcher(relay.ranks(), 78, Token.random())) {
            CloseNotice why = refusal(Hello.firstStart(78, 0), Token.random());
            assertThat(why.reason()).isEqualTo(CloseReason.WRONG_TOKEN);
            assertThat(why.text()).isEqualTo("rank 0 of job 000000000000004e came with a token that is not this rank's");
        }
    }

    @Test
    void rankOutsideTheJobIsRefusedByName() throws Exception {
        Token token = Token.random();
        try (RawPeer launcher = RawPeer.launcher(relay.ranks(), 79, token)) {
            CloseNotice why = refusal(Hello.firstStart(79, 9), token.ofRank(9));
            assertThat(why.reason()).isEqualTo(CloseReason.WRONG_RANK);
            assertThat(why.text()).contains("rank 9").contains("ranks 0 to 1");
        }
    }

    @Test
    void aStrangerWithAWrongTokenHarmsNoRunningJob() throws Exception {
        Path go = folder.resolve("go");
        try (Command job = Command.start(
                folder, "run", "-n", "2", "--relay", relay.ranks(), "-cp", Jobs.classPath(), Waits.class.getName(), go.toString())) {
            await().atMost(Duration.ofSeconds(60)).until(() -> job.out().contains("waits"));
            long id = HexFormat.fromHexDigitsToLong(job.out().replaceFirst("(?s).*job ([0-9a-f]{16}) waits.*", "$1"));
            assertThat(refusal(Hello.firstStart(id, 1), Token.random()).reason()).isEqualTo(CloseReason.WRONG_TOKEN);
            assertThat(refusal(Hello.firstStart(id, 9), Token.random()).reason()).isEqualTo(CloseReason.WRONG_TOKEN);
            Files.createFile(go);
            Command.Result result = job.await();
            assertThat(result.status()).isZero();
            assertThat(result.out()).contains("done");
            assertThat(result.err()).contains("somebody who claimed to be rank 9 was refused");
        }
    }

    @Tag("long")
    @Test
    void groupPortInUseIsOneLine() throws Exception {
        Command.Result second =
                Command.run(folder, "relay", "--site", "site-b", "--listen", "127.0.0.1:0", "--ops", "127.0.0.1:0", "--group", relay.ranks());
        assertThat(second.status()).isEqualTo(1);
        assertThat(second.err().strip()).startsWith("posthouse relay: ").contains(relay.ranks()).hasLineCount(1);
    }

    @Test
    void optionsThatOpenARelayToOthersAreRefusedTogether() throws Exception {
        Command.Result result =
                Command.run(folder, "relay", "--site", "Site A", "--name", "a/2", "--listen", "0.0.0.0:0", "--ops", "0.0.0.0:0");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err().strip())
                .contains("--site \"Site A\"", "--name \"a/2\"", "--token-file", "--unsafe-open-console")
                .hasLineCount(1);
    }

    @Test
    void portInUseIsOneLine() throws Exception {
        Command.Result second = Command.run(
                folder, "relay", "--site", "site-b", "--listen", relay.ranks(), "--ops", "127.0.0.1:0", "--group",
                "127.0.0.1:" + Relays.freePort());
        assertThat(second.status()).isEqualTo(1);
        assertThat(second.err().strip())
                .startsWith("posthouse relay: relay site-b cannot listen at " + relay.ranks() + ": ")
                .hasLineCount(1);
    }

    @Test
    void silentRelayAddressIsOneLine() throws Exception {
        String nobody = "127.0.0.1:" + Relays.freePort();
        Command.Result result = Command.run(folder, "run", "-n", "2", "--relay", nobody, "example:pi");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err().strip())
                .startsWith("posthouse run: cannot reach the relay at " + nobody)
                .hasLineCount(1);
    }

    @Test
    void launcherWithoutTheRelaysTokenIsRefused() throws Exception {
        Path tokenFile = Files.writeString(folder.resolve("token"), Token.random().hex());
        Files.setPosixFilePermissions(tokenFile, java.nio.file.attribute.PosixFilePermissions.fromString("rw-------"));
        try (Relays guarded = Relays.start(folder, "site-g", "--token-file", tokenFile.toString())) {
            Command.Result refused = Command.run(folder, "run", "-n", "2", "--relay", guarded.ranks(), "example:pi");
            assertThat(refused.status()).isEqualTo(1);
            assertThat(refused.err().strip()).contains("WRONG_TOKEN").hasLineCount(1);
            Command.Result let = Command.run(
                    folder, "run", "-n", "2", "--relay", guarded.ranks(), "--token-file", tokenFile.toString(), "example:pi", "1000");
            assertThat(let.status()).isZero();
        }
    }

    /** One rank's token, which every process of that rank has, does not make another of it, nor a launcher. */
    @Test
    void aRankWithAnothersTokenIsRefusedAndHarmsNobody() throws Exception {
        Token token = Token.random();
        try (RawPeer launcher = RawPeer.launcher(relay.ranks(), 80, token);
                RawPeer second = RawPeer.connect(relay.ranks())) {
            second.hello(Hello.firstStart(80, 1), token);
            assertThat(second.readFrame().get(HEADER_TYPE_AT)).isEqualTo(FrameType.WELCOME.id());
            CloseNotice why = refusal(Hello.start(80, 1, 2), token.ofRank(0));
            assertThat(why.reason()).isEqualTo(CloseReason.WRONG_TOKEN);
            assertThat(why.text()).isEqualTo("rank 1 of job 0000000000000050 came with a token that is not this rank's");
            assertThat(refusal(Hello.firstStart(80, 0), token).reason()).as("nor the job's own").isEqualTo(CloseReason.WRONG_TOKEN);
            assertThat(second.available()).as("rank 1 is not fenced").isZero();
        }
    }

    /** What somebody has heard of one connection is of no use on another. */
    @Test
    void aProofThatIsPlayedAgainIsRefused() throws Exception {
        Token token = Token.random();
        Hello hello = Hello.firstStart(81, 0);
        ClientHalf half = new ClientHalf(hello, token.ofRank(0));
        try (RawPeer launcher = RawPeer.launcher(relay.ranks(), 81, token);
                RawPeer rank = RawPeer.connect(relay.ranks());
                RawPeer replay = RawPeer.connect(relay.ranks())) {
            rank.send(half.identify());
            ByteBuffer proof = half.prove(rank.readFrame());
            rank.send(proof.duplicate());
            rank.send(hello.encode());
            assertThat(rank.readFrame().get(HEADER_TYPE_AT)).isEqualTo(FrameType.WELCOME.id());
            replay.send(half.identify());
            replay.readFrame();
            replay.send(proof);
            replay.send(Hello.start(81, 0, 2).encode());
            assertThat(CloseNotice.decode(replay.readFrame()).reason()).isEqualTo(CloseReason.WRONG_TOKEN);
            assertThat(rank.available()).as("the rank is not fenced").isZero();
        }
    }

    /** It would be read into memory before anybody knows who it is from. */
    @Test
    void aLongFrameOfAStrangerIsRefusedAtItsHeader() throws Exception {
        ByteBuffer chunk = ByteBuffer.allocate(Wire.HEADER_BYTES).putInt(Wire.CHUNK_FRAME_BYTES_MAX).put(FrameType.CHUNK.id()).rewind();
        CloseNotice why = refusal(chunk);
        assertThat(why.reason()).isEqualTo(CloseReason.NOT_EXPECTED);
        assertThat(why.text()).isEqualTo("CHUNK of 262192 bytes, expected 48 at most from one who has not proven who he is");
        assertThat(refusal(Hello.launcher().encode()).reason()).as("HELLO before PROOF").isEqualTo(CloseReason.NOT_EXPECTED);
        assertThat(refusal(MutualProof.encode(new Hmac(1, 2, 3, 4))).reason()).as("PROOF before IDENTIFY").isEqualTo(CloseReason.NOT_EXPECTED);
    }

    /** Who proves himself with that and says HELLO. */
    private static CloseNotice refusal(Hello hello, Token own) throws Exception {
        try (RawPeer peer = RawPeer.connect(relay.ranks())) {
            peer.introduce(hello, own);
            peer.send(hello.encode());
            return CloseNotice.decode(peer.readFrame());
        }
    }

    /** Sends the bytes on a connection of their own and reads why the relay closes it. */
    private static CloseNotice refusal(ByteBuffer bytes) throws Exception {
        try (RawPeer peer = RawPeer.connect(relay.ranks())) {
            peer.send(bytes);
            ByteBuffer frame = peer.readFrame();
            assertThat(frame.get(HEADER_TYPE_AT)).isEqualTo(CLOSE);
            assertThat(peer.read()).isEqualTo(-1);
            return CloseNotice.decode(frame);
        }
    }
}
