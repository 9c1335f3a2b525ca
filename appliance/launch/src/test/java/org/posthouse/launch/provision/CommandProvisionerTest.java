package org.posthouse.launch.provision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.wire.Token;

/** Real processes in place of ssh and agents: a shell script that knows some hosts, and one that reads its input to the end. */
class CommandProvisionerTest {
    private static final Token TOKEN = new Token(0x0123456789abcdefL, 0x5eedL);

    /** Long enough for a process to end on a busy host. */
    private static final Duration GRACE = Duration.ofSeconds(20);

    private static final Duration SHORT = Duration.ofMillis(300);

    private final List<String> shown = new CopyOnWriteArrayList<>();
    private final List<HostLost> lost = new CopyOnWriteArrayList<>();

    @TempDir
    private Path folder;

    private CommandProvisioner provisioner;

    @BeforeEach
    void scripts() throws IOException {
        script("remote", """
                host=$1; shift
                case $host in
                    gone*) echo "trying"; echo "remote: connect to host $host port 22: Connection refused" >&2; exit 255;;
                esac
                exec "$@"
                """);
        script("agent", """
                read token
                echo "$token" > "$1.token"
                env > "$1.env"
                echo $$ > "$1.pid"
                echo "agent $1 serves"
                cat > "$1.input"
                echo "agent $1 ends"
                echo end > "$1.end"
                """);
        script("stubborn", """
                sleep 1000 &
                echo $! > "$1.child"
                echo $$ > "$1.pid"
                trap '' TERM HUP
                while :; do wait; sleep 0.05; done
                """);
    }

    private void script(String name, String text) throws IOException {
        Files.writeString(folder.resolve(name), text);
    }

    @AfterEach
    void close() {
        if (provisioner != null) {
            provisioner.close();
        }
    }

    private static HostSlots host(String name, int slots) {
        return new HostSlots(name, slots == 0 ? OptionalInt.empty() : OptionalInt.of(slots), OptionalInt.empty(), Optional.empty());
    }

    private CommandProvisioner start(String agent, Duration grace, HostSlots... hosts) throws JobFailure {
        return start("sh " + folder + "/remote {host}", agent, grace, hosts);
    }

    private CommandProvisioner start(String template, String agent, Duration grace, HostSlots... hosts) throws JobFailure {
        provisioner = CommandProvisioner.of(
                template, List.of(hosts), host -> List.of("sh", folder.resolve(agent).toString(), folder.resolve(host.host()).toString()), TOKEN, shown::add,
                grace);
        provisioner.listen(lost::add);
        return provisioner;
    }

    private String content(String name) throws IOException {
        Path file = folder.resolve(name);
        return Files.exists(file) ? Files.readString(file).strip() : "";
    }

    private ProcessHandle process(String file) throws IOException {
        await().until(() -> !content(file).isEmpty());
        return ProcessHandle.of(Long.parseLong(content(file))).orElseThrow();
    }

    private static boolean isGone(ProcessHandle process) {
        return !process.isAlive();
    }

    @Test
    void tokenIsTheFirstLineOfTheInputAndNowhereElse() throws Exception {
        start("agent", GRACE, host("n1", 1)).request(HostRequest.ALL);
        await().until(() -> !content("n1.pid").isEmpty());
        assertThat(content("n1.token")).isEqualTo(TOKEN.hex());
        assertThat(content("n1.env")).isNotEmpty().doesNotContain(TOKEN.hex());
        for (long pid : provisioner.pids()) {
            for (ProcessHandle each : Stream.concat(Stream.of(ProcessHandle.of(pid).orElseThrow()), ProcessHandle.of(pid).orElseThrow().descendants())
                    .toList()) {
                Path words = Path.of("/proc/" + each.pid() + "/cmdline");
                assertThat(Files.exists(words) ? Files.readString(words, StandardCharsets.ISO_8859_1) : "").doesNotContain(TOKEN.hex());
            }
        }
    }

    @Test
    void outputIsShownWithItsHost() throws Exception {
        HostGrant grant = start("agent", GRACE, host("n1", 1), host("n2", 1)).request(HostRequest.ALL);
        String n1 = folder.resolve("n1").toString();
        String n2 = folder.resolve("n2").toString();
        await().untilAsserted(() -> assertThat(shown).contains("[n1] agent " + n1 + " serves", "[n2] agent " + n2 + " serves"));
        provisioner.release(grant);
        assertThat(shown).as("to its last line").contains("[n1] agent " + n1 + " ends", "[n2] agent " + n2 + " ends");
    }

    @Test
    void outputCannotSteerTheTerminal() throws Exception {
        script("loud", "printf 'a\\033[2Jb\\r\\n\\n'; head -c 5000 /dev/zero | tr '\\0' x; exit 3");
        start("loud", GRACE, host("n1", 1)).request(HostRequest.ALL);
        await().until(() -> !lost.isEmpty());
        assertThat(shown).containsExactly("[n1] a?[2Jb", "[n1] ", "[n1] " + "x".repeat(4_096), "[n1] " + "x".repeat(904));
    }

    @Test
    void hostThatCannotBeReachedIsToldWithTheCommandsLastWords() throws Exception {
        HostGrant grant = start("agent", GRACE, host("n1", 1), host("gone1", 1), host("gone2", 1)).request(HostRequest.ALL);
        assertThat(grant.hosts()).extracting(HostSlots::host).containsExactly("n1", "gone1", "gone2");
        await().until(() -> lost.size() == 2);
        assertThat(lost).extracting(HostLost::host).containsExactlyInAnyOrder("gone1", "gone2");
        HostLost gone1 = lost.stream().filter(each -> each.host().equals("gone1")).findFirst().orElseThrow();
        assertThat(gone1).isEqualTo(new HostLost(
                grant.number(), "gone1", 255, "remote: connect to host gone1 port 22: Connection refused",
                "host gone1 has no agent: 'sh " + folder + "/remote {host}' ended with status 255: remote: connect to host gone1 port 22: Connection refused",
                false));
    }

    @Test
    void agentThatIsKilledIsLostAndItsHostMayBeAskedForAgain() throws Exception {
        HostGrant grant = start("agent", GRACE, host("n1", 1), host("n2", 1)).request(HostRequest.ALL);
        process("n1.pid").destroyForcibly();
        await().until(() -> !lost.isEmpty());
        assertThat(lost.getFirst().grant()).isEqualTo(grant.number());
        assertThat(lost.getFirst().status()).isEqualTo(137);
        Files.delete(folder.resolve("n1.pid"));
        HostGrant again = provisioner.request(HostRequest.ALL);
        assertThat(again.hosts()).extracting(HostSlots::host).containsExactly("n1");
        ProcessHandle next = process("n1.pid");
        provisioner.release(grant);
        assertThat(next.isAlive()).as("of another grant").isTrue();
        assertThat(lost).hasSize(1);
    }

    @Test
    void releaseEndsAgentsByTheEndOfTheirInput() throws Exception {
        HostGrant grant = start("agent", GRACE, host("n1", 1), host("n2", 1)).request(HostRequest.ALL);
        List<ProcessHandle> agents = List.of(process("n1.pid"), process("n2.pid"));
        provisioner.release(grant);
        assertThat(agents).allMatch(CommandProvisionerTest::isGone);
        assertThat(content("n1.end") + content("n2.end")).isEqualTo("endend");
        provisioner.release(grant);
        assertThat(provisioner.request(HostRequest.ALL).hosts()).hasSize(2);
        assertThat(lost).isEmpty();
    }

    @Test
    void commandThatDoesNotEndIsKilledWithItsChildrenAndNothingElse() throws Exception {
        Process bystander = new ProcessBuilder("sleep", "1000").start();
        try {
            HostGrant grant = start("stubborn", SHORT, host("n1", 1), host("n2", 1), host("n3", 1), host("n4", 1)).request(HostRequest.ALL);
            List<ProcessHandle> all =
                    List.of(process("n1.pid"), process("n1.child"), process("n2.pid"), process("n2.child"), process("n3.pid"), process("n4.pid"));
            long begin = System.nanoTime();
            provisioner.release(grant);
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).as("one grace for all").isBetween(SHORT, Duration.ofSeconds(15));
            await().until(() -> all.stream().allMatch(CommandProvisionerTest::isGone));
            assertThat(bystander.isAlive()).isTrue();
            assertThat(lost).isEmpty();
        } finally {
            bystander.destroyForcibly().waitFor();
        }
    }

    @Test
    void closeReleasesEverythingAndStartsNoMore() throws Exception {
        start("agent", GRACE, host("n1", 1), host("n2", 1)).request(new HostRequest(1, 0));
        provisioner.request(new HostRequest(1, 0));
        List<ProcessHandle> agents = List.of(process("n1.pid"), process("n2.pid"));
        provisioner.close();
        assertThat(agents).allMatch(CommandProvisionerTest::isGone);
        assertThat(lost).isEmpty();
        assertThatThrownBy(() -> provisioner.request(HostRequest.ALL)).isInstanceOf(JobFailure.class).hasMessage("no agents are started any more");
    }

    @Test
    void programThatIsMissingEndsTheRequestAndLeavesNothing() throws Exception {
        Path there = folder.resolve("there");
        Files.writeString(there, "#!/bin/sh\nshift; exec sh \"$@\"\n");
        assertThat(there.toFile().setExecutable(true)).isTrue();
        provisioner = CommandProvisioner.of(
                "{host}", List.of(host(there.toString(), 1), host(folder + "/missing", 1)),
                host -> List.of("x", folder + "/agent", folder + "/n1"), TOKEN, shown::add, GRACE);
        assertThatThrownBy(() -> provisioner.request(HostRequest.ALL)).isInstanceOf(JobFailure.class)
                .hasMessageMatching("--launch-agent '\\{host}' cannot be started: .*missing.*No such file.*");
        assertThat(content("n1.end")).as("the first one was ended").isEqualTo("end");
        assertThat(provisioner.pids()).isEmpty();
        assertThat(provisioner.request(new HostRequest(1, 0)).hosts()).hasSize(1);
    }

    @Test
    void hostsAreGrantedInTheirOrderUntilTheSlotsSuffice() throws Exception {
        start("agent", GRACE, host("n1", 4), host("n2", 2), host("n3", 4));
        assertThat(provisioner.request(new HostRequest(0, 6)).hosts()).extracting(HostSlots::host).containsExactly("n1", "n2");
        assertThatThrownBy(() -> provisioner.request(new HostRequest(2, 0))).isInstanceOf(JobFailure.class)
                .hasMessage("asked for 2 hosts: 1 host is free, of 3");
        assertThatThrownBy(() -> provisioner.request(new HostRequest(0, 5))).hasMessage("asked for 5 slots: the 1 free host has 4");
        assertThat(provisioner.request(new HostRequest(1, 0)).hosts()).extracting(HostSlots::host).containsExactly("n3");
        assertThatThrownBy(() -> provisioner.request(HostRequest.ALL)).hasMessage("no host is free, of 3");
    }

    @Test
    void hostsWithoutSlotsAreAllGranted() throws Exception {
        start("agent", GRACE, host("n1", 1), host("n2", 0), host("n3", 1));
        assertThat(provisioner.request(new HostRequest(0, 1)).hosts()).extracting(HostSlots::host).containsExactly("n1");
        assertThat(provisioner.request(new HostRequest(0, 1)).hosts()).extracting(HostSlots::host).containsExactly("n2", "n3");
    }

    /** As the master of shared ssh connections does. */
    @Test
    void endIsToldAlthoughAProcessHoldsTheOutput() throws Exception {
        script("leaves", "sleep 1000 & echo $! > \"$1.child\"; echo 'last words'; exit 4");
        start("leaves", GRACE, host("n1", 1)).request(HostRequest.ALL);
        ProcessHandle left = process("n1.child");
        try {
            await().until(() -> !lost.isEmpty());
            assertThat(lost.getFirst()).extracting(HostLost::status, HostLost::lastLine).containsExactly(4, "last words");
            assertThat(left.isAlive()).isTrue();
        } finally {
            left.destroyForcibly();
        }
    }

    /** The main class of a launcher that is killed. */
    static final class Launcher {
        private Launcher() {}

        public static void main(String... arguments) throws Exception {
            Path folder = Path.of(arguments[0]);
            CommandProvisioner.of(
                    "sh " + folder + "/remote {host}", List.of(host("n1", 1)), host -> List.of("sh", folder + "/agent", folder + "/n1"), TOKEN,
                    System.out::println, GRACE).request(HostRequest.ALL);
            Thread.sleep(600_000);
        }
    }

    @Test
    void agentsEndWhenTheirLauncherIsKilled() throws Exception {
        Process launcher = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp", System.getProperty("java.class.path"), Launcher.class.getName(),
                folder.toString()).redirectErrorStream(true).start();
        try {
            ProcessHandle agent = process("n1.pid");
            assertThat(agent.isAlive()).isTrue();
            launcher.destroyForcibly().waitFor();
            await().until(() -> isGone(agent));
            // What it prints by then reaches nobody.
            assertThat(content("n1.input")).isEmpty();
        } finally {
            launcher.destroyForcibly();
        }
    }
}
