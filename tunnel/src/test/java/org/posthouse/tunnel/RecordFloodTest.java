package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.posthouse.tunnel.socket.LinkRefusal;
import org.posthouse.tunnel.socket.TlsKind;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;

/** A peer with a certificate of the grid makes a relay work for records that carry nothing, or hardly anything (RFC 8446, 4.6.3, 5.1 and 5.4). Its connection ends, no other. */
@ExtendWith(LeakWatch.class)
@Timeout(180)
class RecordFloodTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final LinkTimeouts PATIENT = new LinkTimeouts(30_000, 30_000, 30_000, 3_000, 60_000, 5, 50, 100);

    /** Of a flood that is not stopped the relay would see all of these. */
    private static final int RECORDS = 20_000;

    @TempDir
    private static Path folder;

    private static TestGrid grid;
    private static Vertx vertx;

    @BeforeAll
    static void issueKeys() throws IOException {
        grid = new TestGrid(folder);
        vertx = Vertx.vertx();
        grid.authority().issue("a", 10, folder.resolve("a"));
    }

    @AfterAll
    static void close() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private enum Flood {
        /** RFC 8446, 4.6.3: each makes both ends derive keys, and the relay answer. */
        KEY_UPDATES {
            @Override
            void pour(FloodingPeer peer, int records) throws IOException {
                peer.updateKeys(records, new byte[0]);
            }
        },
        /** So that no engine counts them in a row. */
        KEY_UPDATES_BETWEEN_DATA {
            @Override
            void pour(FloodingPeer peer, int records) throws IOException {
                peer.updateKeys(records / 2, ping());
            }
        },
        RECORDS_OF_ONE_BYTE {
            @Override
            void pour(FloodingPeer peer, int records) throws IOException {
                peer.data(ping(), records / ping().length, 1);
            }
        };

        abstract void pour(FloodingPeer peer, int records) throws IOException;

        private static byte[] ping() {
            ByteBuffer frame = ByteBuffer.allocate(FrameType.LINK_PING.bytesMin());
            new FrameView().wrap(frame, 0).begin(FrameType.LINK_PING, frame.capacity(), 0).linkWord(0, 7);
            return frame.array();
        }
    }

    @ParameterizedTest
    @EnumSource
    void endsTheConnectionAndNoOther(Flood flood) throws Exception {
        assertEnded(TlsKind.NATIVE, flood);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource
    void soItDoesWithTheTlsOfTheJdk(Flood flood) throws Exception {
        assertEnded(TlsKind.JDK, flood);
    }

    private static void assertEnded(TlsKind tls, Flood flood) throws Exception {
        TestRelay relay = new TestRelay(vertx, grid.listening("m", 10).timeouts(PATIENT).tls(tls)).start();
        TestRelay other = new TestRelay(vertx, grid.config("z", 1).peer("m", "127.0.0.1:" + relay.links.port())).start();
        try (FloodingPeer peer = FloodingPeer.dial(relay.links.port(), folder.resolve("a")).hello("a", "m")) {
            await().atMost(PATIENCE).until(() -> relay.isUp("a") && relay.isUp("z"));
            CompletableFuture<String> poured = CompletableFuture.supplyAsync(() -> pour(flood, peer));
            CloseNotice told = peer.awaitClose();
            await().atMost(PATIENCE).until(() -> !relay.downs.isEmpty());
            assertThat(relay.downs).singleElement().satisfies(why -> {
                assertThat(why.reason()).isEqualTo(CloseReason.LIMIT);
                assertThat(why.text()).containsPattern(" TLS records with \\d+ bytes of data | bytes in TLS records that are key updates|TOO_MANY_KEY_UPDATES");
                assertThat(told).as("an engine that ends the connection itself says so by an alert").isIn(why,
                        tls == TlsKind.NATIVE && flood == Flood.KEY_UPDATES ? null : why);
            });
            assertThat(poured.get(60, TimeUnit.SECONDS)).as("what its writer hears")
                    .matches(".{0}|Broken pipe|Connection reset|Socket closed|(?s).*fatal alert.*|.*closed.*");
            assertThat(relay.refusals(LinkRefusal.RECORD_FLOOD)).isEqualTo(1);
            assertThat(relay.events).doesNotContain("down z");
        } finally {
            other.close();
            relay.close();
        }
    }

    /** @return why no more can be poured; nothing if all was */
    private static String pour(Flood flood, FloodingPeer peer) {
        try {
            flood.pour(peer, RECORDS);
            return "";
        } catch (IOException e) {
            return e.getMessage();
        }
    }
}
