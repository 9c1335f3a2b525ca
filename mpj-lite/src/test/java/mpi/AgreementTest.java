package mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.BitSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.LocalWorld;

/** Communicators that several threads make at once. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class AgreementTest {
    private static final int ROUNDS = 40;

    /** Runs parts of one rank in threads of their own; throws what the first that failed threw. */
    static void inThreads(Runnable... parts) throws InterruptedException {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread[] threads = new Thread[parts.length];
        for (int i = 0; i < parts.length; i++) {
            threads[i] = new Thread(parts[i], "part-" + i);
            threads[i].setUncaughtExceptionHandler((thread, e) -> failure.compareAndSet(null, e));
            threads[i].setDaemon(true);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (failure.get() != null) {
            throw new AssertionError(failure.get());
        }
    }

    /** Copies a communicator again and again; its ranks must have one number, that no other communicator here has. */
    private static void copyAgainAndAgain(Intracomm parent, Set<Integer> live) {
        for (int round = 0; round < ROUNDS; round++) {
            Intracomm copy = round % 2 == 0 ? parent.dup() : parent.Split(0, parent.Size() - parent.Rank());
            assertThat(live.add(copy.id)).as("number %s is in use once", copy.id).isTrue();
            int[] ends = {copy.id, -copy.id};
            copy.Allreduce(ends, 0, ends, 0, 2, MPI.INT, MPI.MAX);
            assertThat(ends).containsExactly(copy.id, -copy.id);
            assertThat(live.remove(copy.id)).isTrue();
            copy.Free();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6})
    void threadsMakeThemOutOfTwoParents(int seed) {
        int size = 2 + seed % 3;
        Ranks.run(new LocalWorld(size).seed(seed), size, (world, rank) -> {
            Set<Integer> live = ConcurrentHashMap.newKeySet();
            Intracomm first = world.dup();
            Intracomm second = world.dup();
            Runnable[] parts = {() -> copyAgainAndAgain(first, live), () -> copyAgainAndAgain(second, live)};
            if (new Random(seed * 31L + rank).nextBoolean()) {
                inThreads(parts[1], parts[0]);
            } else {
                inThreads(parts);
            }
            assertThat(live).isEmpty();
        });
    }

    /** Rank 0 has a thread for each parent; rank 1 has one thread, which takes the parents in turn, or the other way. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void neitherParentHoldsTheOtherUp(boolean turned) {
        Ranks.run(new LocalWorld(2).seed(turned ? 1 : 0), 2, (world, rank) -> {
            Set<Integer> live = ConcurrentHashMap.newKeySet();
            Intracomm[] parents = {world.dup(), world.dup()};
            if (rank == 0) {
                inThreads(() -> copyAgainAndAgain(parents[0], live), () -> copyAgainAndAgain(parents[1], live));
            } else {
                copyAgainAndAgain(parents[turned ? 1 : 0], live);
                copyAgainAndAgain(parents[turned ? 0 : 1], live);
            }
        });
    }

    @Test
    void halvesMakeTheirOwnAndMeetAtOnce() {
        for (int seed = 0; seed < 5; seed++) {
            Ranks.run(new LocalWorld(4).seed(seed), 4, (world, rank) -> {
                Intracomm part = world.Split(rank % 2, 0);
                // The groups' local communicators have different numbers.
                Intracomm half = rank % 2 == 0 ? part : part.dup();
                Intracomm other = world.dup();
                inThreads(
                        () -> {
                            for (int round = 0; round < 10; round++) {
                                Intercomm pair = world.createIntercomm(half, 0, 1 - rank % 2, round);
                                Intracomm merged = pair.merge(rank % 2 == 1);
                                int[] sum = {1};
                                merged.Allreduce(sum, 0, sum, 0, 1, MPI.INT, MPI.SUM);
                                assertThat(sum[0]).isEqualTo(4);
                                merged.Free();
                                pair.Free();
                            }
                        },
                        () -> copyAgainAndAgain(other, ConcurrentHashMap.newKeySet()));
            });
        }
    }

    /** Other processes that refuse a few times, as if other agreements were quicker there each time. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void refusedContextNumberIsReturnedAndChoiceWidens(boolean member) {
        Ranks.run(1, (world, rank) -> {
            int[] refusals = {20};
            Agreement agreement = new Agreement("dup", world, world.id, member);
            agreement.<RuntimeException>reach(values -> {
                if (values.length == 1 && refusals[0]-- > 0) {
                    values[0] = 0;
                }
            });
            BitSet free = BitSet.valueOf(world.self.contexts().free());
            assertThat(free.cardinality()).isEqualTo(Contexts.COUNT - (member ? 3 : 2));
            assertThat(free.get(agreement.number())).isEqualTo(!member);
            assertThat(agreement.number()).isGreaterThan(2);
        });
    }

    @Test
    void thereAreSoManyAndNoMore() {
        Ranks.run(2, (world, rank) -> {
            Contexts contexts = world.self.contexts();
            Intracomm old = world.dup();
            // Half of the numbers are left at one rank, and the other half at the other.
            for (int number = 3; number < Contexts.COUNT; number++) {
                assertThat(number % 2 != rank || contexts.tryTake(number)).isTrue();
            }
            assertThatThrownBy(world::dup)
                    .isInstanceOfSatisfying(
                            MPIException.class, e -> assertThat(e.getErrorClass()).isEqualTo(MPI.ERR_OTHER))
                    .hasMessageContaining("dup at rank " + rank)
                    .hasMessageContaining("8192 communicators");
            old.Free();
            assertThat(world.dup().id).isEqualTo(2);
        });
    }
}
