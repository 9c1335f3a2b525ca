package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.directory.MemoryDirectory;
import org.posthouse.tunnel.RelayId;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Home;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;

/** A relay whose log is not made safe any more, for whatever reason. */
@ExtendWith(VertxExtension.class)
@Timeout(60)
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
        vertx.deployVerticle(relay).await(20, TimeUnit.SECONDS);
        try (RawPeer launcher = RawPeer.connect(relay.address())) {
            launcher.send(Hello.launcher(Token.NONE).encode());
            assertThat(read(launcher)).contains("WELCOME");
            assertThat(open(launcher, relay, 1, JobOpen.HOST)).contains("JOB_OPENED");
            assertThat(open(launcher, relay, 2, JobOpen.PROCESS)).contains("JOB_OPENED");
            Shard shard = relay.shards().of(1, 0);
            shard.strand().submit(() -> shard.gate().pass(() -> {}));
            assertThat(read(launcher)).contains("JOB_EVENT", "LOG_DAMAGED", "no disk");
            assertThat(open(launcher, relay, 3, JobOpen.PROCESS)).contains("JOB_OPENED");
            assertThat(open(launcher, relay, 4, JobOpen.HOST)).contains("cannot survive the host of relay here", "no disk");
        } finally {
            vertx.undeploy(relay.deploymentID()).await(20, TimeUnit.SECONDS);
            directory.close();
        }
    }

    private static String open(RawPeer launcher, Relay relay, long job, int durability) throws IOException {
        Home here = new Home("here", "here", relay.address());
        launcher.send(new JobOpen(job, Token.random(), durability, false, "test", List.of(here), new int[2]).encode());
        return read(launcher);
    }

    /** The next frame: its type, and its bytes as text. */
    private static String read(RawPeer peer) throws IOException {
        ByteBuffer frame = peer.readFrame();
        return new FrameView().wrap(frame, 0).type() + " " + new String(frame.array(), StandardCharsets.UTF_8);
    }
}
