package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.core.JournalBroken;
import org.posthouse.directory.MemoryDirectory;
import org.posthouse.keys.GridAuthority;
import org.posthouse.keys.RelayId;
import org.posthouse.keys.SiteKeys;
import org.posthouse.logstore.LogSync;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.relay.log.LogJournalTest;
import org.posthouse.tunnel.LinkConfig;
import org.posthouse.tunnel.Links;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.Durability;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;
import org.posthouse.wire.Wire;

/** A relay whose log is not made safe any more, or takes nothing, for whatever reason. */
@ExtendWith(VertxExtension.class)
@Timeout(120)
final class FailedSyncTest {
    @TempDir
    private Path folder;

    /** What they send would wait for the disk for ever. */
    @Test
    void endsTheJobsThatAreToSurviveTheHostAndTakesNoMoreOfThem(Vertx vertx) throws Exception {
        MemoryDirectory directory = new MemoryDirectory();
        RelayConfig config = RelayConfig.loopback(RelayId.parse("here"), 0).withLog(folder.resolve("log"));
        Relay relay = new Relay(config, directory, log -> () -> {
            throw new IllegalStateException("no disk");
        });
        vertx.deployVerticle(relay).await(60, TimeUnit.SECONDS);
        try (RawPeer launcher = RawPeer.connect(relay.address())) {
            launcher.hello(Hello.launcher());
            assertThat(read(launcher)).contains("WELCOME");
            assertThat(List.of(open(launcher, relay, 1, Durability.HOST), read(launcher)))
                    .as("what opened it is to come to the disk, though none of its ranks has said anything")
                    .anySatisfy(opened -> assertThat(opened).contains("JOB_OPENED"))
                    .anySatisfy(failed -> assertThat(failed).contains("JOB_EVENT", "LOG_BROKEN", "no disk"));
            assertThat(open(launcher, relay, 2, Durability.PROCESS)).contains("JOB_OPENED");
            assertThat(open(launcher, relay, 3, Durability.HOST)).contains("cannot survive the host of relay here", "no disk");
            assertThat(relay.status().readiness().reasons()).singleElement().asString().contains("relay here takes no jobs with --durability host", "no disk");
            relay.control().post(relay.status()::refresh);
            await().until(() -> relay.status().snapshot().log().orElseThrow().text().startsWith("no jobs with --durability host: "));
        } finally {
            vertx.undeploy(relay.deploymentID()).await(60, TimeUnit.SECONDS);
            directory.close();
        }
    }

    /** The relay's next process may go on with it, and a job of a month is not to be lost with a disk that failed once. */
    @Test
    void aJobWithAFolderStandsStillUntilItIsEnded(Vertx vertx) throws Exception {
        MemoryDirectory directory = new MemoryDirectory();
        RelayConfig config = RelayConfig.loopback(RelayId.parse("here"), 0).withLog(folder.resolve("log"));
        StoppedDisk disk = new StoppedDisk();
        Relay relay = new Relay(config, directory, disk::stands);
        vertx.deployVerticle(relay).await(60, TimeUnit.SECONDS);
        JobOpen job = new JobOpen(1, Token.random(), Durability.HOST, false, "test", List.of(new HomeRelay("here", "here", relay.address())), new int[2])
                .keepingOutput();
        disk.fail();
        for (JobOpen opening : List.of(job, job.comingBack())) {
            try (RawPeer launcher = RawPeer.connect(relay.address())) {
                launcher.hello(Hello.launcher());
                assertThat(read(launcher)).contains("WELCOME");
                launcher.send(opening.encode());
                JobEvent event = nextEvent(launcher);
                assertThat(List.of(event.kind(), event.rank(), event.code())).containsExactly(JobEvent.ABORTED, -1, JobEvent.STANDS);
                assertThat(event.text()).contains("LOG_BROKEN", "no disk", "start the relay again");
            }
        }
        relay.control().post(relay.status()::refresh);
        await().untilAsserted(() -> assertThat(relay.status().snapshot().log()).hasValueSatisfying(log -> {
            assertThat(log.state()).isEqualTo("broken");
            assertThat(log.text()).contains("job 0000000000000001 (test) stands still since ", ": LOG_BROKEN: ", "start the relay again");
        }));
        vertx.undeploy(relay.deploymentID()).await(60, TimeUnit.SECONDS);
        directory.close();
    }

    /** A file system that has become read-only, say. */
    @Test
    void tellsThatItsLogTakesNothingAsLongAsThatIsSo(Vertx vertx) throws Exception {
        MemoryDirectory directory = new MemoryDirectory();
        Path log = folder.resolve("log");
        Relay relay = new Relay(RelayConfig.loopback(RelayId.parse("here"), 0).withLog(log), directory);
        vertx.deployVerticle(relay).await(60, TimeUnit.SECONDS);
        try (RawPeer launcher = RawPeer.connect(relay.address())) {
            launcher.hello(Hello.launcher());
            read(launcher);
            assertThat(open(launcher, relay, 1, Durability.PROCESS)).contains("JOB_OPENED");
            Path away = breakLog(relay);
            assertThat(relay.status().readiness().reasons()).singleElement().asString()
                    .contains("relay here takes no logged jobs: log " + log, "check that the file system is local and writable");
            relay.control().post(relay.status()::refresh);
            await().until(() -> relay.status().snapshot().log().orElseThrow().text().startsWith("no logged jobs: log " + log));
            Files.move(away, log);
            assertThat(open(launcher, relay, 2, Durability.PROCESS)).contains("JOB_OPENED");
            assertThat(relay.status().readiness().reasons()).isEmpty();
        } finally {
            vertx.undeploy(relay.deploymentID()).await(60, TimeUnit.SECONDS);
            directory.close();
        }
    }

    /** Else it would keep for ever what it has sent behind that, of whatever job. */
    @Test
    void anotherRelayHearsThatItsFramesWereHandledWhenTheirJobHasEnded(Vertx vertx) throws Exception {
        StoppedDisk disk = new StoppedDisk();
        isHandledWhenItsJobHasEnded(vertx, Durability.HOST, disk::stands, (relay, offer) -> {
            long opened = relay.log().position();
            offer.run();
            await().atMost(Duration.ofSeconds(60)).until(() -> relay.log().position() > opened);
            disk.fail();
        }, "no disk");
    }

    /** The relay's next process may go on with the job, and needs what this one could not log. */
    @Test
    void otherRelayRetainsUnloggedFrameUntilItsJobEnds(Vertx vertx) throws Exception {
        isHandledWhenItsJobHasEnded(vertx, Durability.PROCESS, UnaryOperator.identity(), (relay, offer) -> {
            Path away = Files.move(folder.resolve("log"), folder.resolve("away"));
            await().atMost(Duration.ofSeconds(60)).until(() -> relay.log().failure().isPresent());
            offer.run();
            await().atMost(Duration.ofSeconds(60)).until(() -> relay.log().journal().isBroken(1));
            Files.move(away, folder.resolve("log"));
        }, "cannot be logged");
    }

    /** Nothing more of job 1 is logged. @return where the log is until somebody puts it back */
    private Path breakLog(Relay relay) throws IOException {
        ByteBuf items = Unpooled.buffer().writeZero(Wire.PAYLOAD_BYTES_MAX);
        Path away = Files.move(folder.resolve("log"), folder.resolve("away"));
        assertThatThrownBy(() -> {
            for (int frames = 0; frames < 1_000; frames++) {
                LogJournalTest.events(relay.log(), 1, 1, items);
            }
        }).isInstanceOf(JournalBroken.class);
        items.release();
        return away;
    }

    /** What is done to the log of a relay, and the frame that comes from another one. */
    private interface Fault {
        void before(Relay relay, Runnable offer) throws IOException;
    }

    private void isHandledWhenItsJobHasEnded(
            Vertx vertx, Durability durability, UnaryOperator<Supplier<LogSync>> disk, Fault fault, String told) throws Exception {
        MemoryDirectory directory = new MemoryDirectory();
        GridAuthority authority = GridAuthority.init(folder.resolve("authority"), 30);
        AtomicLong acknowledged = new AtomicLong();
        Context context = vertx.getOrCreateContext();
        Links far = new Links(context, links(authority, "far", 1).listen("127.0.0.1", 0), new Far(acknowledged));
        far.start().await(60, TimeUnit.SECONDS);
        RelayConfig config = RelayConfig.loopback(RelayId.parse("here"), 0).withLog(folder.resolve("log"));
        LinkConfig links = links(authority, "here", config.epoch()).peer("far", "127.0.0.1:" + far.port());
        Relay relay = new Relay(config.withLinks(links), directory, disk);
        vertx.deployVerticle(relay).await(60, TimeUnit.SECONDS);
        try (RawPeer launcher = RawPeer.connect(relay.address())) {
            launcher.hello(Hello.launcher());
            read(launcher);
            List<HomeRelay> homes = List.of(new HomeRelay("here", "here", relay.address()), new HomeRelay("far", "far", "f:1"));
            launcher.send(new JobOpen(1, Token.random(), durability, false, "test", homes, new int[] {0, 1}).encode());
            assertThat(read(launcher)).contains("JOB_OPENED");
            fault.before(relay, () -> context.runOnContext(now -> far.send("here", offer(1))));
            assertThat(read(launcher)).contains("JOB_EVENT", "LOG_BROKEN", told);
            await().during(10L * links.timeouts().ackMs(), TimeUnit.MILLISECONDS).atMost(Duration.ofSeconds(60))
                    .failFast("the job may go on out of the log", () -> acknowledged.get() > 0).until(() -> true);
            launcher.send(new CloseNotice(1, 3, -1, "over").encode(FrameType.JOB_CLOSE));
            await().atMost(Duration.ofSeconds(60)).until(() -> acknowledged.get() == 1);
        } finally {
            vertx.undeploy(relay.deploymentID()).await(60, TimeUnit.SECONDS);
            far.close().await(60, TimeUnit.SECONDS);
            directory.close();
        }
    }

    /** Counts what the other end has handled. */
    private record Far(AtomicLong acknowledged) implements Links.Listener {
        @Override
        public boolean onFrame(String from, long number, ByteBuf buffer, int index, int length, FrameView view) {
            return true;
        }

        @Override
        public void onAcknowledged(String relay, long frames) {
            acknowledged.addAndGet(frames);
        }
    }

    private LinkConfig links(GridAuthority authority, String site, long epoch) throws Exception {
        Path keys = folder.resolve(site);
        authority.issue(site, 10, keys);
        return LinkConfig.of(site, epoch, SiteKeys.load(keys));
    }

    /** From rank 1 to rank 0. */
    private static ByteBuf offer(long job) {
        ByteBuffer frame = ByteBuffer.allocate(Wire.MESSAGE_HEADER_BYTES);
        new FrameView().wrap(frame, 0).begin(FrameType.OFFER, Wire.MESSAGE_HEADER_BYTES, job).address(4, 1, 0, 0).sequence(1).content(100, 100, 1);
        return Unpooled.wrappedBuffer(frame);
    }

    private static String open(RawPeer launcher, Relay relay, long job, Durability durability) throws IOException {
        HomeRelay here = new HomeRelay("here", "here", relay.address());
        launcher.send(new JobOpen(job, Token.random(), durability, false, "test", List.of(here), new int[2]).encode());
        return read(launcher);
    }

    private static JobEvent nextEvent(RawPeer launcher) throws Exception {
        ByteBuffer frame = launcher.readFrame();
        while (new FrameView().wrap(frame, 0).type() != FrameType.JOB_EVENT) {
            frame = launcher.readFrame();
        }
        return JobEvent.decode(frame);
    }

    /** The next frame: its type, and its bytes as text. */
    private static String read(RawPeer peer) throws IOException {
        ByteBuffer frame = peer.readFrame();
        return new FrameView().wrap(frame, 0).type() + " " + new String(frame.array(), StandardCharsets.UTF_8);
    }
}
