package mpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.LocalWorld;
import org.posthouse.wire.Wire;

/** Matched probes by several threads, of messages in several pieces: each message is one thread's, and whole. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class MatchedProbeTest {
    private static final int SENDERS = 3;
    private static final int MESSAGES = 24;
    private static final int THREADS = 4;
    private static final int TAG = 5;

    /** A header and a body of up to three payloads: the same number all over. */
    private static int[] message(int sender, int number) {
        int[] values = new int[2 + (number % 4) * (Wire.PAYLOAD_BYTES_MAX / Integer.BYTES - 1)];
        Arrays.fill(values, sender * 1000 + number);
        return values;
    }

    /** Takes one message, whatever it is; null if none is there. */
    private interface Taking {
        Status take(Message message, Intracomm world);
    }

    private static void race(Taking taking, Intracomm world) throws InterruptedException {
        AtomicIntegerArray seen = new AtomicIntegerArray((SENDERS + 1) * 1000);
        AtomicInteger left = new AtomicInteger(SENDERS * MESSAGES);
        Runnable part = () -> {
            while (left.getAndDecrement() > 0) {
                Message message = new Message();
                Status status = taking.take(message, world);
                while (status == null) {
                    assertThat(message.isNull()).isTrue();
                    status = taking.take(message, world);
                }
                int[] values = new int[status.getCount(MPI.INT) + 1];
                Status received = message.mRecv(values, values.length, MPI.INT);
                int number = values[0] % 1000;
                assertThat(received.source).isEqualTo(status.source).isEqualTo(values[0] / 1000);
                assertThat(Arrays.copyOf(values, values.length - 1))
                        .isEqualTo(message(status.source, number));
                seen.incrementAndGet(values[0]);
                assertThat(message.isNull()).isTrue();
            }
        };
        AgreementTest.inThreads(IntStream.range(0, THREADS).mapToObj(i -> part).toArray(Runnable[]::new));
        for (int sender = 1; sender <= SENDERS; sender++) {
            for (int number = 0; number < MESSAGES; number++) {
                assertThat(seen.get(sender * 1000 + number)).isEqualTo(1);
            }
        }
    }

    private static void run(long eagerBytesMax, Taking taking) {
        for (int seed = 0; seed < 3; seed++) {
            LocalWorld machine = new LocalWorld(SENDERS + 1).seed(seed).eagerBytesMax(eagerBytesMax);
            Ranks.run(machine, SENDERS + 1, (world, rank) -> {
                if (rank == 0) {
                    race(taking, world);
                    return;
                }
                for (int number = 0; number < MESSAGES; number++) {
                    int[] values = message(rank, number);
                    world.Send(values, 0, values.length, MPI.INT, 0, TAG);
                }
            });
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 0, 1 << 20})
    void threadsThatWait(long eagerBytesMax) {
        run(eagerBytesMax, (message, world) -> message.mProbe(MPI.ANY_SOURCE, TAG, world));
    }

    /** A probe finds a message that another thread takes first: then there is none, and nobody waits for the next. */
    @ParameterizedTest
    @ValueSource(longs = {-1, 0, 1 << 20})
    void threadsThatDoNotWait(long eagerBytesMax) {
        run(eagerBytesMax, (message, world) -> message.imProbe(MPI.ANY_SOURCE, MPI.ANY_TAG, world));
    }

    /** One message, and all threads at once: one gets it, and nobody waits for the next. */
    @Test
    void oneThreadGetsItAndTheOthersGoOn() {
        Ranks.run(1, (world, rank) -> {
            CyclicBarrier together = new CyclicBarrier(THREADS);
            for (int round = 0; round < 300; round++) {
                world.Send(message(1, 1), 0, 2, MPI.INT, 0, TAG);
                world.Probe(0, TAG);
                AtomicInteger got = new AtomicInteger();
                Runnable part = () -> {
                    awaitAll(together);
                    Message message = new Message();
                    if (message.imProbe(0, TAG, world) != null) {
                        message.mRecv(new int[2], 2, MPI.INT);
                        got.incrementAndGet();
                    }
                };
                AgreementTest.inThreads(IntStream.range(0, THREADS).mapToObj(i -> part).toArray(Runnable[]::new));
                assertThat(got.get()).isEqualTo(1);
            }
        });
    }

    private static void awaitAll(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (InterruptedException | BrokenBarrierException e) {
            throw new IllegalStateException(e);
        }
    }
}
