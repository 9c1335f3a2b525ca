package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.posthouse.core.SourceCounters;
import org.posthouse.status.PairTraffic;

/** What the console keeps of the traffic of jobs that have ended is bounded in jobs and in pairs. */
class EndedTrafficTest {
    private static final int SOURCES = 1_024;
    private final EndedTraffic traffic = new EndedTraffic();

    /** Each rank was given one message from each source. */
    private static Map<Integer, SourceCounters> deliveries(int ranks, int sources) {
        return IntStream.range(0, ranks).boxed().collect(Collectors.toMap(Function.identity(), rank -> {
            SourceCounters counters = new SourceCounters();
            IntStream.range(0, sources).forEach(source -> counters.count(source, 10));
            return counters;
        }));
    }

    @Test
    void keepsThePairsOfAJob() {
        traffic.add(7, deliveries(2, 1));
        assertThat(traffic.of(7)).containsExactlyInAnyOrder(new PairTraffic(0, 0, 1, 10), new PairTraffic(0, 1, 1, 10));
        assertThat(traffic.of(8)).isEmpty();
    }

    @Test
    void keepsTheNewestJobs() {
        IntStream.rangeClosed(1, EndedJobs.JOBS_MAX + 1).forEach(job -> traffic.add(job, deliveries(1, 1)));
        assertThat(traffic.of(1)).isEmpty();
        assertThat(traffic.of(2)).hasSize(1);
    }

    @Test
    void keepsNoMorePairsThanTheLimitAndThoseOfTheNewest() {
        int ranks = EndedTraffic.PAIRS_MAX / SOURCES;
        traffic.add(1, deliveries(1, 1));
        traffic.add(2, deliveries(ranks, SOURCES));
        traffic.add(3, deliveries(1, 1));
        assertThat(traffic.of(1)).isEmpty();
        assertThat(traffic.of(2)).hasSize(EndedTraffic.PAIRS_MAX);
        assertThat(traffic.of(3)).hasSize(1);
        traffic.add(4, deliveries(ranks + 1, SOURCES));
        assertThat(traffic.of(4)).as("of a job with more pairs").isEmpty();
        assertThat(traffic.of(3)).hasSize(1);
    }
}
