package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Layout;
import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.relay.CutLinks;
import org.posthouse.status.LinkStatus;
import org.posthouse.wire.Durability;
import org.posthouse.wire.Wire;

/**
 * An all-to-all over three sites, again and again, while the connections between the sites are cut at any byte: every message comes once,
 * whole, and in its channel's order, and no rank notices anything. {@code -Dposthouse.cuts=1000} cuts so often.
 */
@Timeout(value = 900, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class CutStormTest {
    private static final int CONTEXT = 4;
    private static final int SITES = 3;
    private static final int RANKS = 6;
    private static final int CUTS = Integer.getInteger("posthouse.cuts", 100);
    private static final int TESTS = 3;
    private static final int LETTERS = 3;
    private static final int[] SIZES = {0, 8, 700, 3_000, 5_000, 30_000, 65_536, 65_537, 70_000, 300_000};
    private static final int HEAD_BYTES = Integer.BYTES;
    private static final int ROUNDS_MAX = 100_000;

    /** A connection lasts for so many bytes at most. */
    private static final int BYTES_MAX = 800_000;

    private final List<CuttingProxy> proxies = new CopyOnWriteArrayList<>();

    private static Region region(byte[] array) {
        return new Region(Base.BYTE, Layout.ONE, array, 0);
    }

    /** The letters of a channel in a round; the first one says whether it is the last. */
    private static List<byte[]> letters(long seed, int round, int from, int to, boolean last) {
        Random random = new Random(((seed * ROUNDS_MAX + round) * RANKS + from) * RANKS + to);
        List<byte[]> letters = new ArrayList<>();
        for (int number = 0; number < LETTERS; number++) {
            byte[] letter = new byte[HEAD_BYTES + SIZES[random.nextInt(SIZES.length)]];
            random.nextBytes(letter);
            ByteBuffer.wrap(letter).putInt(number == 0 && last ? -1 : number);
            letters.add(letter);
        }
        return letters;
    }

    private int cuts() {
        return proxies.stream().mapToInt(CuttingProxy::cuts).sum();
    }

    /** One round. @return whether it was the last: rank 0 says so to all */
    private boolean exchange(Endpoint end, long seed, int round, boolean last) {
        List<Operation> sends = new ArrayList<>();
        for (int i = 0; i < RANKS; i++) {
            int to = (end.rank() + i) % RANKS;
            for (byte[] letter : letters(seed, round, end.rank(), to, last)) {
                sends.add(end.send(CONTEXT, to, round % 1_000, region(letter).content(0, letter.length)));
            }
        }
        int[] came = new int[RANKS];
        boolean over = last;
        for (int i = 0; i < RANKS * LETTERS; i++) {
            int source = round % 2 == 0 ? i % RANKS : Wire.ANY;
            byte[] got = new byte[HEAD_BYTES + SIZES[SIZES.length - 1]];
            Operation receive = end.receive(CONTEXT, source, round % 1_000, region(got).sink(0, got.length));
            end.await(receive);
            assertThat(receive.failure()).isNull();
            int from = receive.envelope().source();
            boolean saidLast = from == 0 && came[from] == 0 && ByteBuffer.wrap(got).getInt() == -1;
            over |= saidLast;
            byte[] expected = letters(seed, round, from, end.rank(), saidLast).get(came[from]++);
            assertThat(receive.envelope().bytes()).as("round %d, letter %d of rank %d", round, came[from], from).isEqualTo(expected.length);
            assertThat(Arrays.mismatch(Arrays.copyOf(got, expected.length), expected))
                    .as("round %d, letter %d of rank %d", round, came[from], from)
                    .isEqualTo(-1);
        }
        sends.forEach(end::await);
        return over;
    }

    private void storm(Endpoint end, long seed) {
        boolean over = false;
        for (int round = 0; !over; round++) {
            assertThat(round).isLessThan(ROUNDS_MAX);
            over = exchange(end, seed, round, end.rank() == 0 && cuts() >= CUTS / TESTS);
        }
    }

    @Test
    void noneIsLostRepeatedOrOutOfOrder() throws Exception {
        isWhole(true, 3, 3);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"false, 1, 1", "false, 3, 2"})
    void norIsItWithoutALog(boolean logged, int lanes, long seed) throws Exception {
        isWhole(logged, lanes, seed);
    }

    private void isWhole(boolean logged, int lanes, long seed) throws Exception {
        CutLinks.Route route = address -> {
            CuttingProxy proxy = new CuttingProxy(address, seed * 10 + proxies.size(), BYTES_MAX, Integer.MAX_VALUE);
            proxies.add(proxy);
            return proxy.address();
        };
        Durability durability = logged ? Durability.PROCESS : Durability.NONE;
        try (RelayedWorld world = new RelayedWorld(
                vertx -> CutLinks.grid(vertx, SITES, logged, route, links -> links.lanes(lanes)), RANKS, Settings.DEFAULT, durability)) {
            world.limit(800);
            world.run(end -> storm(end, seed));
            assertThat(cuts()).isGreaterThanOrEqualTo(CUTS / TESTS);
            await().atMost(Duration.ofSeconds(60)).until(() -> framesRepeated(world) > 0);
        } finally {
            close();
        }
    }

    private static long framesRepeated(RelayedWorld world) {
        return world.views().stream()
                .flatMap(relay -> relay.snapshot().links().stream())
                .mapToLong(LinkStatus::framesRepeated)
                .sum();
    }

    private void close() throws IOException {
        for (CuttingProxy proxy : proxies) {
            proxy.close();
        }
    }
}
