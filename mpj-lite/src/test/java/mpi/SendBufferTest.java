package mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.mpj.Endpoint;
import org.posthouse.mpj.LocalWorld;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Plain;
import org.posthouse.mpj.operation.Operation;

/** Buffered sends, on a machine where no message leaves before it is matched. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SendBufferTest {
    private static final int INTS = 8;
    private static final int MESSAGE_BYTES = INTS * Integer.BYTES;

    private static void requireError(int errorClass, String message, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        MPIException.class, e -> assertThat(e.getErrorClass()).isEqualTo(errorClass))
                .hasMessageContaining(message);
    }

    private static void run(Ranks.Body body) {
        Ranks.run(new LocalWorld(2).eagerBytesMax(-1), 2, body);
    }

    private static void attach(Intracomm world, int bytes) {
        world.self.sendBuffer().attach("attach", new byte[bytes], bytes);
    }

    private static int[] filled(int value) {
        int[] values = new int[INTS];
        Arrays.fill(values, value);
        return values;
    }

    private static void receive(Intracomm world, int tag, int expected) {
        int[] in = new int[INTS];
        world.Recv(in, 0, INTS, MPI.INT, 0, tag);
        assertThat(in).containsOnly(expected);
    }

    @Test
    void roomIsForSoManyMessagesUntilTheyHaveLeft() {
        run((world, rank) -> {
            for (int round = 0; round < 3; round++) {
                if (rank == 0) {
                    if (round == 0) {
                        attach(world, 3 * MESSAGE_BYTES);
                    }
                    int[] values = new int[INTS];
                    for (int i = 0; i < 3; i++) {
                        System.arraycopy(filled(10 * round + i), 0, values, 0, INTS);
                        world.Bsend(values, 0, INTS, MPI.INT, 1, i);
                    }
                    System.arraycopy(filled(-1), 0, values, 0, INTS);
                    requireError(
                            MPI.ERR_BUFFER,
                            "takes 4 bytes, expected at most the 0 free",
                            () -> world.Bsend(values, 0, 1, MPI.INT, 1, 9));
                    world.Send(values, 0, 0, MPI.INT, 1, 4);
                    world.Recv(values, 0, 0, MPI.INT, 1, 5);
                } else {
                    world.Recv(new int[0], 0, 0, MPI.INT, 0, 4);
                    for (int i = 2; i >= 0; i--) {
                        receive(world, i, 10 * round + i);
                    }
                    world.Send(new int[0], 0, 0, MPI.INT, 0, 5);
                }
            }
        });
    }

    @Test
    void detachWaitsUntilTheLastMessageHasLeft() {
        AtomicReference<Thread> sender = new AtomicReference<>();
        AtomicBoolean receiving = new AtomicBoolean();
        run((world, rank) -> {
            if (rank == 0) {
                attach(world, 2 * MESSAGE_BYTES);
                world.Bsend(filled(1), 0, INTS, MPI.INT, 1, 1);
                world.Ibsend(filled(2), 0, INTS, MPI.INT, 1, 2).Wait();
                sender.set(Thread.currentThread());
                byte[] memory = (byte[]) world.self.sendBuffer().detach("detach");
                assertThat(receiving).isTrue();
                assertThat(memory).hasSize(2 * MESSAGE_BYTES);
                attach(world, MESSAGE_BYTES);
                world.Bsend(filled(3), 0, INTS, MPI.INT, 1, 3);
                requireError(
                        MPI.ERR_BUFFER, "expected at most the 0 free", () -> world.Bsend(filled(4), 0, INTS, MPI.INT, 1, 3));
                world.Send(memory, 0, 0, MPI.BYTE, 1, 4);
            } else {
                while (sender.get() == null || sender.get().getState() == Thread.State.RUNNABLE) {
                    Thread.onSpinWait();
                }
                receive(world, 2, 2);
                receiving.set(true);
                receive(world, 1, 1);
                world.Recv(new byte[0], 0, 0, MPI.BYTE, 0, 4);
                receive(world, 3, 3);
            }
        });
    }

    @Test
    void anotherBufferHasAllItsRoomWhileMessagesOfTheFirstWait() {
        run((world, rank) -> {
            if (rank == 0) {
                attach(world, MESSAGE_BYTES);
                world.Bsend(filled(1), 0, INTS, MPI.INT, 1, 1);
                byte[] second = new byte[MESSAGE_BYTES];
                world.self.sendBuffer().replace(second, MESSAGE_BYTES);
                world.Bsend(filled(2), 0, INTS, MPI.INT, 1, 2);
                requireError(
                        MPI.ERR_BUFFER, "expected at most the 0 free", () -> world.Bsend(filled(3), 0, INTS, MPI.INT, 1, 3));
                world.Send(second, 0, 0, MPI.BYTE, 1, 4);
                assertThat(world.self.sendBuffer().detach("detach")).isSameAs(second);
            } else {
                world.Recv(new byte[0], 0, 0, MPI.BYTE, 0, 4);
                receive(world, 2, 2);
                receive(world, 1, 1);
            }
        });
    }

    @Test
    void oneBufferAtATime() {
        run((world, rank) -> {
            SendBuffer buffer = world.self.sendBuffer();
            assertThat(buffer.detach("detach")).isNull();
            requireError(
                    MPI.ERR_BUFFER, "Bsend at rank " + rank + " of 2 in COMM_WORLD: there is no attached buffer",
                    () -> world.Bsend(new int[0], 0, 0, MPI.INT, 0, 0));
            byte[] first = new byte[10];
            buffer.attach("attach", first, 10);
            requireError(MPI.ERR_BUFFER, "attach: there is a buffer", () -> buffer.attach("attach", new byte[1], 1));
            assertThat(buffer.detach("detach")).isSameAs(first);
            assertThat(buffer.detach("detach")).isNull();
            buffer.attach("attach", first, 10);
        });
    }

    /** A send that is over. */
    private static final class Done extends Operation {
        Done() {
            complete(null, null);
        }
    }

    /** It depends on credit, and so on time: only what is asked of the endpoint is the same in a replay. */
    @Test
    void theEndpointIsAskedWhetherAMessageHasLeft() {
        List<String> asked = new ArrayList<>();
        SendBuffer buffer = new SendBuffer(
                Ends.that((call, arguments) -> !call.equals("mayWaitForReceive") && asked.add(call)), new OutstandingOperations());
        buffer.attach("attach", new byte[MESSAGE_BYTES], MESSAGE_BYTES);
        for (int i = 0; i < 3; i++) {
            buffer.send(Plain.content(Base.INT, filled(i), 0, INTS), content -> new Done(), why -> new MPIException(MPI.ERR_BUFFER, why));
        }
        assertThat(asked).containsExactly("test", "test", "test");
    }

    /** A send that is not over. */
    private static final class Open extends Operation {}

    /** Or sends that pile up would each ask for all before them. */
    @Test
    void asLongAsThereIsRoomOnlyTheOldestMessageIsAskedFor() {
        List<Operation> asked = new ArrayList<>();
        SendBuffer buffer =
                new SendBuffer(Ends.that((call, arguments) -> call.equals("test") && !asked.add((Operation) arguments[0])), new OutstandingOperations());
        buffer.attach("attach", new byte[5 * MESSAGE_BYTES], 5 * MESSAGE_BYTES);
        List<Operation> sent = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            buffer.send(Plain.content(Base.INT, filled(i), 0, INTS), content -> added(sent), why -> new MPIException(MPI.ERR_BUFFER, why));
        }
        Operation oldest = sent.get(0);
        assertThat(asked).containsExactly(oldest, oldest, sent.get(1), oldest, sent.get(2), oldest, sent.get(3), oldest, sent.get(4));
    }

    private static void send(SendBuffer buffer, int count, List<Operation> sent) {
        for (int i = 0; i < count; i++) {
            buffer.send(Plain.content(Base.INT, filled(i), 0, INTS), content -> added(sent), why -> new MPIException(MPI.ERR_BUFFER, why));
        }
    }

    /** What it says in an image. */
    private static ByteBuffer image(SendBuffer buffer) throws IOException {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        buffer.write(new DataOutputStream(written));
        return ByteBuffer.wrap(written.toByteArray());
    }

    @Test
    void thoseThatHaveLeftDoNotPileUpBehindOneThatWaits() throws IOException {
        List<Operation> sent = new ArrayList<>();
        Set<Operation> asked = new HashSet<>();
        SendBuffer buffer = new SendBuffer(
                Ends.that((call, arguments) -> call.equals("test") && arguments[0] != sent.get(0) && !asked.add((Operation) arguments[0])),
                new OutstandingOperations());
        buffer.attach("attach", new byte[1], 1_000 * MESSAGE_BYTES);
        send(buffer, 1_000, sent);
        assertThat(image(buffer).getInt(Integer.BYTES)).as("copies").isLessThanOrEqualTo(64);
    }

    /** Or what was recorded of its tests would not be what it asks for. */
    @Test
    void aProcessThatGoesOnFromAnImageAsksAsOften() throws IOException {
        List<Operation> before = new ArrayList<>();
        List<Boolean> outcomes = new ArrayList<>();
        AtomicBoolean gone = new AtomicBoolean();
        SendBuffer saved = new SendBuffer(outcomes(outcomes, operation -> gone.get() && before.contains(operation)), new OutstandingOperations());
        saved.attach("attach", new byte[1], 1_000 * MESSAGE_BYTES);
        send(saved, 100, before);
        ByteBuffer image = image(saved);
        gone.set(true);
        outcomes.clear();
        send(saved, 100, new ArrayList<>());
        List<Boolean> outcomesAgain = new ArrayList<>();
        SendBuffer restored = new SendBuffer(outcomes(outcomesAgain, Done.class::isInstance), new OutstandingOperations());
        restored.attach("attach", new byte[1], 1_000 * MESSAGE_BYTES);
        restored.read(new DataInputStream(new ByteArrayInputStream(image.array())));
        send(restored, 100, new ArrayList<>());
        assertThat(outcomesAgain).isEqualTo(outcomes);
    }

    /** An endpoint that is asked what {@code left} knows, and the answers. */
    private static Endpoint outcomes(List<Boolean> outcomes, Predicate<Operation> left) {
        return Ends.that((call, arguments) -> switch (call) {
            case "begin" -> new Done();
            case "end" -> null;
            case "mayWaitForReceive" -> false;
            case "test" -> outcomes.add(left.test((Operation) arguments[0])) && outcomes.get(outcomes.size() - 1);
            default -> throw new AssertionError(call);
        });
    }

    private static Operation added(List<Operation> sent) {
        sent.add(new Open());
        return sent.get(sent.size() - 1);
    }
}
