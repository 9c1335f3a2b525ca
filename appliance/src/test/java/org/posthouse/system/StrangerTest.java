package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.launch.install.Installation;
import org.posthouse.peer.PeerUser;
import org.posthouse.system.jobs.Stranger;
import org.posthouse.wire.Challenge;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Identify;
import org.posthouse.wire.MutualProof;
import org.posthouse.wire.Nonce;
import org.posthouse.wire.Token;

/** Another user of the relay's host (docs/security.md): what he gets at the ranks' port, and in a relay's place. */
@Timeout(600)
class StrangerTest {
    private static final String NOBODY = "65534";
    private static final Pattern HEARD = Pattern.compile("heard ([0-9a-f]*)");
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    /** As good as one can be who does not know the token. */
    private static final Challenge GUESSED =
            Challenge.of(Token.NONE, new Identify(Hello.LAUNCHER, 0, 0, new Nonce(1, 2)), new Nonce(3, 4), Optional.empty());

    @TempDir
    private Path folder;

    @BeforeEach
    void onlyRootStartsProcessesOfOthers() {
        assumeTrue(PeerUser.own() == 0 && Files.isExecutable(Path.of("/usr/bin/setpriv")), "only root starts a process of another user");
    }

    /** Another user's process. */
    private Process stranger(String... arguments) throws IOException {
        Path classes = Installation.jarOf(Stranger.class);
        List<String> command = new ArrayList<>(List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups"));
        command.addAll(List.of(Installation.java().toString(), "-XX:-UsePerfData", "-XX:TieredStopAtLevel=1", "-cp", classes.toString()));
        command.add(Stranger.class.getName());
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .directory(Path.of("/").toFile())
                .redirectOutput(folder.resolve("stranger").toFile())
                .redirectErrorStream(true)
                .start();
    }

    private String said() throws IOException {
        return Files.readString(folder.resolve("stranger"));
    }

    private static String port(String address) {
        return address.substring(address.lastIndexOf(':') + 1);
    }

    private static String hex(ByteBuffer... frames) {
        StringBuilder hex = new StringBuilder();
        for (ByteBuffer frame : frames) {
            hex.append(HexFormat.of().formatHex(frame.array(), frame.position(), frame.limit()));
        }
        return hex.toString();
    }

    /** A2: takes the place of a relay that was killed. */
    @Test
    void impostorRelayLearnsNoTokenAndIsReported() throws Exception {
        Token token = Token.random();
        Path file = Files.writeString(folder.resolve("token"), token.hex());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertLearnsNothing(token.hex(), "has not proven that it knows the launch token", "--token-file", file.toString());
        assertLearnsNothing("00000000000000000000000000000000", "neither this user's nor root's");
    }

    private void assertLearnsNothing(String token, String why, String... more) throws Exception {
        String address;
        try (Relays relay = Relays.start(folder, "site-b", more)) {
            address = relay.ranks();
            relay.kill();
        }
        Process stranger = stranger("listen", port(address), hex(GUESSED.encode()));
        try {
            await().atMost(PATIENCE).until(() -> said().contains("listens"));
            List<String> run = new ArrayList<>(List.of("run", "-n", "2", "--relay", address));
            run.addAll(List.of(more));
            run.addAll(List.of("example:pi", "1000"));
            Command.Result result = Command.run(folder, run.toArray(String[]::new));
            assertThat(result.status()).isNotZero();
            assertThat(result.err()).contains("the relay at " + address + " cannot be trusted", "user " + NOBODY, why).hasLineCount(1);
            await().atMost(PATIENCE).until(() -> said().contains("heard"));
            Matcher heard = HEARD.matcher(said());
            assertThat(heard.find()).isTrue();
            assertThat(heard.group(1)).as("IDENTIFY, and nothing else").hasSize(2 * FrameType.IDENTIFY.bytesMax());
            assertThat(said()).doesNotContain(token);
        } finally {
            stranger.destroyForcibly().waitFor();
        }
    }

    /** A3: a relay that was started without a token. */
    @Test
    void anotherUserOpensNoJob() throws Exception {
        try (Relays relay = Relays.start(folder, "site-a")) {
            Identify launcher = new Identify(Hello.LAUNCHER, 0, 0, Nonce.random());
            Process stranger = stranger("say", port(relay.ranks()), hex(launcher.encode()));
            assertThat(stranger.waitFor()).as(said()).isZero();
            Matcher heard = HEARD.matcher(said());
            assertThat(heard.find()).isTrue();
            CloseNotice why = CloseNotice.decode(ByteBuffer.wrap(HexFormat.of().parseHex(heard.group(1))));
            assertThat(why.reason()).isEqualTo(CloseReason.WRONG_TOKEN);
            assertThat(why.text()).contains("takes launchers of its own user only, user 0", "this one is of user " + NOBODY, "--token-file");
            Jobs.assertRunsARing(relay);
        }
    }

    /** It says at once all that a launcher says, as if it knew that no token is asked for. */
    @Tag("long")
    @Test
    void otherUserThatSkipsTheHandshakeOpensNoJob() throws Exception {
        try (Relays relay = Relays.start(folder, "site-a")) {
            Identify launcher = new Identify(Hello.LAUNCHER, 0, 0, Nonce.random());
            ByteBuffer proof = MutualProof.encode(MutualProof.ofClient(Token.NONE, launcher, GUESSED));
            Process stranger = stranger("say", port(relay.ranks()), hex(launcher.encode(), proof, Hello.launcher().encode()));
            assertThat(stranger.waitFor()).as(said()).isZero();
            Matcher heard = HEARD.matcher(said());
            assertThat(heard.find()).isTrue();
            CloseNotice why = CloseNotice.decode(ByteBuffer.wrap(HexFormat.of().parseHex(heard.group(1))));
            assertThat(why.reason()).isIn(CloseReason.NOT_EXPECTED, CloseReason.WRONG_TOKEN);
            Jobs.assertRunsARing(relay);
        }
    }
}
