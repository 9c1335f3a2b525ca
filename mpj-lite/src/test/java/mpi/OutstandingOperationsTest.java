package mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.LocalWorld;

/** What keeps a process from being saved: what its program has begun and not seen the end of, whatever has arrived (ADR 20). */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class OutstandingOperationsTest {
    private static final int TAG = 3;
    private static final String RECEIVE = "a receive is under way";
    private static final String SEND = "a send is under way";

    /** A program that has asked whether it is restored, in a world where every point saves, or none. */
    private interface Body {
        void run(Intracomm world, Checkpoint checkpoint);
    }

    private static void run(int size, Body body) {
        run(size, world -> {}, body);
    }

    private static void run(int size, Consumer<Intracomm> prologue, Body body) {
        for (boolean saving : new boolean[] {true, false}) {
            LocalWorld local = new LocalWorld(size);
            Ranks.run(saving ? local.saving() : local, size, (world, rank) -> {
                Checkpoint checkpoint = Checkpoint.open(world.self);
                prologue.accept(world);
                checkpoint.restored();
                body.run(world, checkpoint);
            });
        }
    }

    private static void refused(Checkpoint checkpoint, String why) {
        for (ThrowingCallable call : new ThrowingCallable[] {checkpoint::save, checkpoint::point}) {
            assertThatThrownBy(call).isInstanceOf(MPIException.class).hasMessageContaining(why);
        }
    }

    private static void accepted(Checkpoint checkpoint) {
        checkpoint.save();
        checkpoint.point();
    }

    /** A receive whose message is there, as everybody can see but the program. */
    private static Request come(Intracomm world, Checkpoint checkpoint) {
        Request request = world.Irecv(new int[1], 0, 1, MPI.INT, 0, TAG);
        world.Send(new int[1], 0, 1, MPI.INT, 0, TAG);
        world.Send(new int[1], 0, 1, MPI.INT, 0, TAG + 1);
        world.Recv(new int[1], 0, 1, MPI.INT, 0, TAG + 1);
        refused(checkpoint, RECEIVE);
        return request;
    }

    private static Request[] one(Request request) {
        return new Request[] {request, null};
    }

    /** All ways of seeing that a receive is over. */
    static Stream<String> ways() {
        return seeing().keySet().stream();
    }

    private static Map<String, Consumer<Request>> seeing() {
        Map<String, Consumer<Request>> ways = new LinkedHashMap<>();
        ways.put("Wait", Request::Wait);
        ways.put("Test", Request::Test);
        ways.put("waitFor", Request::waitFor);
        ways.put("waitStatus", Request::waitStatus);
        ways.put("test", Request::test);
        ways.put("testStatus", Request::testStatus);
        ways.put("getStatus", Request::getStatus);
        ways.put("getStatus and Wait", request -> {
            request.getStatus();
            request.Wait();
        });
        ways.put("Waitall", request -> Request.Waitall(one(request)));
        ways.put("Waitany", request -> Request.Waitany(one(request)));
        ways.put("Waitsome", request -> Request.Waitsome(one(request)));
        ways.put("Testall", request -> Request.Testall(one(request)));
        ways.put("Testany", request -> Request.Testany(one(request)));
        ways.put("Testsome", request -> Request.Testsome(one(request)));
        return ways;
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aReceiveIsUnderWayUntilItsEndWasSeen(String way) {
        run(1, (world, checkpoint) -> {
            Request request = come(world, checkpoint);
            Request other = come(world, checkpoint);
            seeing().get(way).accept(request);
            refused(checkpoint, RECEIVE);
            seeing().get(way).accept(other);
            accepted(checkpoint);
        });
    }

    @Test
    void failedTestallLeavesCompletedRequestOutstanding() {
        run(1, (world, checkpoint) -> {
            Request come = come(world, checkpoint);
            Request nothing = world.Irecv(new int[1], 0, 1, MPI.INT, 0, TAG);
            assertThat(come.isNull()).isFalse();
            assertThat(Request.Testall(new Request[] {come, nothing})).isNull();
            nothing.Cancel();
            refused(checkpoint, RECEIVE);
            nothing.Wait();
            refused(checkpoint, RECEIVE);
            come.Wait();
            accepted(checkpoint);
        });
    }

    @Test
    void anErrorIsAnEndToo() {
        run(1, (world, checkpoint) -> {
            Request tooShort = world.Irecv(new int[1], 0, 1, MPI.INT, 0, TAG);
            world.Send(new int[2], 0, 2, MPI.INT, 0, TAG);
            refused(checkpoint, RECEIVE);
            assertThatThrownBy(tooShort::Wait).isInstanceOf(MPIException.class);
            accepted(checkpoint);
            world.Send(new int[2], 0, 2, MPI.INT, 0, TAG);
            assertThatThrownBy(() -> world.Recv(new int[1], 0, 1, MPI.INT, 0, TAG)).isInstanceOf(MPIException.class);
            accepted(checkpoint);
        });
    }

    @Test
    void aCancelledReceiveMayBeFreed() {
        run(1, (world, checkpoint) -> {
            Request receive = world.Irecv(new int[1], 0, 1, MPI.INT, 0, TAG);
            receive.Cancel();
            refused(checkpoint, RECEIVE);
            receive.Free();
            accepted(checkpoint);
            Request late = come(world, checkpoint);
            late.Cancel();
            late.Free();
            accepted(checkpoint);
        });
    }

    @Test
    void aReceiveThatWasFreedIsUnderWayForEver() {
        run(1, (world, checkpoint) -> {
            Request seen = come(world, checkpoint);
            seen.getStatus();
            seen.Free();
            accepted(checkpoint);
            Request freed = come(world, checkpoint);
            freed.Free();
            refused(checkpoint, "a receive was freed before its completion was seen");
            Request receive = world.Irecv(new int[1], 0, 1, MPI.INT, 0, TAG);
            refused(checkpoint, RECEIVE);
            receive.Cancel();
            receive.Wait();
            refused(checkpoint, "a receive was freed before its completion was seen");
        });
    }

    @Test
    void aPersistentReceiveIsUnderWayWhenItWasStarted() {
        run(1, (world, checkpoint) -> {
            Prequest receive = world.Recv_init(new int[1], 0, 1, MPI.INT, 0, TAG);
            Prequest nothing = world.Recv_init(new int[1], 0, 1, MPI.INT, MPI.PROC_NULL, TAG);
            for (int i = 0; i < 2; i++) {
                accepted(checkpoint);
                receive.Start();
                nothing.Start();
                world.Send(new int[1], 0, 1, MPI.INT, 0, TAG);
                refused(checkpoint, RECEIVE);
                receive.Wait();
                accepted(checkpoint);
                nothing.Wait();
            }
            receive.Start();
            receive.Cancel();
            receive.Wait();
            receive.Start();
            receive.Free();
            refused(checkpoint, "a receive was freed");
        });
    }

    /** Longer than what is sent without waiting for its receive. */
    private static final int LARGE = 70_000;

    private static Request send(String kind, Intracomm world) {
        return switch (kind) {
            case "Isend" -> world.Isend(new int[LARGE], 0, LARGE, MPI.INT, 0, TAG);
            case "Irsend" -> world.Irsend(new int[LARGE], 0, LARGE, MPI.INT, 0, TAG);
            case "iSend" -> world.iSend(new int[LARGE], LARGE, MPI.INT, 0, TAG);
            case "Issend" -> world.Issend(new int[1], 0, 1, MPI.INT, 0, TAG);
            default -> {
                Prequest send = world.Ssend_init(new int[1], 0, 1, MPI.INT, 0, TAG);
                send.Start();
                yield send;
            }
        };
    }

    private static void receive(Intracomm world) {
        world.Recv(new int[LARGE], 0, LARGE, MPI.INT, 0, TAG);
    }

    /** Before, a save waited for the receive, which other ranks may call behind a save that waits likewise. */
    @ParameterizedTest
    @ValueSource(strings = {"Isend", "Irsend", "iSend", "Issend", "Ssend_init"})
    void aSendThatWaitsForItsReceiveIsUnderWayUntilItsEndWasSeen(String kind) {
        run(1, (world, checkpoint) -> {
            Request send = send(kind, world);
            refused(checkpoint, SEND);
            receive(world);
            refused(checkpoint, SEND);
            send.Wait();
            accepted(checkpoint);
            send = send(kind, world);
            send.Cancel();
            refused(checkpoint, SEND);
            send.Free();
            accepted(checkpoint);
            send = send(kind, world);
            receive(world);
            send.getStatus();
            send.Free();
            accepted(checkpoint);
            send(kind, world).Free();
            receive(world);
            refused(checkpoint, "a send was freed before its completion was seen");
        });
    }

    /** What it sends no call tells the end of, but that which waits for all. */
    @Test
    void aLargeMessageOfTheAttachedBufferIsUntilThatIsDetached() {
        Consumer<Intracomm> prologue = world -> world.self.sendBuffer().attach("attach", new byte[1], 1 << 20);
        run(1, prologue, (world, checkpoint) -> {
            world.Bsend(new int[1], 0, 1, MPI.INT, 0, TAG);
            accepted(checkpoint);
            world.Recv(new int[1], 0, 1, MPI.INT, 0, TAG);
            world.Ibsend(new int[LARGE], 0, LARGE, MPI.INT, 0, TAG).Wait();
            refused(checkpoint, "a message of the attached buffer");
            receive(world);
            refused(checkpoint, "a message of the attached buffer");
            world.self.sendBuffer().detach("detach");
            prologue.accept(world);
            accepted(checkpoint);
        });
    }

    @Test
    void otherSendsAreNot() {
        run(1, (world, checkpoint) -> {
            Request send = world.Isend(new int[1], 0, 1, MPI.INT, 0, TAG);
            accepted(checkpoint);
            world.Recv(new int[1], 0, 1, MPI.INT, MPI.ANY_SOURCE, MPI.ANY_TAG);
            world.Sendrecv(new int[1], 0, 1, MPI.INT, 0, TAG, new int[1], 0, 1, MPI.INT, 0, TAG);
            world.Sendrecv_replace(new int[1], 0, 1, MPI.INT, 0, TAG, MPI.PROC_NULL, TAG);
            world.Probe(0, TAG);
            assertThat(world.Iprobe(0, TAG)).isNotNull();
            accepted(checkpoint);
            send.Free();
            accepted(checkpoint);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {0, MPI.PROC_NULL})
    void aMatchedMessageIsUntilItWasReceived(int source) {
        run(1, (world, checkpoint) -> {
            Message message = new Message();
            for (int i = 0; i < 3; i++) {
                world.Send(new int[1], 0, 1, MPI.INT, source, TAG);
                message.mProbe(source, TAG, world);
                refused(checkpoint, "a message of a matched probe was not received");
            }
            assertThatThrownBy(() -> message.mRecv(null, 1, MPI.INT)).isInstanceOf(MPIException.class);
            refused(checkpoint, "a message of a matched probe was not received");
            message.mRecv(new int[1], 1, MPI.INT);
            accepted(checkpoint);
            assertThat(message.imProbe(0, TAG + 1, world)).isNull();
            assertThat(world.messages.tryTake("imProbe", 0, TAG)).as("what another thread has taken").isNull();
            accepted(checkpoint);
            world.Send(new int[1], 0, 1, MPI.INT, source, TAG);
            while (message.imProbe(source, TAG, world) == null) {
                accepted(checkpoint);
            }
            refused(checkpoint, "a message of a matched probe was not received");
            message.imRecv(new int[1], 1, MPI.INT);
            accepted(checkpoint);
        });
    }

    @Test
    void aCollectiveIsUntilItsEndOrALaterOnesWasSeen() {
        run(2, (world, checkpoint) -> {
            String underWay = "a collective of COMM_WORLD is under way";
            Request first = world.Ibarrier();
            refused(checkpoint, underWay);
            world.Send(new int[1], 0, 1, MPI.INT, 1 - world.Rank(), TAG);
            world.Recv(new int[1], 0, 1, MPI.INT, 1 - world.Rank(), TAG);
            refused(checkpoint, underWay);
            first.Wait();
            accepted(checkpoint);
            Request second = world.Ibarrier();
            Request third = world.Ibarrier();
            second.Wait();
            refused(checkpoint, underWay);
            third.getStatus();
            third.Wait();
            accepted(checkpoint);
            world.Ibarrier();
            third = world.Ibarrier();
            third.Wait();
            accepted(checkpoint);
            world.Ibarrier().Free();
            refused(checkpoint, underWay);
            world.Barrier();
            accepted(checkpoint);
            second.Wait();
            accepted(checkpoint);
        });
    }

    @Test
    void aCollectiveOfAFreedCommunicatorIs() {
        run(2, (world, checkpoint) -> {
            Intracomm copy = world.dup();
            Request barrier = copy.Ibarrier();
            copy.Free();
            refused(checkpoint, "a collective is under way");
            assertThat(world.self.contexts().isFree(copy.id)).as("its number, whatever has come").isFalse();
            barrier.Wait();
            assertThat(world.self.contexts().isFree(copy.id)).isTrue();
            accepted(checkpoint);
        });
    }

    @Test
    void aFailedCollectiveIsNotIfItWentToItsEnd() {
        run(2, (world, checkpoint) -> {
            int room = world.Rank() == 0 ? 2 : 1;
            Request bcast = world.Ibcast(new int[room], 0, room, MPI.INT, 0);
            if (world.Rank() == 1) {
                assertThatThrownBy(bcast::Wait).isInstanceOf(MPIException.class);
            }
            world.Barrier();
            accepted(checkpoint);
        });
    }

    @Test
    void oneWhoseOperationThrewGoesToItsEndToo() {
        run(2, (world, checkpoint) -> {
            Request reduction = world.Iallreduce(new int[1], 0, new int[1], 0, 1, MPI.INT, new Op(new Failing(), true));
            refused(checkpoint, "a collective of COMM_WORLD is under way");
            assertThatThrownBy(reduction::Wait).hasMessage("as the test wants it");
            accepted(checkpoint);
        });
    }

    @Test
    void oneWhoseObjectsCannotBeWrittenDoesToo() {
        run(2, (world, checkpoint) -> {
            Object[] unwritable = {new Object()};
            Request gather = world.Iallgather(unwritable, 0, 1, MPI.OBJECT, new Object[2], 0, 1, MPI.OBJECT);
            refused(checkpoint, "a collective of COMM_WORLD is under way");
            assertThatThrownBy(gather::Wait).hasMessageContaining("cannot be serialized");
            accepted(checkpoint);
        });
    }

    @Test
    void oneThatWasLeftInTheMiddleIsForEver() {
        run(2, (world, checkpoint) -> {
            Request left = world.collectives
                    .make("Left", () -> {
                        throw new IllegalStateException("as the test wants it");
                    })
                    .start();
            assertThatThrownBy(left::Wait).hasMessage("as the test wants it");
            refused(checkpoint, "a collective has thrown what is no receive's error");
            world.Irecv(new int[1], 0, 1, MPI.INT, world.Rank(), TAG).Free();
            refused(checkpoint, "a receive was freed before its completion was seen");
        });
    }

    @Test
    void nothingMayBeWhereAProgramAsksWhetherItIsRestored() {
        for (boolean saving : new boolean[] {true, false}) {
            LocalWorld local = new LocalWorld(1);
            Ranks.run(saving ? local.saving() : local, 1, (world, rank) -> {
                Checkpoint checkpoint = Checkpoint.open(world.self);
                Request receive = world.Irecv(new int[1], 0, 1, MPI.INT, 0, TAG);
                world.Sendrecv(new int[1], 0, 1, MPI.INT, 0, TAG, new int[1], 0, 1, MPI.INT, MPI.PROC_NULL, TAG);
                world.Sendrecv(new int[1], 0, 1, MPI.INT, 0, TAG + 1, new int[1], 0, 1, MPI.INT, 0, TAG + 1);
                assertThatThrownBy(checkpoint::restored).isInstanceOf(MPIException.class).hasMessageContaining(RECEIVE);
                receive.Wait();
                Request barrier = world.Ibarrier();
                assertThatThrownBy(checkpoint::restored).isInstanceOf(MPIException.class).hasMessageContaining("a collective of");
                barrier.Wait();
                assertThat(checkpoint.restored()).isFalse();
                assertThatThrownBy(checkpoint::restored).isInstanceOf(MPIException.class).hasMessageContaining("called before");
            });
        }
    }

    @Test
    void theCommunicatorsAreThoseOfThePrologue() {
        String others = "there are other communicators than at restored()";
        for (boolean saving : new boolean[] {true, false}) {
            LocalWorld local = new LocalWorld(2);
            Ranks.run(saving ? local.saving() : local, 2, (world, rank) -> {
                Intracomm old = world.dup();
                Checkpoint checkpoint = Checkpoint.open(world.self);
                checkpoint.restored();
                Intracomm copy = world.dup();
                refused(checkpoint, others);
                Cartcomm grid = copy.Create_cart(new int[] {2}, new boolean[1], false);
                copy.Free();
                refused(checkpoint, others);
                grid.Free();
                accepted(checkpoint);
                Intracomm pending = world.iDup();
                refused(checkpoint, "a collective of COMM_WORLD is under way");
                pending.getRequest().Wait();
                refused(checkpoint, others);
                pending.Free();
                accepted(checkpoint);
                Intracomm group = world.createGroup(world.Group(), 7);
                refused(checkpoint, others);
                group.Free();
                accepted(checkpoint);
                Intracomm alone = world.Split(rank, 0);
                Intercomm both = world.Create_intercomm(alone, 0, 1 - rank, TAG);
                alone.Free();
                refused(checkpoint, others);
                Intracomm merged = both.Merge(false);
                both.barrier();
                merged.Free();
                both.Free();
                accepted(checkpoint);
                assertThat(world.Split(MPI.UNDEFINED, 0)).isNull();
                accepted(checkpoint);
                old.Free();
                refused(checkpoint, others);
                Intracomm again = world.dup();
                assertThat(again.Size()).isEqualTo(2);
                refused(checkpoint, others);
            });
        }
    }

    /** Before, it was saved, and the next process, which attaches that of the prologue, did not have the room that the program counts on. */
    @Test
    void theAttachedBufferIsAsLargeAsAtTheProloguesEnd() {
        for (int first : new int[] {0, 100}) {
            for (boolean saving : new boolean[] {true, false}) {
                LocalWorld local = new LocalWorld(1);
                Ranks.run(saving ? local.saving() : local, 1, (world, rank) -> {
                    SendBuffer buffer = world.self.sendBuffer();
                    Checkpoint checkpoint = Checkpoint.open(world.self);
                    if (first > 0) {
                        buffer.attach("attach", new byte[first], first);
                    }
                    checkpoint.restored();
                    accepted(checkpoint);
                    if (first > 0) {
                        buffer.detach("detach");
                        refused(checkpoint, "the attached buffer is none, expected one of 100 bytes, as at restored()");
                    }
                    buffer.attach("attach", new byte[200], 200);
                    refused(checkpoint, "the attached buffer is one of 200 bytes, expected " + (first > 0 ? "one of 100 bytes" : "none"));
                    buffer.detach("detach");
                    if (first > 0) {
                        buffer.attach("attach", new byte[first], first);
                    }
                    accepted(checkpoint);
                });
            }
        }
    }

    @Test
    void aPointCostsNoMemory() {
        Ranks.run(new LocalWorld(1), 1, (world, rank) -> {
            Checkpoint checkpoint = Checkpoint.open(world.self);
            checkpoint.restored();
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long id = Thread.currentThread().getId();
            checkpoint.point();
            long before = threads.getThreadAllocatedBytes(id);
            for (int i = 0; i < 100_000; i++) {
                checkpoint.point();
            }
            assertThat(threads.getThreadAllocatedBytes(id) - before).isLessThan(10_000);
        });
    }
}
