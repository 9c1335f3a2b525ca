package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.system.jobs.Floods;

/** Ranks that send, or ask for, far more than anybody receives: all of it comes, or people hear at once who waits for whom. */
@Timeout(600)
class FloodTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    @TempDir
    private Path folder;

    private Command start(String what, int count, String... options) throws Exception {
        List<String> words = new ArrayList<>(List.of("run", "-n", "2"));
        words.addAll(List.of(options));
        words.addAll(List.of("-cp", Jobs.classPath(), Floods.class.getName(), what, Integer.toString(count)));
        return Command.start(folder, words.toArray(new String[0]));
    }

    private void comes(String what, int count, String... options) throws Exception {
        try (Command job = start(what, count, options)) {
            Command.Result result = job.await();
            assertThat(result.err()).isEmpty();
            assertThat(result.status()).isZero();
            assertThat(result.out()).contains("rank 0 has all").contains("rank 1 has all");
        }
    }

    /** What a rank's credit covers is 16,384. */
    @ParameterizedTest
    @CsvSource("process, 30000")
    void bothMaySendSmallMessagesBeforeEitherReceives(String durability, int count) throws Exception {
        comes("send", count, "--durability", durability);
    }

    @ParameterizedTest
    @CsvSource({"none", "process"})
    @Tag("long")
    void sendsAndReceivesBeyondTheRelaysLimitWaitInTheirRank(String durability) throws Exception {
        for (String what : List.of("isend", "issend", "ibsend")) {
            comes(what, 100_000, "--durability", durability);
        }
        comes("irecv", 300_000, "--durability", durability);
    }

    @Test
    @Tag("long")
    void sendsBeyondTheRelaysLimitWaitInTheirRank() throws Exception {
        comes("send", 20_000);
        comes("issend", 100_000);
    }

    @Test
    @Tag("long")
    void aMillionSmallMessagesWaitInTheLogOfOnePair() throws Exception {
        comes("isend", 1_000_000, "--durability", "process");
    }

    /** Nobody needs to wait for a minute to learn what is certain. */
    @Tag("long")
    @Test
    void ranksThatWaitForEachOtherInSendsAreNamed() throws Exception {
        try (Command job = start("send", 20_000, "--unexpected-max", "0")) {
            await().atMost(PATIENCE).until(() -> job.err().contains("none of them can end") || !job.handle().isAlive());
            assertThat(job.err())
                    .contains(
                            "ranks 0, 1 wait for each other in sends, and none of them can end: rank 0 in Send(destination 1, tag 7) (no room for it before its receive),"
                                    + " rank 1 in Send(destination 0, tag 7) (no room for it before its receive); ")
                    .contains("--unexpected-max")
                    .doesNotContain("have waited for 60 s");
        }
    }
}
