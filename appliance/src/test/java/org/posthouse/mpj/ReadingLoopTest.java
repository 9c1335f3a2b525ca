package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Layout;
import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.operation.SendMode;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.relay.threads.ThreadUsage;

/** Modes with several loops have two ranks that only talk to each other served by one of them: another would have to be woken. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ReadingLoopTest {
    private static final int CONTEXT = 6;
    private static final int ROUND_TRIPS = 3_000;

    @ParameterizedTest
    @EnumSource(names = "MULTIPLEXED")
    void aPairIsServedByOneLoop(RelayConfig.Mode mode) throws Exception {
        try (RelayedWorld world = new RelayedWorld(1, 2, Settings.DEFAULT, mode)) {
            world.run(end -> {
                talk(end, ROUND_TRIPS / 10);
                List<ThreadUsage> before = world.threads();
                talk(end, ROUND_TRIPS);
                if (end.rank() == 0) {
                    List<ThreadUsage> after = world.threads();
                    long[] spent = IntStream.range(0, after.size())
                            .mapToLong(i -> after.get(i).cpuNanos() - before.get(i).cpuNanos())
                            .sorted()
                            .toArray();
                    long most = spent[spent.length - 1];
                    assertThat(LongStream.of(spent).sum() - most).as("all loops but the busiest, with " + most).isLessThan(most / 3);
                }
            });
        }
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(names = {"POOLED", "PIPELINE"})
    void soItIsInOtherModes(RelayConfig.Mode mode) throws Exception {
        aPairIsServedByOneLoop(mode);
    }

    private static void talk(Endpoint end, int roundTrips) {
        int peer = 1 - end.rank();
        for (int i = 0; i < roundTrips; i++) {
            if (end.rank() == 0) {
                end.await(end.send(CONTEXT, peer, 1, region().content(0, 1), SendMode.STANDARD));
                end.await(end.receive(CONTEXT, peer, 1, region().sink(0, 1)));
            } else {
                end.await(end.receive(CONTEXT, peer, 1, region().sink(0, 1)));
                end.await(end.send(CONTEXT, peer, 1, region().content(0, 1), SendMode.STANDARD));
            }
        }
    }

    private static Region region() {
        return new Region(Base.BYTE, Layout.ONE, new byte[1], 0);
    }
}
