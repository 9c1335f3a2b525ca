package org.posthouse.system;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.cli.InProcess;
import org.posthouse.system.jobs.EchoesArguments;
import org.posthouse.system.jobs.Forgets;
import org.posthouse.system.jobs.TakesPort;

/** {@code posthouse chaos}: a short campaign that is survived, and one that is not, which it has to tell. */
@Timeout(900)
class ChaosTest {
    @TempDir
    private Path folder;

    /** Of this seed's one run. */
    @Test
    void aRunVerifiesAlthoughARankAndARelayAreKilled() throws Exception {
        Command.Result result = Command.run(
                folder, "chaos", "--job", "example:ring", "-n", "2", "--sites", "2", "--kills", "2", "--relay-every", "2", "--launcher-every", "0",
                "--seed", "51", "--json", "600", "1024");
        assertThat(result.status()).as(result.out() + result.err()).isZero();
        assertThat(result.err().lines()).filteredOn(line -> line.matches("run \\d+: rank \\d killed at .*: verified")).hasSize(1);
        assertThat(result.err().lines())
                .filteredOn(line -> line.matches("run \\d+: relay site-[ab] killed at .*, its job was without it .*: verified"))
                .hasSize(1);
        assertThat(result.err().strip()).endsWith("2 of 2 verify");
        assertThat(new ObjectMapper().readTree(result.out()).path("verified").asInt()).isEqualTo(2);
    }

    /** This seed's first run loses its launcher, and its second a rank and then, after most of it, a relay. */
    @Tag("long")
    @Test
    void everyRunVerifiesAlthoughALauncherARankAndARelayAreKilled() throws Exception {
        Command.Result result = Command.run(
                folder, "chaos", "--job", "example:ring", "-n", "4", "--sites", "2", "--kills", "3", "--relay-every", "3", "--launcher-every", "3",
                "--seed", "897", "--json", "600", "1024");
        assertThat(result.status()).as(result.out() + result.err()).isZero();
        assertThat(result.err().lines())
                .filteredOn(line -> line.matches("run \\d+: launcher killed at .*, resumed by one .*, its 4 ranks went on .*: verified"))
                .hasSize(1);
        assertThat(result.err().lines()).filteredOn(line -> line.matches("run \\d+: rank \\d killed at .*: verified")).hasSize(1);
        assertThat(result.err().lines())
                .filteredOn(line -> line.matches("run \\d+: relay site-[ab] killed at .*, its job was without it .*: verified"))
                .hasSize(1);
        assertThat(result.err().strip()).endsWith("3 of 3 verify");
        JsonNode report = new ObjectMapper().readTree(result.out());
        assertThat(report.path("verified").asInt()).isEqualTo(3);
        assertThat(report.path("killed")).singleElement().satisfies(kill -> {
            assertThat(kill.path("kill").path("incarnation").asInt()).isPositive();
            assertThat(kill.path("parts").path("incarnation").asInt()).isEqualTo(kill.path("kill").path("incarnation").asInt() + 1);
        });
        assertThat(report.path("relaysKilled").findValuesAsText("relay")).isNotEmpty().allMatch(relay -> relay.startsWith("site-"));
        assertThat(report.path("parts").findValuesAsText("name")).containsExactly("detected", "restarted", "JVM", "replayed", "together");
        assertThat(report.path("relayParts").findValuesAsText("name")).containsExactly("serves", "job back", "ranks back");
        assertThat(report.path("launcherParts").findValuesAsText("name")).containsExactly("started", "job back", "ranks back");
    }

    /** A rank has 3,000 deliveries in all, or 1,500, and this seed's kills come when it has had a quarter of them and more. */
    @Tag("long")
    @Test
    void ranksOfAProgramThatSavesItsStateGoOnFromThere() throws Exception {
        Command.Result result = Command.run(
                folder, "chaos", "--job", "example:waves", "-n", "3", "--kills", "2", "--seed", "2", "--relay-every", "0",
                "--durability", "host", "--checkpoint-every", "20ms", "--json", "20000", "1500");
        assertThat(result.status()).as(result.out() + result.err()).isZero();
        assertThat(result.err().strip()).endsWith("2 of 2 verify");
        JsonNode report = new ObjectMapper().readTree(result.out());
        assertThat(report.path("killed").findValues("deliveries")).hasSize(2).allSatisfy(replayed -> assertThat(replayed.asInt()).isLessThan(360));
    }

    @Test
    void aJobThatSurvivesNothingIsRefused() throws Exception {
        InProcess.Result result = InProcess.run("chaos", "--job", "example:ring", "--durability", "none");
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).startsWith("posthouse chaos: a job with --durability none survives no kill: process or host");
    }

    @Tag("long")
    @Test
    void aJobThatDoesNotEndureAKillFailsTheCampaign() throws Exception {
        Command.Result result = Command.run(
                folder, "chaos", "-cp", Jobs.classPath(), "--job", Forgets.class.getName(), "-n", "2", "--kills", "1", "--seed", "5");
        assertThat(result.status()).as(result.out() + result.err()).isEqualTo(1);
        assertThat(result.out())
                .contains(" of seed 5 FAILED: status 1, rank ", ": FAILED\n", "0 of 1 verify; 1 of ")
                .endsWith(" runs failed\n");
    }

    @Tag("long")
    @Test
    void aRelayThatCannotComeBackEndsTheCampaignWithAReport() throws Exception {
        Command.Result result = Command.run(
                folder, "chaos", "-cp", Jobs.classPath(), "--job", TakesPort.class.getName(), "-n", "2", "--kills", "1", "--relay-every", "1", "--seed", "5");
        assertThat(result.status()).as(result.out() + result.err()).isEqualTo(1);
        assertThat(result.out())
                .contains(" of seed 5 FAILED: relay site-a was killed and cannot be started again: a relay ended before it served: ")
                .contains("0 of 1 verify; 1 of ", "; relay site-a was killed and cannot be started again: ");
        String last = result.out().lines().toList().getLast();
        assertThat(last).startsWith("what its relays have said and logged stays in ");
        assertThat(Path.of(last.substring(last.lastIndexOf(' ') + 1)).resolve("site-a-1.log")).isNotEmptyFile();
    }

    @Tag("long")
    @Test
    void aCampaignThatIsInterruptedTellsOfTheKillsSoFar() throws Exception {
        try (Command command = Command.start(
                folder, "chaos", "--job", "example:ring", "-n", "2", "--kills", "99", "--relay-every", "0", "--seed", "5", "800", "1024")) {
            await().atMost(600, SECONDS).until(() -> command.out().contains(" killed at ") || !command.handle().isAlive());
            new ProcessBuilder("kill", "-INT", Long.toString(command.handle().pid())).start().waitFor();
            Command.Result result = command.await();
            assertThat(result.status()).as(result.err()).isEqualTo(130);
            assertThat(result.out()).containsPattern("\n[1-9][0-9]? of 99 verify; interrupted in run [0-9]+\n$");
        }
    }

    @Tag("long")
    @Test
    void refusesJobThatPrintsNoVerification() throws Exception {
        Command.Result result = Command.run(folder, "chaos", "-cp", Jobs.classPath(), "--job", EchoesArguments.class.getName(), "-n", "2");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("the job fails without a kill: it said \"Verification: SUCCESSFUL\" 0 times");
    }
}
