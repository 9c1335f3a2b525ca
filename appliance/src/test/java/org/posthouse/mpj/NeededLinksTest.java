package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Layout;
import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.ops.RelayView;
import org.posthouse.relay.config.LogLimits;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.relay.host.EmbeddedGrid;
import org.posthouse.status.LinkStatus;
import org.posthouse.tunnel.LinkConfig;
import org.posthouse.tunnel.forward.ForwardConfig;
import org.posthouse.tunnel.stream.StreamConfig;
import org.posthouse.wire.Durability;

/** A job runs though some of its relays cannot reach each other, as long as no channel joins their ranks (ADR 82). */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class NeededLinksTest {
    private static final int CONTEXT = 6;

    /** Relays in two rows and two columns, each with a square of this many ranks a side. */
    private static final int SIDE = 4;

    private static final int RANKS = 4 * SIDE * SIDE;
    private static final int ROUNDS = 20;

    /** Each dials its neighbours only, and carries no path of others: that takes two streams. */
    private static LinkConfig neighboursOnly(LinkConfig links) {
        String across = Map.of("site-c", "site-b", "site-d", "site-a").getOrDefault(links.relay(), "");
        StreamConfig oneStream = new StreamConfig(8, 1, 8);
        return links.dialling(peer -> !peer.equals(across)).forwards(new ForwardConfig(oneStream, Map.of(), List.of(), Optional.empty()));
    }

    @ParameterizedTest
    @EnumSource(names = "PROCESS")
    void stencilOverFourRelaysNeedsFourOfSixLinks(Durability durability) throws Exception {
        Optional<LogLimits> logs = durability == Durability.NONE ? Optional.empty() : Optional.of(LogLimits.DEFAULT);
        try (RelayedWorld world = new RelayedWorld(
                vertx -> EmbeddedGrid.start(
                        vertx, 4, 1, logs, ModeConfig.of(RelayConfig.Mode.MULTIPLEXED), UnaryOperator.identity(), NeededLinksTest::neighboursOnly),
                RANKS, Settings.DEFAULT, durability)) {
            world.run(NeededLinksTest::exchange);
            List<String> up = new ArrayList<>();
            for (RelayView view : world.views()) {
                String relay = view.snapshot().relay();
                view.snapshot().links().stream()
                        .filter(link -> link.state() == LinkStatus.State.UP && relay.compareTo(link.peerRelay()) < 0)
                        .forEach(link -> up.add(relay + " " + link.peerRelay()));
            }
            assertThat(up).containsExactlyInAnyOrder("site-a site-b", "site-a site-c", "site-b site-d", "site-c site-d");
        }
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(names = "NONE")
    void soItDoesWithoutALog(Durability durability) throws Exception {
        stencilOverFourRelaysNeedsFourOfSixLinks(durability);
    }

    /** Each rank adds up what its neighbours above, below, left and right have, again and again. */
    private static void exchange(Endpoint end) {
        int[] neighbours = neighbours(end.rank());
        for (int round = 0; round < ROUNDS; round++) {
            byte[][] got = new byte[neighbours.length][1];
            List<Operation> operations = new ArrayList<>();
            for (int i = 0; i < neighbours.length; i++) {
                operations.addAll(Arrays.asList(end.exchange(
                        CONTEXT, neighbours[i], round, region(got[i]).sink(0, 1), neighbours[i], round,
                        region(new byte[] {(byte) (end.rank() + round)}).content(0, 1))));
            }
            operations.forEach(end::await);
            for (int i = 0; i < neighbours.length; i++) {
                assertThat(got[i][0]).isEqualTo((byte) (neighbours[i] + round));
            }
        }
    }

    private static Region region(byte[] array) {
        return new Region(Base.BYTE, Layout.ONE, array, 0);
    }

    private static int[] neighbours(int rank) {
        int[] place = place(rank);
        return IntStream.range(0, RANKS)
                .filter(other -> Math.abs(place(other)[0] - place[0]) + Math.abs(place(other)[1] - place[1]) == 1)
                .toArray();
    }

    /** Row and column of a rank: its relay's square, and its place in that. */
    private static int[] place(int rank) {
        int square = rank / (SIDE * SIDE);
        int within = rank % (SIDE * SIDE);
        return new int[] {square / 2 * SIDE + within / SIDE, square % 2 * SIDE + within % SIDE};
    }
}
