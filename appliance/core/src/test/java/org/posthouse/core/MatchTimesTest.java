package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Wire;

/** What is told of how long messages and receives waited, on a clock that the test moves. */
final class MatchTimesTest extends TwoRanks {
    private static final long MS = 1_000_000;
    private static final long TICK = 4_096;

    MatchTimesTest() throws Exception {
        super(new OneRelay());
    }

    private void send(long sequence, int tag) throws Exception {
        sender.sends(relay.frames.message(FrameType.SEND, 0, 0, 1, tag, sequence, 8));
    }

    private void post(int source, int tag, int request) throws Exception {
        receiver.sends(relay.frames.post(0, source, 1, tag, request, 0));
    }

    private static long total(Latencies latencies) {
        return IntStream.range(0, Latencies.buckets()).mapToLong(latencies::count).sum();
    }

    /** How many fell into the bucket with this upper bound. */
    private static long countUpTo(Latencies latencies, long boundNanos) {
        return IntStream.range(0, Latencies.buckets() - 1)
                .filter(bucket -> Latencies.boundNanos(bucket) == boundNanos)
                .mapToLong(latencies::count)
                .sum();
    }

    @Test
    void aMessageThatWaitedForItsReceive() throws Exception {
        send(1, 0);
        relay.nanos += 3 * MS;
        post(0, 0, 1);
        assertThat(relay.core.statistics().messageWaits().sumNanos()).isBetween(3 * MS - TICK, 3 * MS + TICK);
        assertThat(countUpTo(relay.core.statistics().messageWaits(), 5 * MS)).isOne();
        assertThat(total(relay.core.statistics().messageWaits())).isOne();
        assertThat(relay.core.statistics().receiveWaits().sumNanos()).isZero();
        assertThat(total(relay.core.statistics().receiveWaits())).isOne();
    }

    @Test
    void aReceiveThatWaitedForItsMessage() throws Exception {
        post(Wire.ANY, 0, 1);
        relay.nanos += 70 * MS;
        send(1, 0);
        assertThat(relay.core.statistics().receiveWaits().sumNanos()).isEqualTo(70 * MS);
        assertThat(countUpTo(relay.core.statistics().receiveWaits(), 100 * MS)).isOne();
        assertThat(relay.core.statistics().messageWaits().sumNanos()).isZero();
        assertThat(total(relay.core.statistics().messageWaits())).isOne();
    }

    /** Their order is kept though the clock stands, and none seems to have waited a negative time. */
    @Test
    void receivesPostedInOneInstantMatchInOrder() throws Exception {
        for (int request = 1; request <= 100; request++) {
            post(request % 2 == 0 ? Wire.ANY : 0, 0, request);
        }
        for (int sequence = 1; sequence <= 100; sequence++) {
            send(sequence, 0);
        }
        assertThat(receiver.take())
                .filteredOn(text -> text.startsWith("deliver"))
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, 100).mapToObj(i -> "deliver #" + i + " from 0 to request " + i).toList());
        assertThat(relay.core.statistics().receiveWaits().sumNanos()).isZero();
        assertThat(countUpTo(relay.core.statistics().receiveWaits(), 10_000)).isEqualTo(100);
    }

    @Test
    void receivesThatAreTakenBackAreNotCounted() throws Exception {
        post(0, 0, 1);
        relay.nanos += MS;
        receiver.sends(relay.frames.cancel(0, 0, 1, 0, 1, 0));
        assertThat(total(relay.core.statistics().receiveWaits())).isZero();
        assertThat(total(relay.core.statistics().messageWaits())).isZero();
    }

    @Test
    void eachBoundIsTheLastOfItsBucket() {
        Latencies latencies = new Latencies();
        for (int bucket = 0; bucket < Latencies.buckets() - 1; bucket++) {
            latencies.record(Latencies.boundNanos(bucket));
        }
        latencies.record(Latencies.boundNanos(Latencies.buckets() - 2) + 1);
        for (int bucket = 0; bucket < Latencies.buckets(); bucket++) {
            assertThat(latencies.count(bucket)).as("bucket " + bucket).isOne();
        }
        assertThat(Latencies.boundNanos(0)).isEqualTo(10_000);
        assertThat(Latencies.boundNanos(Latencies.buckets() - 2)).isEqualTo(10_000_000_000L);
    }
}
