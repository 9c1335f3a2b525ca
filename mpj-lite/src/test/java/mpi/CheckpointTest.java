package mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.LocalWorld;

/** What a program saves is restored; what cannot be saved or restored ends its process, in words that name it (ADR 20). */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CheckpointTest {
    private static final class Unwritable implements Serializable {
        private static final long serialVersionUID = 1L;
        private final Object what = new Object();

        @Override
        public String toString() {
            return "holds " + what;
        }
    }

    private interface Body {
        void run(Intracomm world, Checkpoint checkpoint);
    }

    private static LocalWorld run(int size, LocalWorld local, Body body) {
        Ranks.run(local, size, (world, rank) -> body.run(world, Checkpoint.open(world.self)));
        return local;
    }

    private static LocalWorld saved(Body body) {
        return run(1, new LocalWorld(1).saving(), (world, checkpoint) -> {
            body.run(world, checkpoint);
            checkpoint.restored();
            checkpoint.save();
        });
    }

    private static void restored(LocalWorld before, Body body) {
        run(1, new LocalWorld(1).saving().after(before), body);
    }

    @Test
    void registeredValuesAreRestored() {
        int[] grid = {1, 2, 3};
        Object halo = new long[] {4, 5};
        IntBuffer buffer = IntBuffer.wrap(new int[] {6, 7});
        LocalWorld before = saved((world, checkpoint) -> {
            checkpoint.register("grid", grid);
            checkpoint.register("halo", halo);
            checkpoint.register("buffer", buffer);
            checkpoint.register("step", 5);
        });
        int[] nextGrid = new int[3];
        Object nextHalo = new long[2];
        IntBuffer nextBuffer = IntBuffer.allocate(2);
        restored(before, (world, checkpoint) -> {
            checkpoint.register("grid", nextGrid);
            checkpoint.register("halo", nextHalo);
            checkpoint.register("buffer", nextBuffer);
            Checkpoint.Value<Integer> step = checkpoint.register("step", 0);
            assertThat(checkpoint.restored()).isTrue();
            assertThat(step.get()).isEqualTo(5);
        });
        assertThat(nextGrid).isEqualTo(grid);
        assertThat(nextHalo).isEqualTo(halo);
        assertThat(nextBuffer).isEqualTo(buffer);
    }

    /** Before, each save wrote the array that was registered, whatever the program had set since. */
    @Test
    void theArrayThatWasSetIsSaved() {
        LocalWorld before = saved((world, checkpoint) -> {
            checkpoint.register("now", new int[] {1, 2}).set(new int[] {3, 4, 5});
            checkpoint.register("none", new int[1]).set(null);
            Checkpoint.Value<int[]> same = checkpoint.register("same", new int[] {6});
            same.set(new int[] {7});
            same.set(new int[] {8});
            checkpoint.register("behind", 9);
        });
        restored(before, (world, checkpoint) -> {
            Checkpoint.Value<int[]> now = checkpoint.register("now", new int[2]);
            Checkpoint.Value<int[]> none = checkpoint.register("none", new int[1]);
            Checkpoint.Value<int[]> same = checkpoint.register("same", new int[1]);
            Checkpoint.Value<Integer> behind = checkpoint.register("behind", 0);
            assertThat(checkpoint.restored()).isTrue();
            assertThat(now.get()).containsExactly(3, 4, 5);
            assertThat(none.get()).isNull();
            assertThat(same.get()).containsExactly(8);
            assertThat(behind.get()).isEqualTo(9);
        });
    }

    @Test
    void registeredArrayIsRestoredInPlaceDespiteLaterSet() {
        LocalWorld before = saved((world, checkpoint) -> {
            int[] first = {1, 2};
            Checkpoint.Value<int[]> now = checkpoint.register("now", first);
            now.set(new int[2]);
            now.set(first);
        });
        int[] first = new int[2];
        restored(before, (world, checkpoint) -> {
            Checkpoint.Value<int[]> now = checkpoint.register("now", first);
            now.set(new int[] {3});
            checkpoint.restored();
            assertThat(now.get()).isSameAs(first);
        });
        assertThat(first).containsExactly(1, 2);
    }

    /** Before, the program's own array of arrays had what it had at the beginning, unless it was asked for through the value. */
    @Test
    void anArrayOfArraysIsRestoredInPlaceToo() {
        LocalWorld before = saved((world, checkpoint) -> {
            checkpoint.register("grid", new double[][] {{1, 2}, {3}, null});
            checkpoint.register("words", new String[] {"a"}).set(new String[] {"b", "c"});
        });
        double[][] grid = new double[3][2];
        restored(before, (world, checkpoint) -> {
            checkpoint.register("grid", grid);
            Checkpoint.Value<String[]> words = checkpoint.register("words", new String[1]);
            checkpoint.restored();
            assertThat(words.get()).containsExactly("b", "c");
        });
        assertThat(grid).isDeepEqualTo(new double[][] {{1, 2}, {3}, null});
        restored(before, (world, checkpoint) -> {
            checkpoint.register("grid", new double[2][2]);
            checkpoint.register("words", new String[1]);
            assertThatThrownBy(checkpoint::restored).hasMessageContaining("\"grid\" has 2 elements, and had 3");
        });
    }

    /** Before, one that reads ahead, or to its end, took the parts behind it: every save was made, and none could be restored. */
    @Test
    void aLoadHasAnEndOfItsOwn() {
        byte[] large = new byte[200_000];
        new Random(1).nextBytes(large);
        Properties settings = new Properties();
        settings.setProperty("key", "value");
        LocalWorld before = saved((world, checkpoint) -> {
            checkpoint.register("settings", out -> settings.store(out, null), in -> {});
            checkpoint.register("large", out -> out.write(large), in -> {});
            checkpoint.register("zipped", out -> {
                try (GZIPOutputStream zipped = new GZIPOutputStream(out)) {
                    zipped.write(large);
                }
            }, in -> {});
            checkpoint.register("nothing", out -> {}, in -> {});
            checkpoint.register("unread", out -> out.write(large), in -> {});
            checkpoint.register("step", 5);
        });
        Properties read = new Properties();
        restored(before, (world, checkpoint) -> {
            checkpoint.register("settings", out -> {}, read::load);
            checkpoint.register("large", out -> {}, in -> {
                assertThat(in.readAllBytes()).isEqualTo(large);
                assertThat(in.available()).isZero();
            });
            checkpoint.register("zipped", out -> {}, in -> {
                try (GZIPInputStream zipped = new GZIPInputStream(in)) {
                    assertThat(zipped.readNBytes(large.length)).isEqualTo(large);
                }
            });
            checkpoint.register("nothing", out -> {}, in -> assertThat(in.read()).isNegative());
            checkpoint.register("unread", out -> {}, in -> assertThat(in.readByte()).isEqualTo(large[0]));
            Checkpoint.Value<Integer> step = checkpoint.register("step", 0);
            assertThat(checkpoint.restored()).isTrue();
            assertThat(step.get()).isEqualTo(5);
        });
        assertThat(read).isEqualTo(settings);
    }

    @Test
    void aLoadThatReadsMoreThanWasSavedIsNamed() {
        LocalWorld before = saved((world, checkpoint) -> {
            checkpoint.register("short", out -> out.writeInt(1), in -> {});
            checkpoint.register("long", out -> out.writeLong(1), in -> {});
            checkpoint.register("step", 5);
        });
        restored(before, (world, checkpoint) -> {
            checkpoint.register("short", out -> {}, in -> in.readFully(new byte[Integer.BYTES + 6 + Long.BYTES]));
            checkpoint.register("long", out -> {}, in -> {});
            checkpoint.register("step", 0);
            assertThatThrownBy(checkpoint::restored)
                    .hasMessageStartingWith("Checkpoint.restored cannot restore \"short\": java.io.EOFException");
        });
    }

    /** Before, a collective counted as under way for ever when 2^31 had been called. */
    @Test
    void isSavedHoweverManyCollectivesThereWere() {
        int[] calls = new int[1];
        LocalWorld before = run(1, new LocalWorld(1).saving(), (world, checkpoint) -> {
            checkpoint.restored();
            world.collectives.goOn(Integer.MAX_VALUE - 1);
            world.collectives.turns.countFrom(Integer.MAX_VALUE - 1);
            for (int i = 0; i < 3; i++) {
                world.Barrier();
                world.Ibarrier().Wait();
                checkpoint.save();
            }
            calls[0] = world.collectives.calls();
        });
        restored(before, (world, checkpoint) -> {
            assertThat(checkpoint.restored()).isTrue();
            assertThat(world.collectives.calls()).isEqualTo(calls[0]).isNegative();
            world.Barrier();
            checkpoint.save();
        });
    }

    @Test
    void communicatorsGetTheNumbersThatTheyWouldHaveGot() {
        int[] next = new int[1];
        LocalWorld before = run(1, new LocalWorld(1).saving(), (world, checkpoint) -> {
            Intracomm failed = world.dup();
            checkpoint.restored();
            Intracomm gone = world.dup();
            failCollective(gone);
            gone.free();
            world.dup().free();
            failCollective(failed);
            checkpoint.save();
            next[0] = world.dup().id;
        });
        restored(before, (world, checkpoint) -> {
            Intracomm failed = world.dup();
            assertThat(checkpoint.restored()).isTrue();
            failed.free();
            assertThat(world.self.contexts().isFree(failed.id)).as("a collective has failed there").isFalse();
            assertThat(world.dup().id).as("behind the one that rests").isEqualTo(next[0]);
        });
    }

    private static void failCollective(Intracomm comm) {
        assertThatThrownBy(() -> comm.Gather(new int[2], 0, 2, MPI.INT, new int[1], 0, 1, MPI.INT, 0))
                .isInstanceOf(MPIException.class);
    }

    /** Before, the positions in an image were those of the helper that {@code createGroup} makes, and not of its parent. */
    @Test
    void collectivesCountOnOfACommunicatorThatHadAGroupMade() {
        LocalWorld first = new LocalWorld(2).saving();
        AtomicInteger operations = new AtomicInteger();
        AtomicInteger calls = new AtomicInteger();
        Body prologue = (world, checkpoint) -> {
            world.createGroup(world.Group(), 7);
            world.Barrier();
        };
        run(2, first, (world, checkpoint) -> {
            prologue.run(world, checkpoint);
            checkpoint.restored();
            world.Barrier();
            operations.set(world.collectives.operations());
            calls.set(world.collectives.calls());
            checkpoint.save();
        });
        assertThat(operations.get()).isPositive();
        run(2, new LocalWorld(2).saving().after(first), (world, checkpoint) -> {
            prologue.run(world, checkpoint);
            assertThat(world.collectives.operations()).isLessThan(operations.get());
            assertThat(checkpoint.restored()).isTrue();
            assertThat(world.collectives.operations()).isEqualTo(operations.get());
            assertThat(world.collectives.calls()).as("by which ranks that do not match are told").isEqualTo(calls.get());
        });
    }

    /** Before, the context of the ports was looked up among those of communicators, where it is not. */
    @Test
    void checkpointSucceedsAfterPortConnection() {
        LocalWorld local = new LocalWorld(2).saving();
        run(2, local, (world, checkpoint) -> {
            checkpoint.restored();
            String[] name = {world.Rank() == 0 ? world.self.ports().open(0, 0).name() : ""};
            world.Bcast(name, 0, 1, MPI.OBJECT, 0);
            Intracomm self = world.Split(world.Rank(), 0);
            Intercomm other = world.Rank() == 0 ? self.accept(name[0], 0) : self.connect(name[0], 0);
            other.Free();
            self.Free();
            checkpoint.save();
        });
    }

    /** Before, they were among the communicators of the port's own, which no image has. */
    @Test
    void portCommunicatorsRestoreTheirCollectiveCounters() {
        List<List<Integer>> saved = List.of(new ArrayList<>(), new ArrayList<>());
        LocalWorld first = new LocalWorld(2).saving();
        run(2, first, (world, checkpoint) -> {
            Intercomm pair = metAtAPort(world);
            Intracomm merged = pair.merge(world.Rank() == 0);
            checkpoint.restored();
            pair.barrier();
            merged.Barrier();
            checkpoint.save();
            saved.get(world.Rank()).addAll(operations(pair, merged));
        });
        run(2, new LocalWorld(2).saving().after(first), (world, checkpoint) -> {
            Intercomm pair = metAtAPort(world);
            Intracomm merged = pair.merge(world.Rank() == 0);
            checkpoint.restored();
            assertThat(operations(pair, merged)).isEqualTo(saved.get(world.Rank()));
        });
    }

    private static Intercomm metAtAPort(Intracomm world) {
        Intracomm self = world.Split(world.Rank(), 0);
        String[] name = {world.Rank() == 0 ? world.self.ports().open(0, 0).name() : ""};
        world.Bcast(name, 0, 1, MPI.OBJECT, 0);
        return world.Rank() == 0 ? self.accept(name[0], 0) : self.connect(name[0], 0);
    }

    private static List<Integer> operations(Intercomm pair, Intracomm merged) {
        return List.of(pair.collectives.operations(), pair.everybody().operations(), merged.collectives.operations());
    }

    /** It has left by then, but nobody has asked: that is asked again, and answered as it was. */
    @Test
    void attachedBufferUsageIsRestored() {
        Body prologue = (world, checkpoint) -> world.self.sendBuffer().attach("attach", new byte[1], 100);
        LocalWorld before = run(1, new LocalWorld(1).eagerBytesMax(-1).saving(), (world, checkpoint) -> {
            prologue.run(world, checkpoint);
            checkpoint.restored();
            world.Bsend(new byte[60], 0, 60, MPI.BYTE, 0, 1);
            checkpoint.save();
            world.Recv(new byte[60], 0, 60, MPI.BYTE, 0, 1);
        });
        run(1, new LocalWorld(1).eagerBytesMax(-1).saving().after(before), (world, checkpoint) -> {
            prologue.run(world, checkpoint);
            checkpoint.restored();
            assertThat(copies(world)).containsExactly(1L, 60L);
            world.Bsend(new byte[100], 0, 100, MPI.BYTE, 0, 1);
            assertThat(copies(world)).containsExactly(1L, 100L);
            assertThatThrownBy(() -> world.Bsend(new byte[1], 0, 1, MPI.BYTE, 0, 1)).isInstanceOf(MPIException.class);
            world.Recv(new byte[100], 0, 100, MPI.BYTE, 0, 1);
        });
    }

    /** How many are in the attached buffer, and their bytes. */
    private static List<Long> copies(Intracomm world) {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        try {
            world.self.sendBuffer().write(new DataOutputStream(written));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        ByteBuffer all = ByteBuffer.wrap(written.toByteArray()).position(Integer.BYTES);
        List<Long> numbers = new ArrayList<>(List.of((long) all.getInt()));
        while (all.hasRemaining()) {
            numbers.add(all.getLong());
        }
        return numbers;
    }

    @Test
    void portsAreNumberedOnAndStayOpen() {
        List<String> names = new ArrayList<>();
        Body prologue = (world, checkpoint) -> names.add(world.self.ports().open(0, 0).name());
        LocalWorld before = run(1, new LocalWorld(1).saving(), (world, checkpoint) -> {
            prologue.run(world, checkpoint);
            checkpoint.restored();
            names.add(world.self.ports().open(0, 0).name());
            world.self.ports().close(names.get(0), 0, 0);
            checkpoint.save();
        });
        run(1, new LocalWorld(1).saving().after(before), (world, checkpoint) -> {
            prologue.run(world, checkpoint);
            checkpoint.restored();
            assertThat(names.get(2)).isEqualTo(names.get(0));
            assertThat(world.self.ports().open(0, 0).name()).isNotIn(names);
            assertThat(world.self.ports().own("accept", names.get(1), 0, 0)).isNotNull();
            assertThatThrownBy(() -> world.self.ports().own("accept", names.get(0), 0, 0)).isInstanceOf(MPIException.class);
        });
    }

    static Stream<Arguments> failures() {
        return Stream.of(
                Arguments.of("java.io.IOException: no room", new IOException("no\n  room")),
                Arguments.of("java.lang.IllegalStateException: mine", new IllegalStateException("mine")),
                Arguments.of("java.lang.OutOfMemoryError: mine", new OutOfMemoryError("mine")));
    }

    private static void raise(Throwable thrown) throws IOException {
        thrown.setStackTrace(new StackTraceElement[0]);
        if (thrown instanceof Error error) {
            throw error;
        } else if (thrown instanceof RuntimeException e) {
            throw e;
        }
        throw (IOException) thrown;
    }

    @ParameterizedTest
    @MethodSource("failures")
    void aProcessEndsThatCannotSave(String words, Throwable thrown) {
        run(1, new LocalWorld(1).saving(), (world, checkpoint) -> {
            checkpoint.register("before", 1);
            checkpoint.register("grid", out -> raise(thrown), in -> raise(thrown));
            checkpoint.restored();
            assertThatThrownBy(checkpoint::save)
                    .isExactlyInstanceOf(IllegalStateException.class)
                    .hasMessage("Checkpoint.save cannot save \"grid\": " + words);
            assertThatThrownBy(checkpoint::point).hasMessage("Checkpoint.point cannot save \"grid\": " + words);
        });
    }

    @ParameterizedTest
    @MethodSource("failures")
    void aProcessEndsThatCannotRestore(String words, Throwable thrown) {
        LocalWorld before = saved((world, checkpoint) -> checkpoint.register("grid", out -> {}, in -> {}));
        restored(before, (world, checkpoint) -> {
            checkpoint.register("grid", out -> {}, in -> raise(thrown));
            assertThatThrownBy(checkpoint::restored)
                    .isExactlyInstanceOf(IllegalStateException.class)
                    .hasMessage("Checkpoint.restored cannot restore \"grid\": " + words);
        });
    }

    @Test
    void saveErrorNamesTheNonSerializableValue() {
        run(1, new LocalWorld(1).saving(), (world, checkpoint) -> {
            checkpoint.register("one", 1);
            checkpoint.register("two", (Serializable) new ArrayList<>(List.of(new Unwritable())));
            checkpoint.restored();
            assertThatThrownBy(checkpoint::point)
                    .hasMessageStartingWith("Checkpoint.point cannot save \"two\": java.io.NotSerializableException: java.lang.Object");
        });
    }

    @Test
    void aFunctionOfOnSaveIsCalledAtPointsThatSaveAndMayEndTheProcess() {
        for (boolean saving : new boolean[] {true, false}) {
            LocalWorld local = new LocalWorld(1);
            run(1, saving ? local.saving() : local, (world, checkpoint) -> {
                AtomicInteger calls = new AtomicInteger();
                checkpoint.onSave(calls::incrementAndGet);
                checkpoint.restored();
                checkpoint.save();
                assertThat(calls).hasValue(0);
                checkpoint.point();
                assertThat(calls).hasValue(saving ? 1 : 0);
                checkpoint.onSave(() -> {
                    throw new IllegalStateException("mine");
                });
                if (saving) {
                    assertThatThrownBy(checkpoint::point)
                            .hasMessageStartingWith("Checkpoint.point cannot save its state: java.lang.IllegalStateException: mine");
                } else {
                    checkpoint.point();
                }
            });
        }
    }

    /** What a function that saves begins is the process's end, and no error of the program. */
    @Test
    void aReceiveThatASaveBeginsEndsTheProcess() {
        run(1, new LocalWorld(1).saving(), (world, checkpoint) -> {
            checkpoint.register("bad", out -> world.Irecv(new int[1], 0, 1, MPI.INT, 0, 1), in -> {});
            checkpoint.restored();
            assertThatThrownBy(checkpoint::save)
                    .hasMessageStartingWith("Checkpoint.save cannot save")
                    .hasMessageContaining("a receive is under way, which the caller was to rule out");
        });
    }

    @Test
    void aSaveThatDoesNotFitEndsTheProcess() {
        LocalWorld before = saved((world, checkpoint) -> checkpoint.register("grid", new int[3]));
        restored(before, (world, checkpoint) -> {
            checkpoint.register("other", new int[3]);
            assertThatThrownBy(checkpoint::restored)
                    .isExactlyInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("Checkpoint.restored cannot restore \"grid\": java.io.InvalidObjectException: it was saved, and is not"
                            + " registered: [other]");
        });
        restored(before, (world, checkpoint) -> {
            checkpoint.register("grid", new int[4]);
            assertThatThrownBy(checkpoint::restored).hasMessageContaining("\"grid\" has 4 elements, and had 3");
        });
        restored(before, (world, checkpoint) -> {
            checkpoint.register("grid", new int[3]);
            checkpoint.register("step", 0);
            assertThatThrownBy(checkpoint::restored)
                    .hasMessageContaining("cannot restore its state")
                    .hasMessageContaining("it was saved without what is registered as [step]");
        });
        restored(before, (world, checkpoint) -> {
            world.dup();
            checkpoint.register("grid", new int[3]);
            assertThatThrownBy(checkpoint::restored)
                    .hasMessageContaining("Checkpoint.restored cannot restore its state")
                    .hasMessageContaining("the communicators are not those of the save");
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nothingIsSavedBehindFinalize(boolean saving) {
        LocalWorld local = new LocalWorld(1);
        run(1, saving ? local.saving() : local, (world, checkpoint) -> {
            checkpoint.restored();
            world.endpoint.close();
            assertThatThrownBy(checkpoint::point).isInstanceOf(MPIException.class).hasMessageContaining("before Finalize");
        });
    }

    /** Of a program whose classes are none of the library's. */
    @Test
    void thePlaceIsTheProgramsOwn() {
        IOException thrown = new IOException("no");
        thrown.setStackTrace(new StackTraceElement[] {
            new StackTraceElement("java.io.OutputStream", "write", "OutputStream.java", 1),
            new StackTraceElement("com.example.Grid", "save", "Grid.java", 31)
        });
        assertThat(new SavedState().failure(thrown)).isEqualTo("its state: java.io.IOException: no, at com.example.Grid.save(Grid.java:31)");
    }
}
