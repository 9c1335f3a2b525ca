package org.posthouse.relay.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.directory.MemoryDirectory;
import org.posthouse.keys.RelayId;
import org.posthouse.relay.RawPeer;
import org.posthouse.relay.Relay;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.status.RelayStatus.Log;
import org.posthouse.wire.CheckpointNotice;
import org.posthouse.wire.Durability;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;
import org.posthouse.wire.Wire;

/** A rank's image at a relay whose disk does not do what it should. */
@ExtendWith(VertxExtension.class)
@Timeout(120)
final class ImageWriterTest {
    private static final int BYTES = 100;
    private static final Token TOKEN = new Token(1, 2);

    @TempDir
    private Path folder;

    /** Else it would save for ever. */
    @Test
    void rankLearnsOfFailedImageThoughItsRemainsCannotBeDeleted(Vertx vertx) throws Exception {
        MemoryDirectory directory = new MemoryDirectory();
        Relay relay = new Relay(RelayConfig.loopback(RelayId.parse("here"), 0).withLog(folder.resolve("log")), directory);
        vertx.deployVerticle(relay).await(60, TimeUnit.SECONDS);
        try (RawPeer launcher = RawPeer.connect(relay.address()); RawPeer rank = RawPeer.connect(relay.address())) {
            launcher.hello(Hello.launcher());
            launcher.send(new JobOpen(1, TOKEN, Durability.PROCESS, false, "test", List.of(new HomeRelay("here", "here", "h:1")), new int[1]).encode());
            next(launcher, FrameType.JOB_OPENED);
            rank.hello(Hello.firstStart(1, 0), TOKEN);
            rank.send(CheckpointNotice.of(1, CheckpointNotice.Kind.READY, 0, 0).encode());
            assertThat(CheckpointNotice.decode(next(rank, FrameType.POINT)).kind()).isEqualTo(CheckpointNotice.Kind.SAVED);
            rank.send(new CheckpointNotice(1, CheckpointNotice.Kind.SAVE, 0, 0, BYTES, 0, 0, 0, 0, 0).encode());
            await().atMost(Duration.ofSeconds(60)).until(() -> unfinished().isPresent());
            Path written = unfinished().orElseThrow();
            Files.delete(written);
            Files.createDirectories(written.resolve("full"));
            String name = written.getFileName().toString();
            Path kept = written.resolveSibling(name.substring(0, name.lastIndexOf('.')));
            Files.createDirectories(kept.resolve("full"));
            rank.send(image());
            assertThat(CheckpointNotice.decode(next(rank, FrameType.POINT)).kind()).isEqualTo(CheckpointNotice.Kind.FAILED);
            relay.control().post(relay.status()::refresh);
            await().atMost(Duration.ofSeconds(60)).until(() -> log(relay).state().equals("unsaved"));
            assertThat(log(relay).text()).startsWith("no checkpoint of rank 0 of job 0000000000000001: log " + folder);
            for (Path inTheWay : List.of(written, kept)) {
                Files.delete(inTheWay.resolve("full"));
                Files.deleteIfExists(inTheWay); // The relay may have been faster.
            }
            rank.send(new CheckpointNotice(1, CheckpointNotice.Kind.SAVE, 0, 0, BYTES, 0, 0, 0, 0, 0).encode());
            rank.send(image());
            assertThat(CheckpointNotice.decode(next(rank, FrameType.POINT)).kind()).isEqualTo(CheckpointNotice.Kind.SAVED);
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                relay.control().post(relay.status()::refresh);
                return log(relay).state().equals("open");
            });
        } finally {
            vertx.undeploy(relay.deploymentID()).await(60, TimeUnit.SECONDS);
            directory.close();
        }
    }

    private static Log log(Relay relay) {
        return relay.status().snapshot().log().orElseThrow();
    }

    /** Not its prologue, which comes before it and goes by itself. */
    private Optional<Path> unfinished() throws Exception {
        Path ofRank = folder.resolve("images/0000000000000001/0");
        if (!Files.isDirectory(ofRank)) {
            return Optional.empty();
        }
        try (Stream<Path> files = Files.list(ofRank)) {
            return files.filter(file -> file.toString().endsWith(".img.tmp")).findFirst();
        }
    }

    private static ByteBuffer image() {
        ByteBuffer frame = ByteBuffer.allocate(Wire.IMAGE_HEADER_BYTES + BYTES);
        new FrameView().wrap(frame, 0).begin(FrameType.IMAGE, Wire.IMAGE_HEADER_BYTES, 1).image(0, 0).length(frame.capacity());
        return frame;
    }

    private static ByteBuffer next(RawPeer peer, FrameType type) throws Exception {
        ByteBuffer frame = peer.readFrame();
        while (new FrameView().wrap(frame, 0).type() != type) {
            frame = peer.readFrame();
        }
        return frame;
    }
}
