package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Campaigns in modes and durabilities other than the usual ones, with one relay a site and with two. {@code -Dposthouse.chaos.kills=100} makes the long form
 * as long as is wanted.
 */
@Timeout(7_200)
class ChaosModesTest {
    private static final int KILLS = Integer.getInteger("posthouse.chaos.kills", 5);

    @TempDir
    private Path folder;

    /** A rank and a relay of two at each site. */
    @Tag("long")
    @ParameterizedTest
    @CsvSource({"pooled, process, 2", "threaded, host, 2", "pipeline, host, 2"})
    void aKilledRankAndAKilledRelayAreSurvived(String mode, String durability, String relaysPerSite) throws Exception {
        verifies(mode, durability, relaysPerSite, 2, "--relay-every", "2", "example:ring", "200", "1024");
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({
        "pooled, process, 1, example:nas-is, W", "threaded, host, 1, example:heat, 48 400", "pipeline, host, 1, example:ring, 600 1024",
        "pooled, process, 2, example:heat, 48 400", "threaded, host, 2, example:ring, 600 1024", "pipeline, host, 2, example:nas-is, W"
    })
    void soAreRelaysRanksAndLaunchersManyTimes(String mode, String durability, String relaysPerSite, String program, String arguments) throws Exception {
        List<String> words = new ArrayList<>(List.of("--relay-every", "4", "--launcher-every", "7", program));
        words.addAll(List.of(arguments.split(" ")));
        verifies(mode, durability, relaysPerSite, KILLS, words.toArray(String[]::new));
    }

    /** @param more options, the program and its arguments */
    private void verifies(String mode, String durability, String relaysPerSite, int kills, String... more) throws Exception {
        List<String> words = new ArrayList<>(List.of(
                "chaos", "--mode", mode, "--durability", durability, "--sites", "2", "--relays-per-site", relaysPerSite, "-n", "4", "--kills",
                Integer.toString(kills), "--seed", "49"));
        for (String word : more) {
            if (word.startsWith("example:")) {
                words.add("--job");
            }
            words.add(word);
        }
        Command.Result result = Command.run(folder, words.toArray(String[]::new));
        assertThat(result.status()).as(result.out() + result.err()).isZero();
        assertThat(result.out().strip()).endsWith(kills + " of " + kills + " verify");
    }
}
