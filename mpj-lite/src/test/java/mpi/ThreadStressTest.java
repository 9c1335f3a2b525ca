package mpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.LocalWorld;

/**
 * Thread level MULTIPLE: several threads of each rank send and receive at once, by a plan that a seed draws, on several
 * communicators; meanwhile one more thread makes collectives. Every message is counted, and read to its last element.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ThreadStressTest {
    private static final int RANKS = 4;
    private static final int THREADS = 4;
    private static final int COMMS = 3;
    private static final int MESSAGES = 400;

    /** A message from a thread to the thread of the same number at another rank. */
    private record Planned(int from, int to, int comm, int number, int length) {
        /** Of its thread, its direction and its place, so that no other message under way has it. */
        int tag(int thread) {
            return thread * MESSAGES + number;
        }

        int value(int thread, int at) {
            return (tag(thread) * RANKS + from) * 31 + at;
        }
    }

    private static List<Planned> plan(int seed, int thread) {
        Random random = new Random(seed * 1000L + thread);
        return IntStream.range(0, MESSAGES)
                .mapToObj(number -> new Planned(
                        random.nextInt(RANKS), random.nextInt(RANKS), random.nextInt(COMMS), number,
                        random.nextInt(10) == 0 ? random.nextInt(40_000) : random.nextInt(20)))
                .toList();
    }

    /** What one thread of one rank does. */
    private static final class Part implements Runnable {
        private final Intracomm[] comms;
        private final int rank;
        private final int thread;
        private final List<Planned> plan;
        private final Random random;
        private final AtomicLongArray received;

        Part(Intracomm[] comms, int thread, int seed, AtomicLongArray received) {
            this.comms = comms;
            this.thread = thread;
            this.received = received;
            rank = comms[0].Rank();
            plan = plan(seed, thread);
            random = new Random(seed * 77L + 10 * rank + thread);
        }

        @Override
        public void run() {
            List<Request> sends = new ArrayList<>();
            List<Planned> coming = new ArrayList<>();
            for (Planned each : plan) {
                if (each.from == rank) {
                    sends.add(send(each));
                }
                if (each.to == rank) {
                    coming.add(each);
                }
                if (coming.size() > 8) {
                    receiveAll(coming);
                }
            }
            receiveAll(coming);
            Request.Waitall(sends.toArray(Request[]::new));
        }

        private Request send(Planned planned) {
            int[] values = IntStream.range(0, planned.length).map(at -> planned.value(thread, at)).toArray();
            Intracomm comm = comms[planned.comm];
            return random.nextBoolean()
                    ? comm.Isend(values, 0, values.length, MPI.INT, planned.to, planned.tag(thread))
                    : comm.Issend(values, 0, values.length, MPI.INT, planned.to, planned.tag(thread));
        }

        /** In any order, as the tags are all different. */
        private void receiveAll(List<Planned> coming) {
            Collections.shuffle(coming, random);
            for (Planned each : coming) {
                receive(each);
            }
            coming.clear();
        }

        private void receive(Planned planned) {
            int[] values = new int[planned.length + 1];
            int source = random.nextBoolean() ? MPI.ANY_SOURCE : planned.from;
            Intracomm comm = comms[planned.comm];
            Status status = switch (random.nextInt(3)) {
                case 0 -> comm.Recv(values, 0, values.length, MPI.INT, source, planned.tag(thread));
                case 1 -> comm.Irecv(values, 0, values.length, MPI.INT, source, planned.tag(thread)).Wait();
                default -> {
                    Status probed = comm.Probe(source, planned.tag(thread));
                    yield comm.Recv(values, 0, values.length, MPI.INT, probed.source, probed.tag);
                }
            };
            assertThat(status.source).isEqualTo(planned.from);
            assertThat(status.Get_count(MPI.INT)).isEqualTo(planned.length);
            for (int at = 0; at < planned.length; at++) {
                if (values[at] != planned.value(thread, at)) {
                    throw new AssertionError(planned + " of thread " + thread + " has " + values[at] + " at " + at);
                }
            }
            received.incrementAndGet(rank * THREADS + thread);
        }
    }

    private static void collectives(Intracomm comm) {
        for (int round = 1; round <= 50; round++) {
            int[] sum = new int[1];
            Request started = comm.Iallreduce(new int[] {round}, 0, sum, 0, 1, MPI.INT, MPI.SUM);
            comm.Barrier();
            started.Wait();
            assertThat(sum[0]).isEqualTo(RANKS * round);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6})
    void everyMessageArrivesOnceWhereItBelongs(int seed) {
        AtomicLongArray received = new AtomicLongArray(RANKS * THREADS);
        LocalWorld machine = new LocalWorld(RANKS).seed(seed).eagerBytesMax(seed % 3 == 0 ? -1 : 1000);
        Ranks.run(machine, RANKS, (world, rank) -> {
            Intracomm[] comms = {world, world.dup(), world.dup()};
            Runnable[] parts = new Runnable[THREADS + 1];
            for (int thread = 0; thread < THREADS; thread++) {
                parts[thread] = new Part(comms, thread, seed, received);
            }
            parts[THREADS] = () -> collectives(comms[seed % COMMS]);
            AgreementTest.inThreads(parts);
            for (Intracomm comm : comms) {
                assertThat(comm.Iprobe(MPI.ANY_SOURCE, MPI.ANY_TAG)).isNull();
            }
        });
        for (int thread = 0; thread < THREADS; thread++) {
            for (int rank = 0; rank < RANKS; rank++) {
                int to = rank;
                long expected = plan(seed, thread).stream().filter(each -> each.to == to).count();
                assertThat(received.get(rank * THREADS + thread)).isEqualTo(expected);
            }
        }
    }
}
