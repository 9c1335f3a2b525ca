package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.posthouse.mpj.ScriptedRelay.clear;
import static org.posthouse.mpj.ScriptedRelay.view;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Layout;
import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.operation.SendMode;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.wire.Durability;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.Wire;

/** In what chunks a message leaves a rank whose job is not logged. */
final class OutboxTest extends OneRank {
    private static final int PIECE = Wire.PAYLOAD_BYTES_MAX;

    OutboxTest() throws IOException {}

    @BeforeEach
    public void connect() throws Exception {
        List<HomeRelay> homes = List.of(new HomeRelay("lyon", "r1", "127.0.0.1:1"));
        Welcome welcome = new Welcome(ScriptedRelay.JOB, 0, 1, 16 << 20, 64, Durability.NONE, 0, 0, 0, 0, 0, 0, homes, new int[2], new int[0]);
        connect(Hello.firstStart(ScriptedRelay.JOB, 0), new Settings(1024 * 1024, 0), welcome.encode());
    }

    private void send(int pieces, SendMode mode) {
        byte[] bytes = new byte[pieces * PIECE];
        start(() -> {
            endpoint.await(endpoint.send(0, 1, 0, new Region(Base.BYTE, Layout.ONE, bytes, 0).content(0, bytes.length), mode));
            return null;
        });
    }

    private void hearChunk(int from, int pieces) throws Exception {
        ByteBuffer chunk = line.hear(FrameType.CHUNK);
        assertThat(view(chunk).offset()).isEqualTo((long) from * PIECE);
        assertThat(chunk.limit() - Wire.CHUNK_HEADER_BYTES).isEqualTo(pieces * PIECE);
    }

    /** So some of it is passed on while more comes. */
    @ParameterizedTest
    @CsvSource({"4, 1", "8, 2", "11, 2", "16, 4"})
    void aChunkIsAQuarterOfItsMessage(int message, int chunk) throws Exception {
        send(message, SendMode.STANDARD);
        line.hear(FrameType.EAGER);
        for (int at = 0; at < message; at += chunk) {
            hearChunk(at, Math.min(chunk, message - at));
        }
    }

    /** So more is cleared while some is on its way. */
    @Test
    void chunkIsAtMostHalfOfTheClearedBytes() throws Exception {
        send(64, SendMode.SYNCHRONOUS);
        ByteBuffer offer = line.hear(FrameType.OFFER);
        line.say(clear(offer, 4 * PIECE));
        hearChunk(0, 2);
        hearChunk(2, 2);
        line.say(clear(offer, 20 * PIECE));
        for (int at = 4; at < 20; at += 4) {
            hearChunk(at, 4);
        }
        line.say(clear(offer, 21 * PIECE));
        hearChunk(20, 1);
    }
}
