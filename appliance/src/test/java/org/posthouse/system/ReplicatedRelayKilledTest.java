package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.mpj.Endpoints;
import org.posthouse.relay.RawPeer;
import org.posthouse.wire.Durability;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.WireException;

/** kill -9 of the relay of a job with followers, which is started again on its log. */
@Timeout(600)
class ReplicatedRelayKilledTest {
    private static final long JOB = 0x78;
    private static final Token TOKEN = new Token(1, 2);
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    @TempDir
    private Path folder;

    private Relays relay() throws Exception {
        return Relays.start(folder, "site-a", "--data", folder.resolve("data").toString());
    }

    @Tag("long")
    @Test
    void aReplicatedJobGoesOnAlthoughItsRelayIsKilledBeforeAndAfterAPromotion() throws Exception {
        try (Relays relay = relay();
                Command job = Command.start(
                        folder, "run", "-n", "2", "-r", "2", "--relay", relay.ranks(), "--durability", "process", "example:ring", "15000", "1024")) {
            awaitFollowers(relay, job);
            relay.awaitDelivered(200);
            relay.kill();
            relay.startAgain();
            awaitFollowers(relay, job);
            relay.awaitDelivered(200);
            leader(job, 0).destroyForcibly();
            await().atMost(PATIENCE).until(() -> job.err().contains("rank 0: follower 2 leads now") || !job.handle().isAlive());
            relay.kill();
            relay.startAgain();
            awaitFollowers(relay, job);
            relay.awaitDelivered(200);
            assertThat(job.handle().isAlive()).as("it is under way: %s", job.err()).isTrue();
            Command.Result done = job.await();
            assertThat(done.status()).as(done.err()).isZero();
            assertThat(done.out()).containsOnlyOnce("Verification: SUCCESSFUL");
            assertThat(done.err()).doesNotContain("restarted", "caught up after", "started again from its log", "DIVERGED", "PRINTS DIFFER");
        }
    }

    private static void awaitFollowers(Relays relay, Command job) {
        await().atMost(PATIENCE).until(() -> relay.meter("posthouse_followers{") == 2 || !job.handle().isAlive());
        assertThat(job.handle().isAlive()).as(job.err()).isTrue();
    }

    private static ProcessHandle leader(Command job, int rank) {
        return Jobs.ranks(job.handle()).stream()
                .filter(process -> Jobs.environment(process).contains("\0POSTHOUSE_RANK=" + rank + "\0"))
                .filter(process -> !Jobs.environment(process).contains("\0" + Endpoints.FOLLOWER + "="))
                .findFirst()
                .orElseThrow();
    }

    /** Its launcher's connection may have been away when the follower was promoted. */
    @Test
    void aRelayThatIsStartedAgainSaysWhichFollowerLeads() throws Exception {
        try (Relays relay = relay()) {
            RawPeer launcher = RawPeer.connect(relay.ranks());
            launcher.hello(Hello.launcher());
            HomeRelay self = Welcome.decode(launcher.readFrame()).homes().getFirst();
            HomeRelay home = new HomeRelay(self.site(), self.relay(), relay.ranks());
            launcher.send(opening(home, false));
            read(launcher, FrameType.JOB_OPENED);
            RawPeer leader = connect(relay, Hello.firstStart(JOB, 0));
            RawPeer follower = connect(relay, Hello.follower(JOB, 0, 2));
            leader.close();
            read(follower, FrameType.PROMOTED);
            launcher.close();
            follower.close();
            relay.kill();
            relay.startAgain();
            launcher = RawPeer.connect(relay.ranks());
            launcher.hello(Hello.launcher());
            launcher.send(opening(home, true));
            read(launcher, FrameType.JOB_OPENED);
            JobEvent leads = told(launcher, JobEvent.LEADS);
            assertThat(leads.code()).as("its number now").isEqualTo(3);
            assertThat(leads.a()).as("the number with which it was started").isEqualTo(2);
            launcher.close();
        }
    }

    /** @param again whether the relay has the job */
    private static ByteBuffer opening(HomeRelay home, boolean again) {
        return new JobOpen(JOB, TOKEN, Durability.PROCESS, again, "replicas", List.of(home), new int[1]).encode();
    }

    private static RawPeer connect(Relays relay, Hello hello) throws IOException {
        RawPeer rank = RawPeer.connect(relay.ranks());
        rank.hello(hello, TOKEN);
        read(rank, FrameType.WELCOME);
        return rank;
    }

    private static ByteBuffer read(RawPeer from, FrameType type) throws IOException {
        ByteBuffer frame = from.readFrame();
        while (new FrameView().wrap(frame, 0).type() != type) {
            frame = from.readFrame();
        }
        return frame;
    }

    private static JobEvent told(RawPeer launcher, int kind) throws IOException, WireException {
        JobEvent event = JobEvent.decode(read(launcher, FrameType.JOB_EVENT));
        while (event.kind() != kind) {
            event = JobEvent.decode(read(launcher, FrameType.JOB_EVENT));
        }
        return event;
    }
}
