package org.posthouse.system;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.cli.InProcess;
import org.posthouse.system.jobs.EchoesArguments;
import org.posthouse.system.jobs.Forgets;
import org.posthouse.system.jobs.TakesPort;

/** {@code posthouse chaos}: a short campaign that is survived, and one that is not, which it has to tell. */
@Timeout(900)
class ChaosTest {
    private static final int KILLS = Integer.getInteger("posthouse.chaos.kills", 8);

    @TempDir
    private Path folder;

    /** Of this seed's one run. */
    @Tag("long")
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
        assertThat(result.err())
                .startsWith("posthouse chaos: a job with --durability none survives no kill: give --durability process or host, or followers with -r 2");
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

    /** Two kills: one of a leader, one of a follower. */
    @Tag("long")
    @Test
    void aRunVerifiesAlthoughALeaderAndAFollowerAreKilled() throws Exception {
        JsonNode report = replicated(2, "-n", "2", "--relay-every", "0", "600", "1024");
        assertThat(report.path("killed")).hasSize(1);
        assertThat(report.path("followersKilled")).hasSize(1);
        JsonNode totals = report.path("replicaTotals");
        assertThat(totals.path("promotions").asInt() + totals.path("restarts").asInt()).isPositive();
        assertThat(totals.path("diverged").asInt()).isZero();
    }

    /** The same without a log: no rank can be started again, so a follower leads. No relay is killed although the default is each tenth. */
    @Test
    void aRunWithoutALogVerifiesAlthoughALeaderAndAFollowerAreKilled() throws Exception {
        JsonNode report = replicated(2, "-n", "2", "--durability", "none", "600", "1024");
        assertThat(report.path("killed")).hasSize(1);
        assertThat(report.path("followersKilled")).hasSize(1);
        JsonNode totals = report.path("replicaTotals");
        assertThat(totals.path("promotions").asInt()).isPositive();
        assertThat(totals.path("restarts").asInt()).isZero();
        assertThat(totals.path("diverged").asInt()).isZero();
    }

    @Tag("long")
    @Test
    void everyRunWithoutALogVerifiesAlthoughLeadersFollowersAndNodesAreKilled() throws Exception {
        JsonNode report = replicated(KILLS, "-n", "4", "--nodes", "3", "--durability", "none", "1200", "1024");
        assertThat(report.path("agentsKilled")).isNotEmpty();
        assertThat(report.path("relaysKilled")).isEmpty();
        assertThat(report.path("replicaTotals").path("promotions").asInt()).isPositive();
    }

    @Tag("long")
    @Test
    void everyRunVerifiesAlthoughLeadersFollowersAndRelaysAreKilled() throws Exception {
        JsonNode report = replicated(KILLS, "-n", "4", "--sites", "2", "--relay-every", "4", "1200", "1024");
        assertThat(report.path("relaysKilled")).hasSize(KILLS / 4);
        assertThat(report.path("replicaTotals").path("promotions").asInt()).isPositive();
    }

    @Tag("long")
    @Test
    void everyRunVerifiesAlthoughLeadersFollowersRelaysAndNodesAreKilled() throws Exception {
        JsonNode report = replicated(KILLS, "-n", "4", "--nodes", "3", "1200", "1024");
        assertThat(report.path("agentsKilled")).isNotEmpty();
        assertThat(report.path("replicaTotals").path("promotions").asInt()).isPositive();
    }

    /** @param more options, and the arguments of the example */
    private JsonNode replicated(int kills, String... more) throws Exception {
        List<String> words = new ArrayList<>(
                List.of("chaos", "--job", "example:ring", "-r", "2", "--kills", Integer.toString(kills), "--seed", "54", "--json"));
        words.addAll(List.of(more));
        Command.Result result = Command.run(folder, words.toArray(String[]::new));
        assertThat(result.status()).as(result.out() + result.err()).isZero();
        assertThat(result.err().strip()).endsWith(kills + " of " + kills + " verify");
        return new ObjectMapper().readTree(result.out());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "-r 2 --durability none --relay-every 4 | --relay-every 4 and --durability none: without a log followers read from the memory of their"
                + " relay, and the job ends with it; leave one of the two out",
        "-r 2:0,2 --durability none | -r 2:0,2 and --durability none: without a log the death of a rank that is not replicated ends the job, and"
                + " each rank may be killed; give -r 2, or --durability process",
        "-r 2 --launcher-every 3 | -r 2 and --launcher-every: another launcher cannot go on with followers; leave one of the two out",
        "-r 3 --nodes 2 | -r 3 wants 3 hosts at each relay, and --nodes 2 gives 2: give --nodes 3 or more",
        "-r 2 --nodes 3 --relays-per-site 2 | -r 2 wants 2 hosts at each relay, and --nodes 3 with --relays-per-site 2 gives 1: give --nodes 4 or more",
        "-r 2:4 | -r 2:4: rank 4 of a job of 4 ranks, which has ranks 0 to 3",
        "--follower-every 2 | --follower-every is a count from 0, and of use with --replicas 2 or more",
    })
    void replicasThatNoCampaignCanHaveAreRefusedInOneLine(String options, String why) throws Exception {
        InProcess.Result result = InProcess.run(("chaos --job example:ring " + options).split(" "));
        assertThat(result.status()).isNotZero();
        assertThat(result.err().lines().findFirst()).hasValue("posthouse chaos: " + why);
    }
}
