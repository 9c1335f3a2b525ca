package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.channel.FrameChannel;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Layout;
import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.operation.Operation;

/** An interrupted thread's calls go on, whatever thread it is, and its flag is still set when they return. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class InterruptsTest {
    private static final int CONTEXT = 4;

    private static Region filled(int count, int value) {
        byte[] array = new byte[count];
        Arrays.fill(array, (byte) value);
        return new Region(Base.BYTE, Layout.ONE, array, 0);
    }

    private interface Task {
        void run() throws Exception;
    }

    private static Thread start(boolean virtual, Task task, CompletableFuture<Void> end) {
        Runnable body = () -> {
            try {
                task.run();
                end.complete(null);
            } catch (Exception | Error e) {
                end.completeExceptionally(e);
            }
        };
        return virtual ? Thread.ofVirtual().start(body) : Thread.ofPlatform().daemon().start(body);
    }

    private static void send(Endpoint end, int tag, int count) {
        end.await(end.send(CONTEXT, 1 - end.rank(), tag, filled(count, tag).content(0, count)));
    }

    private static void receive(Endpoint end, int tag, int count) {
        Region room = filled(count, 0);
        Operation receive = end.receive(CONTEXT, 1 - end.rank(), tag, room.sink(0, count));
        end.await(receive);
        assertThat(receive.failure()).isNull();
        byte[] expected = new byte[count];
        Arrays.fill(expected, (byte) tag);
        assertThat((byte[]) room.array()).isEqualTo(expected);
    }

    /** More than the sockets' buffers hold, so that writing waits too. */
    @ParameterizedTest
    @CsvSource({"false, 1", "true, 1", "false, 16000000", "true, 16000000"})
    void aThreadThatIsInterruptedAlreadySendsAndReceives(boolean virtual, int count) throws Exception {
        try (RelayedWorld world = new RelayedWorld(1, 2)) {
            world.run(end -> {
                CompletableFuture<Void> done = new CompletableFuture<>();
                start(
                        virtual,
                        () -> {
                            Thread.currentThread().interrupt();
                            for (int tag = 1; tag < 4; tag++) {
                                if (end.rank() == 0) {
                                    send(end, tag, count);
                                    receive(end, tag, count);
                                } else {
                                    receive(end, tag, count);
                                    send(end, tag, count);
                                }
                                assertThat(end.tryProbe(CONTEXT, 1 - end.rank(), 9)).isNull();
                            }
                            assertThat(Thread.currentThread().isInterrupted()).isTrue();
                        },
                        done);
                done.get();
            });
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aThreadThatIsInterruptedWhileItIsBlockedGoesOn(boolean virtual) throws Exception {
        try (RelayedWorld world = new RelayedWorld(1, 2)) {
            world.run(end -> {
                if (end.rank() == 1) {
                    receive(end, 1, 1);
                    send(end, 2, 5);
                    return;
                }
                CompletableFuture<Void> done = new CompletableFuture<>();
                Thread blocked = start(
                        virtual,
                        () -> {
                            receive(end, 2, 5);
                            assertThat(Thread.currentThread().isInterrupted()).isTrue();
                        },
                        done);
                while (blocked.getState() == Thread.State.RUNNABLE && !waits(blocked)) {
                    Thread.onSpinWait();
                }
                for (int i = 0; i < 3; i++) {
                    blocked.interrupt();
                    TimeUnit.MILLISECONDS.sleep(20);
                    assertThat(done).isNotDone();
                }
                send(end, 1, 1);
                done.get();
            });
        }
    }

    /** In the system's call of a connection by the port, of a local one, or of a virtual thread's. */
    private static boolean waits(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> Set.of("read0", "poll", "select").contains(frame.getMethodName()));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anInterruptedThreadConnects(boolean virtual) throws Exception {
        try (RelayedWorld world = new RelayedWorld(1, 1)) {
            CompletableFuture<Void> done = new CompletableFuture<>();
            start(
                    virtual,
                    () -> {
                        Thread.currentThread().interrupt();
                        FrameChannel line = FrameChannel.connect(world.address());
                        assertThat(Thread.currentThread().isInterrupted()).isTrue();
                        line.close();
                    },
                    done);
            done.get();
        }
    }
}
