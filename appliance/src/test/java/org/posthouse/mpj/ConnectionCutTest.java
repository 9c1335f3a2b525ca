package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Layout;
import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.SendMode;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.wire.Wire;

/**
 * Real relays, real endpoints, and connections between them that are cut again and again at any byte: a ring of messages of all forms
 * gets round whole, whatever way its ranks wait for them.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ConnectionCutTest {
    private static final int CONTEXT = 4;
    private static final int[] SIZES = {0, 8, 1_000, 65_536, 65_537, 70_000, 300_000, 2_000_000};
    private static final int ROUNDS = 60;
    private static final int CUTS_MAX = 20;

    private static Region region(byte[] array) {
        return new Region(Base.BYTE, Layout.ONE, array, 0);
    }

    /** What rank {@code from} says in a round. */
    private static byte[] letter(int bytes, int from, int round) {
        byte[] letter = new byte[bytes];
        new SplittableRandom(round * 1_000L + from).nextBytes(letter);
        return letter;
    }

    private static void ring(Endpoint end, long seed) {
        Random own = new Random(seed * 100 + end.rank());
        int[] sizes = new Random(seed).ints(ROUNDS, 0, SIZES.length).map(kind -> SIZES[kind]).toArray();
        int next = (end.rank() + 1) % end.size();
        int previous = (end.rank() + end.size() - 1) % end.size();
        for (int round = 0; round < ROUNDS; round++) {
            byte[] sent = letter(sizes[round], end.rank(), round);
            byte[] expected = letter(sizes[round], previous, round);
            byte[] got = new byte[expected.length];
            SendMode mode = own.nextInt(4) == 0 ? SendMode.SYNCHRONOUS : SendMode.STANDARD;
            Operation send = end.send(CONTEXT, next, round % 7, region(sent).content(0, sent.length), mode);
            int source = own.nextInt(3) == 0 ? Wire.ANY : previous;
            if (own.nextInt(4) == 0) {
                assertThat(end.probe(CONTEXT, source, round % 7).bytes()).isEqualTo(expected.length);
            }
            Operation receive = end.receive(CONTEXT, source, round % 7, region(got).sink(0, got.length));
            finish(end, own, send, receive);
            assertThat(receive.failure()).isNull();
            assertThat(receive.envelope().bytes()).isEqualTo(expected.length);
            assertThat(Arrays.mismatch(got, expected)).as("round %d of rank %d", round, end.rank()).isEqualTo(-1);
            cancelOne(end, own);
        }
    }

    private static void finish(Endpoint end, Random own, Operation send, Operation receive) {
        switch (own.nextInt(3)) {
            case 0 -> {
                while (!end.test(receive)) {
                    Thread.yield();
                }
            }
            case 1 -> {
                Operation[] both = {send, receive};
                both[end.awaitAny(both)] = null;
                end.awaitAny(both);
            }
            default -> end.await(receive);
        }
        end.await(receive);
        end.await(send);
    }

    /** A receive that nothing comes for. */
    private static void cancelOne(Endpoint end, Random own) {
        if (own.nextInt(6) == 0) {
            assertThat(end.cancel(end.receive(CONTEXT, Wire.ANY, 99, region(new byte[1]).sink(0, 1)))).isTrue();
            assertThat(end.tryProbe(CONTEXT, Wire.ANY, 99)).isNull();
        }
    }

    @ParameterizedTest
    @CsvSource("2, 3, 6")
    void aRingGetsRoundWhole(int sites, int ranks, long seed) throws Exception {
        getsRoundWhole(sites, ranks, seed);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"1, 2, 1", "1, 3, 2", "1, 4, 3", "2, 2, 4", "2, 4, 5"})
    void getsRoundWholeWithOtherSitesAndRanks(int sites, int ranks, long seed) throws Exception {
        getsRoundWhole(sites, ranks, seed);
    }

    private static void getsRoundWhole(int sites, int ranks, long seed) throws Exception {
        AtomicReferenceArray<CuttingProxy> proxies = new AtomicReferenceArray<>(ranks);
        try (RelayedWorld world = RelayedWorld.logged(sites, ranks, new Settings(100_000, 0, Settings.KEPT_BYTES_LEAST, 30))) {
            world.connectVia((rank, relay) -> {
                proxies.set(rank, new CuttingProxy(relay, seed * 10 + rank, 3_000_000, CUTS_MAX));
                return proxies.get(rank).address();
            });
            world.run(end -> ring(end, seed));
        } finally {
            close(proxies);
        }
        for (int rank = 0; rank < ranks; rank++) {
            assertThat(proxies.get(rank).cuts()).as("cuts of rank %d", rank).isGreaterThan(5);
        }
    }

    private static void close(AtomicReferenceArray<CuttingProxy> proxies) throws IOException {
        for (int rank = 0; rank < proxies.length(); rank++) {
            if (proxies.get(rank) != null) {
                proxies.get(rank).close();
            }
        }
    }
}
