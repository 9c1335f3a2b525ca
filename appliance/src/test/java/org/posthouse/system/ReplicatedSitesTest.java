package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.Endpoints;

/** Two sites with one node each, and a job whose ranks have a follower at the site that is not their home's. */
@Timeout(600)
@Tag("long")
class ReplicatedSitesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final String group;

    @TempDir
    private Path folder;

    ReplicatedSitesTest() throws Exception {
        group = "--tunnel-group=" + Relays.freePort();
    }

    @Test
    void followerAtTheOtherSiteLeadsWhenItsLeaderIsKilledAndWhenItsNodeIs() throws Exception {
        followerAtTheOtherSiteLeadsWhenItsLeaderIsKilledAndWhenItsNodeIs("none");
    }

    @ParameterizedTest
    @ValueSource(strings = "process")
    void followerAtTheOtherSiteLeadsWhenItsLeaderIsKilledAndWhenItsNodeIs(String durability) throws Exception {
        try (Relays first = relay("site-a");
                Relays second = relay("site-b", "--peer", "site-a=" + first.ready().links());
                Command one = first.agent("one", 2);
                Command two = second.agent("two", 2);
                Command job = start(first, second, durability)) {
            awaitFollowers(job, first, second);
            first.awaitDelivered(200);
            int rank = rankLedOn(one);
            leader(one, rank).destroyForcibly();
            String leads = "rank " + rank + ": follower 2 on node two of site site-b leads now";
            await().atMost(PATIENCE).until(() -> job.err().contains(leads) || !job.handle().isAlive());
            awaitFollowers(job, first, second);
            long before = first.delivered();
            first.awaitDelivered(before + 200);
            assertThat(followers(first, rank)).as("beside its dead leader's place").isEqualTo(List.of("one"));
            one.handle().destroyForcibly();
            await().atMost(PATIENCE).until(() -> job.err().contains("node one of site site-a is gone") || !job.handle().isAlive());
            assertSuccessful(job.await());
        }
    }

    @Test
    void cutOfTheLinkLosesNothing() throws Exception {
        try (Relays first = relay("site-a");
                CutWay way = new CutWay(port(first.ready().links()));
                Relays second = relay("site-b", "--peer", "site-a=" + way.address());
                Command one = first.agent("one", 2);
                Command two = second.agent("two", 2);
                Command job = start(first, second, "process")) {
            awaitFollowers(job, first, second);
            first.awaitDelivered(200);
            way.cut();
            await().atMost(PATIENCE).until(() -> !first.get("/api/v1/relays").at("/relays/0/links/0/state").asText().equals("UP"));
            way.repair();
            awaitFollowers(job, first, second);
            int rank = rankLedOn(two);
            leader(two, rank).destroyForcibly();
            String leads = "rank " + rank + ": follower 2 on node one of site site-a leads now";
            await().atMost(PATIENCE).until(() -> job.err().contains(leads) || !job.handle().isAlive());
            Command.Result done = job.await();
            assertSuccessful(done);
            assertThat(Jobs.told(done, "leads now")).as("no other process was lost").hasSize(1);
            assertThat(one.handle().isAlive() && two.handle().isAlive()).isTrue();
        }
    }

    @Test
    void placesAreShownBefore() throws Exception {
        try (Relays first = relay("site-a");
                Relays second = relay("site-b", "--peer", "site-a=" + first.ready().links());
                Command one = first.agent("one", 2);
                Command two = second.agent("two", 2)) {
            awaitBoth(first, second);
            Command.Result shown = Command.run(folder, "run", "-n", "2", "-r", "2", "--dry-run", "--sites", "2", "--relay", first.ranks(), "example:ring");
            assertThat(shown.status()).as(shown.err()).isZero();
            assertThat(shown.out()).containsPattern("site site-a, node one, host one: rank ([01]); follower of rank (?!\\1)[01]\n");
            assertThat(shown.out()).containsPattern("site site-b, node two, host two: rank ([01]); follower of rank (?!\\1)[01]\n");
            Command.Result single = Command.run(folder, "run", "-n", "1", "-r", "2", "--dry-run", "--sites", "2", "--relay", first.ranks(), "example:ring");
            assertThat(single.out().lines()).as(single.err()).hasSize(2).anyMatch(line -> line.endsWith(": rank 0"))
                    .anyMatch(line -> line.endsWith(": follower of rank 0"));
            Command.Result refused = Command.run(folder, "run", "-n", "1", "-r", "3", "--dry-run", "--sites", "2", "--relay", first.ranks(), "example:ring");
            assertThat(refused.err()).contains("-r 3 wants 3 hosts for rank 0, and 2 have free places");
            assertThat(one.handle().isAlive() && two.handle().isAlive()).isTrue();
        }
    }

    private static void assertSuccessful(Command.Result done) {
        assertThat(done.status()).as(done.err()).isZero();
        assertThat(done.out()).containsOnlyOnce("Verification: SUCCESSFUL");
        assertThat(done.err()).doesNotContain("restarted", "caught up after", "started again from its log", "DIVERGED", "PRINTS DIFFER");
    }

    private Command start(Relays first, Relays second, String durability) throws Exception {
        awaitBoth(first, second);
        return Command.start(
                folder, "run", "-n", "2", "-r", "2", "--sites", "2", "--node-timeout", "2", "--relay", first.ranks(), "--durability", durability,
                "example:ring", "15000", "1024");
    }

    private static void awaitBoth(Relays first, Relays second) {
        await().atMost(PATIENCE).until(() -> Stream.of(first, second).allMatch(ReplicatedSitesTest::knowsBoth));
    }

    private static boolean knowsBoth(Relays relay) {
        try {
            return relay.get("/api/v1/relays").at("/relays/0/directory").size() == 2;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Each rank has one, at its home. */
    private static void awaitFollowers(Command job, Relays... relays) {
        await().atMost(PATIENCE).until(() -> Stream.of(relays).allMatch(ReplicatedSitesTest::hasFollower) || !job.handle().isAlive());
        assertThat(job.handle().isAlive()).as(job.err()).isTrue();
    }

    private static boolean hasFollower(Relays relay) {
        try {
            return relay.meter("posthouse_followers{") == 1;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static List<String> followers(Relays home, int rank) throws Exception {
        List<String> nodes = new ArrayList<>();
        String id = home.get("/api/v1/jobs").at("/jobs/0/id").asText();
        home.get("/api/v1/jobs/" + id).at("/ranks/" + rank + "/followers").forEach(follower -> nodes.add(follower.path("node").asText()));
        return nodes;
    }

    /** It is at home at the site of that node. */
    private static int rankLedOn(Command agent) {
        return Stream.of(0, 1).filter(rank -> leaders(agent, rank).findAny().isPresent()).findFirst().orElseThrow();
    }

    private static ProcessHandle leader(Command agent, int rank) {
        return leaders(agent, rank).findFirst().orElseThrow();
    }

    private static Stream<ProcessHandle> leaders(Command agent, int rank) {
        return Jobs.ranks(agent.handle()).stream()
                .filter(process -> Jobs.environment(process).contains("\0POSTHOUSE_RANK=" + rank + "\0"))
                .filter(process -> !Jobs.environment(process).contains("\0" + Endpoints.FOLLOWER + "="));
    }

    private static int port(String address) {
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }

    private Relays relay(String site, String... more) throws Exception {
        return Relays.startWithKeys(folder, site, Stream.concat(Stream.of(group), Stream.of(more)).toArray(String[]::new));
    }
}
