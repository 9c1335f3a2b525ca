package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Layout;
import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.relay.config.ModeChange;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;

/** What real ranks send through real relays is what their metrics show, and no series is a rank's or a job's. */
@Timeout(120)
class MetricsTest {
    private static final int CONTEXT = 6;
    private static final int TAG = 1;
    private static final int MESSAGES = 40;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static Region region(int bytes) {
        return new Region(Base.BYTE, Layout.ONE, new byte[bytes], 0);
    }

    private static void send(Endpoint end, int to, int bytes) {
        end.await(end.send(CONTEXT, to, TAG, region(bytes).content(0, bytes)));
    }

    private static void receive(Endpoint end, int from, int bytes) {
        end.await(end.receive(CONTEXT, from, TAG, region(bytes).sink(0, bytes)));
    }

    private static void shows(Scrape scrape, double expected, String name, String... labels) {
        await().atMost(PATIENCE).untilAsserted(
                () -> assertThat(scrape.sum(name, labels)).as(name + List.of(labels)).isEqualTo(expected));
    }

    /** Rank 0 sends to rank 1 of its site and rank 2 of the other: short, in chunks, and offered. */
    @ParameterizedTest
    @EnumSource(names = "PIPELINE")
    void everyMessageAndByteCountsOnceInItsMode(RelayConfig.Mode mode) throws Exception {
        countsOnce(mode);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PIPELINE")
    void soItDoesInTheOthers(RelayConfig.Mode mode) throws Exception {
        countsOnce(mode);
    }

    private static void countsOnce(RelayConfig.Mode mode) throws Exception {
        int[] sizes = {0, 1_000, 100_000, 300_000};
        double bytes = 401_000.0 * MESSAGES / sizes.length;
        try (RelayedWorld world = new RelayedWorld(2, 4, Settings.DEFAULT, mode);
                Scrape scrape = new Scrape(world::views)) {
            world.run(end -> {
                for (int i = 0; i < MESSAGES && end.rank() < 3; i++) {
                    if (end.rank() == 0) {
                        send(end, 1, sizes[i % sizes.length]);
                        send(end, 2, sizes[i % sizes.length]);
                    } else {
                        receive(end, 0, sizes[i % sizes.length]);
                    }
                }
            });
            String in = "mode=" + mode.word();
            shows(scrape, 2 * MESSAGES, "posthouse_messages_total", "site=site-a", in, "direction=in");
            shows(scrape, MESSAGES, "posthouse_messages_total", "site=site-a", in, "direction=out");
            shows(scrape, 0, "posthouse_messages_total", "site=site-b", in, "direction=in");
            shows(scrape, MESSAGES, "posthouse_messages_total", "site=site-b", in, "direction=out");
            shows(scrape, 2 * bytes, "posthouse_bytes_total", "site=site-a", in, "direction=in");
            shows(scrape, bytes, "posthouse_bytes_total", "site=site-a", in, "direction=out");
            shows(scrape, bytes, "posthouse_bytes_total", "site=site-b", in, "direction=out");
            shows(scrape, MESSAGES, "posthouse_link_messages_total", "site=site-a", in, "link=site-b", "direction=out");
            shows(scrape, MESSAGES, "posthouse_link_messages_total", "site=site-b", in, "link=site-a", "direction=in");
            shows(scrape, bytes, "posthouse_link_bytes_total", "site=site-a", in, "link=site-b", "direction=out");
            shows(scrape, bytes, "posthouse_link_bytes_total", "site=site-b", in, "link=site-a", "direction=in");
        }
    }

    @Test
    void everyMatchIsTimedOnceForTheMessageAndOnceForAReceiveThatIsKnown() throws Exception {
        try (RelayedWorld world = new RelayedWorld(1, 2);
                Scrape scrape = new Scrape(world::views)) {
            world.run(end -> {
                for (int i = 0; i < MESSAGES; i++) {
                    if (end.rank() == 0) {
                        send(end, 1, 8);
                    } else {
                        receive(end, 0, 8);
                    }
                }
            });
            shows(scrape, MESSAGES, "posthouse_matched_total");
            shows(scrape, MESSAGES, "posthouse_message_wait_seconds_count");
            int pushed = (int) scrape.sum("posthouse_pushed_total");
            assertThat(pushed).as("all but the first few").isBetween(MESSAGES / 2, MESSAGES - 2);
            shows(scrape, MESSAGES - pushed, "posthouse_receive_wait_seconds_count");
            shows(scrape, MESSAGES - pushed, "posthouse_receive_wait_seconds_bucket", "le=+Inf");
            assertThat(scrape.sum("posthouse_receive_wait_seconds_sum") + scrape.sum("posthouse_message_wait_seconds_sum"))
                    .as("somebody waited, and nobody longer than the test")
                    .isBetween(0.00001, 60.0);
            await().atMost(PATIENCE).until(() -> scrape.sum("posthouse_loop_lag_seconds_count") > 4);
        }
    }

    /** What was sent before a change of mode counts in the old one, and what is sent after it in the new one. */
    @Test
    void aChangeOfModeDividesTheCounts() throws Exception {
        try (RelayedWorld world = new RelayedWorld(1, 2);
                Scrape scrape = new Scrape(world::views);
                ExecutorService operator = Executors.newSingleThreadExecutor()) {
            world.run(end -> {
                int other = 1 - end.rank();
                for (int i = 0; i < MESSAGES; i++) {
                    if (end.rank() == 0) {
                        send(end, other, 8);
                    } else {
                        receive(end, other, 8);
                    }
                }
                if (end.rank() == 0) {
                    receive(end, other, 8);
                    Future<List<ModeChange>> changed =
                            operator.submit(() -> world.switchMode(ModeConfig.of(RelayConfig.Mode.POOLED)));
                    await().atMost(PATIENCE)
                            .until(() -> scrape.samples().stream().anyMatch(sample -> "pooled".equals(sample.labels().get("mode"))));
                    send(end, other, 8);
                    receive(end, other, 8);
                    assertThat(changed.get()).hasSize(1);
                } else {
                    send(end, other, 8);
                    receive(end, other, 8);
                    send(end, other, 8);
                }
            });
            shows(scrape, MESSAGES + 1, "posthouse_messages_total", "mode=multiplexed", "direction=in");
            shows(scrape, MESSAGES + 1, "posthouse_messages_total", "mode=multiplexed", "direction=out");
            shows(scrape, 2, "posthouse_messages_total", "mode=pooled", "direction=in");
            shows(scrape, 16, "posthouse_bytes_total", "mode=pooled", "direction=out");
        }
    }

    @Test
    void numberOfSeriesIsIndependentOfRanksAndJobs() throws Exception {
        try (RelayedWorld world = new RelayedWorld(1, 2);
                Scrape scrape = new Scrape(world::views)) {
            Set<String> before = scrape.series();
            for (long job = 1; job <= 20; job++) {
                world.openJob(job, 100);
            }
            shows(scrape, 2_002, "posthouse_ranks", "state=waiting");
            shows(scrape, 21, "posthouse_jobs");
            assertThat(scrape.series()).hasSizeGreaterThan(80).isEqualTo(before);
        }
    }
}
