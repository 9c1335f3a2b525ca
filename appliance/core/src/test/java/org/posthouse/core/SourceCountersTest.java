package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SourceCountersTest {
    private final SourceCounters counters = new SourceCounters();

    private Map<Integer, String> shown() {
        Map<Integer, String> shown = new TreeMap<>();
        counters.forEach((source, messages, bytes) -> assertThat(shown.put(source, messages + " of " + bytes)).as("source %d twice", source).isNull());
        return shown;
    }

    @Test
    void countsNothingAtFirst() {
        assertThat(shown()).isEmpty();
    }

    @Test
    void countsMessagesAndBytesOfEachSource() {
        counters.count(0, 10);
        counters.count(3, 7);
        counters.count(0, 5);
        assertThat(shown()).isEqualTo(Map.of(0, "2 of 15", 3, "1 of 7"));
    }

    @Test
    void countsAsAMapDoes() {
        Random random = new Random(1);
        Map<Integer, long[]> expected = new TreeMap<>();
        for (int message = 0; message < 20_000; message++) {
            int source = random.nextInt(SourceCounters.SOURCES_MAX) * 7;
            int bytes = random.nextInt(100);
            counters.count(source, bytes);
            long[] sum = expected.computeIfAbsent(source, unseen -> new long[2]);
            sum[0]++;
            sum[1] += bytes;
        }
        Map<Integer, String> words = new TreeMap<>();
        expected.forEach((source, sum) -> words.put(source, sum[0] + " of " + sum[1]));
        assertThat(shown()).isEqualTo(words);
    }

    @Test
    void leavesOutFurtherSources() {
        for (int source = 0; source < SourceCounters.SOURCES_MAX + 5; source++) {
            counters.count(source, 1);
        }
        counters.count(3, 1);
        assertThat(shown()).hasSize(SourceCounters.SOURCES_MAX).containsEntry(3, "2 of 2");
    }
}
