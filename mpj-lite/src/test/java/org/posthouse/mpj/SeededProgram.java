package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.posthouse.mpj.channel.CollectiveThread;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Plain;
import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.SendMode;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Wire;

/**
 * One run of a program of rank 0 in three: what it does depends on its seed and on what it has observed. Every message that it sends
 * has all in it that it has observed before, so that one wrong answer changes all that follow.
 */
final class SeededProgram {
    private static final int CONTEXT = 4;
    private static final int COLLECTIVES = 5;

    private static final class Unexpected extends ProcessExit {
        Unexpected() {
            super(0);
        }

        @Override
        void lost(String relay, IOException cause) {
            throw new AssertionError("the connection broke", cause);
        }

        @Override
        void refused(String relay, CloseNotice why) {
            throw new AssertionError(why);
        }

        @Override
        void exit(int status) {
            throw new AssertionError("exit " + status);
        }
    }

    private final Endpoint end;
    private final Random choices;
    final List<Object> observed = new CopyOnWriteArrayList<>();
    private final CompletableFuture<?> failed;
    private final int steps;
    private int hash;

    SeededProgram(Endpoint end, long seed, int steps, CompletableFuture<?> failed) {
        this.end = end;
        this.failed = failed;
        this.steps = steps;
        choices = new Random(seed);
    }

    /** Starts a process of the rank, which connects and runs the program; how that ended. */
    static CompletableFuture<SeededProgram> start(String relay, int incarnation, long seed, int steps, Settings settings) {
        CompletableFuture<SeededProgram> outcome = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                Hello hello = Hello.start(ScriptedRelay.JOB, 0, incarnation);
                Endpoint end = RelayEndpoint.connect(relay, ScriptedRelay.TOKEN, hello, settings, new Unexpected());
                SeededProgram program = new SeededProgram(end, seed, steps, outcome);
                program.run();
                outcome.complete(program);
            } catch (Exception | Error e) {
                outcome.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return outcome;
    }

    private void observe(Object... what) {
        observed.add(List.of(what));
        hash = 31 * hash + List.of(what).hashCode();
    }

    void run() throws Exception {
        for (int step = 0; step < steps; step++) {
            step(choices.nextInt(12));
        }
        end.close();
    }

    private void step(int kind) throws Exception {
        switch (kind) {
            case 0 -> anySource();
            case 1 -> testLoop();
            case 2 -> any();
            case 3 -> some();
            case 4 -> probeLoop();
            case 5 -> probe();
            case 6 -> cancelReceive();
            case 7, 8 -> send();
            case 9 -> cancelSend();
            case 10 -> values();
            default -> background();
        }
    }

    /** A receive, and the array that it fills. */
    private final class Received {
        private final byte[] bytes = new byte[70_000];
        private final Operation operation;

        Received(int context, int source) {
            operation = end.receive(context, source, Wire.ANY, Plain.sink(Base.BYTE, bytes, 0, bytes.length));
        }

        void observe() {
            Envelope envelope = operation.envelope();
            assertThat(operation.failure()).isNull();
            SeededProgram.this.observe(envelope, Arrays.hashCode(Arrays.copyOf(bytes, (int) envelope.bytes())));
        }
    }

    private void anySource() {
        Received received = new Received(CONTEXT, Wire.ANY);
        end.await(received.operation);
        received.observe();
    }

    private void testLoop() {
        Received received = new Received(CONTEXT, 1);
        int polls = 0;
        while (!end.test(received.operation)) {
            polls++;
            pause();
        }
        observe("polls", polls);
        received.observe();
    }

    /** A program that polls does something else meanwhile, or it would poll millions of times. */
    private static void pause() {
        try {
            TimeUnit.MICROSECONDS.sleep(200);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void any() {
        Received[] received = {new Received(CONTEXT, 2), new Received(CONTEXT, 1), new Received(CONTEXT, Wire.ANY)};
        Operation[] left = {received[0].operation, null, received[1].operation, received[2].operation};
        for (int i = 0; i < received.length; i++) {
            int index = end.awaitAny(left);
            observe("any", index);
            received[index > 0 ? index - 1 : 0].observe();
            left[index] = null;
        }
    }

    private void some() {
        List<Received> left = new ArrayList<>(List.of(new Received(CONTEXT, 1), new Received(CONTEXT, 2)));
        while (!left.isEmpty()) {
            for (Received each : List.copyOf(left)) {
                if (end.test(each.operation)) {
                    assertThat(end.test(each.operation)).as("what is done stays done").isTrue();
                    each.observe();
                    left.remove(each);
                } else {
                    observe("not yet");
                }
            }
            pause();
        }
    }

    private void probeLoop() {
        Envelope found = end.tryProbe(CONTEXT, Wire.ANY, 2);
        for (int polls = 0; found == null; polls++) {
            observe("nothing", polls);
            if (polls % 7 == 3) {
                send();
            }
            found = end.tryProbe(CONTEXT, Wire.ANY, 2);
        }
        observe(found);
    }

    private void probe() {
        observe(end.probe(CONTEXT, 1, Wire.ANY));
        Received received = new Received(CONTEXT, 1);
        end.await(received.operation);
        received.observe();
    }

    private void cancelReceive() {
        Received received = new Received(CONTEXT, Wire.ANY);
        if (choices.nextBoolean()) {
            send();
        }
        boolean gone = end.cancel(received.operation);
        observe("cancelled", gone, end.cancel(received.operation));
        if (!gone) {
            end.await(received.operation);
            received.observe();
        }
    }

    private void send() {
        int kind = choices.nextInt(4);
        Operation send = send(choices.nextInt(3) == 0 ? SendMode.SYNCHRONOUS : SendMode.STANDARD);
        if (kind == 0) {
            int polls = 0;
            while (!end.test(send)) {
                polls++;
                pause();
            }
            observe("sent after", polls);
        } else if (kind < 3) {
            end.await(send);
        }
    }

    /** All that was observed is in what is sent. */
    private Operation send(SendMode mode) {
        int[] sizes = {4, 4, 4, 50, 65_536, 70_000, 200_000};
        byte[] bytes = new byte[sizes[choices.nextInt(sizes.length)]];
        new Random(hash).nextBytes(bytes);
        ByteBuffer.wrap(bytes).putInt(hash);
        Object store = hash % 2 == 0 ? bytes : ByteBuffer.allocateDirect(bytes.length).put(bytes);
        Content content = Plain.content(Base.BYTE, store, 0, mode == SendMode.SYNCHRONOUS && hash % 5 == 0 ? 0 : bytes.length);
        return end.send(CONTEXT, 1 + choices.nextInt(2), 1, content, mode);
    }

    private void cancelSend() {
        Operation send = send(SendMode.SYNCHRONOUS);
        boolean tested = choices.nextBoolean() && end.test(send);
        boolean gone = end.cancel(send);
        observe("taken back", gone, tested);
        end.await(send);
    }

    private void values() {
        observe("time", end.nanoTime());
        observe("seed", end.value(System::nanoTime));
        for (int i = 0; i < choices.nextInt(5_000); i++) {
            observe("time", end.nanoTime());
        }
    }

    /** A collective runs beside the program, which asks now and then whether it is over. */
    private void background() throws Exception {
        Operation errand = end.begin();
        CompletableFuture<Received> last = new CompletableFuture<>();
        Thread thread = new CollectiveThread(
                () -> {
                    try {
                        Received first = new Received(COLLECTIVES, 1);
                        end.await(first.operation);
                        Content content = Plain.content(Base.BYTE, first.bytes, 0, (int) first.operation.envelope().bytes());
                        end.await(end.send(COLLECTIVES, 2, 1, content, SendMode.SYNCHRONOUS));
                        Received second = new Received(COLLECTIVES, 2);
                        end.await(second.operation);
                        last.complete(second);
                        end.end(errand);
                    } catch (RuntimeException | Error e) {
                        failed.completeExceptionally(e);
                    }
                },
                "collective");
        thread.start();
        int polls = 0;
        while (polls < 5 && !end.test(errand)) {
            polls++;
            pause();
        }
        observe("background", polls);
        send();
        end.await(errand);
        last.get().observe();
    }
}
