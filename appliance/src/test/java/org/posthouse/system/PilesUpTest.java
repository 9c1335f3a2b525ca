package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.core.CoreConfig;
import org.posthouse.logstore.LogConfig;
import org.posthouse.system.jobs.PilesUp;

/**
 * Promise P6 for memory: a relay of little memory whose rank is sent more than all of it and receives nothing. With a log
 * everything is sent and waits there; without one the sender waits. Then all is received, in order and unharmed.
 *
 * <p>{@code -Dposthouse.pile.messages=21500} piles up 4 GiB.
 */
@Timeout(900)
@EnabledOnOs(OS.LINUX)
final class PilesUpTest {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Duration LOOK_EVERY = Duration.ofMillis(250);
    private static final long MIB = 1 << 20;

    /** What a relay alone takes of the heap, about 40 MiB, and 100,000 messages of 150 bytes: 15 MiB. */
    private static final List<String> LITTLE_MEMORY =
            List.of("-Xmx96m", "-XX:MaxDirectMemorySize=48m", "-XX:+ExitOnOutOfMemoryError");

    private static final int SHORT_MESSAGES = 100_000;
    private static final int SHORT_BYTES = 100;
    private static final int LONG_MESSAGES = Integer.getInteger("posthouse.pile.messages", 2_000);
    private static final int LONG_BYTES = 200_000;

    @TempDir
    private Path folder;

    private long directBytesMax;
    private long anonymousBytesMax;

    @Test
    void everythingIsSentAndWaitsInTheLog() throws Exception {
        long needed = (long) LONG_MESSAGES * LONG_BYTES + 2 * LogConfig.DEFAULT_MIN_FREE_BYTES;
        assertThat(Files.getFileStore(folder).getUsableSpace()).as("free space for this test").isGreaterThan(needed);
        try (Relays relay = Relays.start(folder, LITTLE_MEMORY, "site-a", "--data", folder.resolve("data").toString());
                Command job = start(relay, "process", LONG_MESSAGES)) {
            await().atMost(PATIENCE).pollInterval(LOOK_EVERY).until(() -> {
                look(relay);
                return job.out().contains("sent all") || !job.handle().isAlive();
            });
            await().atMost(PATIENCE).pollInterval(LOOK_EVERY)
                    .until(() -> relay.meter("posthouse_unexpected") == SHORT_MESSAGES + LONG_MESSAGES);
            letItReceive(relay, job);
            assertThat((long) LONG_MESSAGES * LONG_BYTES).as("more than all the memory that the relay may take").isGreaterThan(350 * MIB);
            assertThat(anonymousBytesMax).as("heap, direct memory and the JVM's own").isLessThan(300 * MIB);
            assertThat(directBytesMax).as("direct memory").isLessThan(8 * MIB);
        }
    }

    /** A third of that is for jobs without a log, and three quarters of the third for one rank. */
    @Tag("long")
    @Test
    void theSenderWaitsWithoutALog() throws Exception {
        int credit = CoreConfig.DEFAULT.creditMessages();
        long more = (12 * MIB / 3) * 3 / 4 / (512 + SHORT_BYTES + SHORT_BYTES / 4);
        try (Relays relay = Relays.start(folder, LITTLE_MEMORY, "site-a", "--unexpected-max", "12m");
                Command job = start(relay, "none", 100)) {
            await().atMost(PATIENCE).until(() -> relay.meter("posthouse_unexpected") > credit + more / 2);
            await().atMost(PATIENCE).pollInterval(LOOK_EVERY).during(Duration.ofSeconds(2)).until(() -> {
                look(relay);
                return relay.meter("posthouse_unexpected") <= credit + more + 1;
            });
            assertThat(job.out()).doesNotContain("sent all");
            letItReceive(relay, job);
            assertThat(anonymousBytesMax).isLessThan(300 * MIB);
            assertThat(directBytesMax).as("the sender's credit, and as much again").isLessThan(2 * CoreConfig.DEFAULT.creditBytes());
        }
    }

    private Command start(Relays relay, String durability, int longMessages) throws IOException {
        return Command.start(
                folder, "run", "-n", "2", "--relay", relay.ranks(), "--durability", durability, "-cp", Jobs.classPath(),
                PilesUp.class.getName(), folder.resolve("go").toString(), Integer.toString(SHORT_MESSAGES),
                Integer.toString(SHORT_BYTES), Integer.toString(longMessages), Integer.toString(LONG_BYTES));
    }

    private void letItReceive(Relays relay, Command job) throws Exception {
        Files.createFile(folder.resolve("go"));
        await().atMost(PATIENCE).pollInterval(LOOK_EVERY).until(() -> {
            look(relay);
            return !job.handle().isAlive();
        });
        Command.Result result = job.await();
        assertThat(result.err()).isEmpty();
        assertThat(result.status()).isZero();
        assertThat(result.out()).contains("sent all").contains("received all ");
    }

    private void look(Relays relay) throws IOException {
        directBytesMax = Math.max(directBytesMax, relay.meter("jvm_buffer_memory_used_bytes{id=\"direct\"}"));
        anonymousBytesMax = Math.max(anonymousBytesMax, anonymousBytes(relay.command().handle().pid()));
        assertThat(relay.command().err()).doesNotContain("OutOfMemoryError").doesNotContain("Exception");
    }

    /** What a process holds that is no file: the kernel's count. */
    private static long anonymousBytes(long pid) throws IOException {
        String line = Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                .filter(text -> text.startsWith("RssAnon:"))
                .findFirst()
                .orElseThrow();
        return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
    }
}
