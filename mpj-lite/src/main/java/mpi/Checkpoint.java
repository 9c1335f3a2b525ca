package mpi;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InvalidObjectException;
import java.io.Serializable;
import java.nio.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.posthouse.mpj.Endpoints;
import org.posthouse.mpj.checkpoint.CheckpointStore;

/**
 * Saves a program's state, so that a process which is started in the place of this one goes on from there and not from the
 * beginning, and the relay's log can be cut. Each process saves for itself, whenever it likes: no two need to agree.
 *
 * <pre>
 * MPI.Init(args);
 * Checkpoint checkpoint = Checkpoint.open();
 * Checkpoint.Value&lt;Integer&gt; step = checkpoint.register("step", 0);
 * checkpoint.register("grid", grid);
 * if (!checkpoint.restored()) {
 *     fill(grid);
 * }
 * while (step.get() &lt; steps) {
 *     exchangeAndCompute(grid);
 *     step.set(step.get() + 1);
 *     checkpoint.point();
 * }
 * </pre>
 *
 * <p>What the program does before {@link #restored} is done again by every process: there it makes the communicators that it
 * needs, and attaches its buffer. What has been sent need not have been received, but for the sends below; a save waits until it cannot be lost. A process needs memory for a copy of what
 * it saves.
 *
 * <p>Where {@link #restored} is true, the program goes on as behind the save: what it prints and sends from there on is compared with what the process before did behind
 * that save. A line that tells whether it was restored is one that the other did not print, and the job has diverged.
 *
 * <p><b>What may not be under way.</b> {@link #restored}, {@link #save} and {@link #point} throw an {@link MPIException} if this process has anything under
 * way that an image cannot have. That is so at every call, whether anything is to be saved or not, in a job that is not logged too, and
 * in a process that is brought back: it follows from what the program has done and seen, and from nothing else. It may be caught.
 * <ul>
 * <li>A receive is under way from its call until the program has seen its end: by a Wait, a Test that is true, and the like, or {@link Request#getStatus}.
 *     So is one that was cancelled, and one whose message has come long ago. A persistent receive is when it was started.
 * <li>A receive that was freed before its end was seen is under way for ever: the process cannot be saved any more. One that was cancelled before may
 *     be freed.
 * <li>So is a send that may have to wait for its receive: one that is longer than {@code --eager-max} (256 KiB), or synchronous. It is under way and
 *     freed as a receive is. A buffered send that is so long is under way until the buffer was detached.
 * <li>A message that a matched probe took is under way until it was received.
 * <li>A collective that was started is under way until the program has seen its end, or that of a later one of the same communicator.
 * <li>A collective that ends by throwing because others have called another one is under way for ever. One whose operation threw, an object of which
 *     cannot be written, or a receive of which failed, is not.
 * <li>The communicators must be those that there were at {@code restored()}: others must have been freed.
 * <li>So must the attached buffer, another of its size or none.
 * </ul>
 *
 * <p><b>What is not saved</b>, and not refused: error handlers, attributes and names are those of {@code restored()} in the next process, so they are to be
 * set before it. What a writer of the program's own holds back, a {@link java.io.PrintWriter} that was not flushed, is lost with the process and not
 * printed again: it is to be flushed before each save and point.
 *
 * <p><b>What a save itself throws</b>, a {@link Save}, a function of {@link #onSave}, serialization, or the lack of memory, nobody can catch: whether a point saves depends on
 * time, so a program that went on behind that could not be brought back. It ends the process, which says which part it was and why, and the
 * next one is brought back to where this one was, as after any accident, up to {@code --max-restarts}. So does what {@code restored()} finds
 * wrong with a save. Functions that save must change nothing else, as they are not called again.
 *
 * <p>In a job that is not logged nothing is saved, and every process begins from nothing. Confined to one thread.
 */
public final class Checkpoint {
    /** A registered object: the program's own variable is not restored, this is. */
    public static final class Value<T extends Serializable> {
        private T value;

        private Value(T initial) {
            value = initial;
        }

        /** The present value. */
        public T get() {
            return value;
        }

        /** Changes it. */
        public void set(T next) {
            value = next;
        }

        @SuppressWarnings("unchecked") // What was saved was of this type.
        private void restore(Object saved) {
            value = (T) saved;
        }
    }

    /** Writes a part of the program's state. */
    @FunctionalInterface
    public interface Save {
        /** Writes it to {@code out}, which may be closed. */
        void save(DataOutputStream out) throws IOException;
    }

    /** Reads a part of the program's state. */
    @FunctionalInterface
    public interface Load {
        /** Reads what the {@link Save} wrote: {@code in} ends there. What is left unread is skipped. */
        void load(DataInputStream in) throws IOException;
    }

    private static final String OPEN = "Checkpoint.open";
    private static final String REGISTER = "Checkpoint.register";
    private static final String RESTORED = "Checkpoint.restored";
    private static final String SAVE = "Checkpoint.save";
    private static final String POINT = "Checkpoint.point";

    private enum Stage {
        REGISTERING,
        RUNNING
    }

    private final OwnProcess self;
    private final CheckpointStore checkpointStore;
    private final SavedState state = new SavedState();
    private final List<Runnable> before = new ArrayList<>();
    private final long everyNs;
    private Stage stage = Stage.REGISTERING;
    private long lastNs;

    private Checkpoint(OwnProcess self) {
        this.self = self;
        checkpointStore = self.endpoint().vault();
        everyNs = TimeUnit.MILLISECONDS.toNanos(Endpoints.checkpointMs());
    }

    /**
     * The program's checkpoints; called once, after Init.
     *
     * @throws MPIException if it was called before
     */
    public static Checkpoint open() throws MPIException {
        return open(MPI.require("Checkpoint.open"));
    }

    static Checkpoint open(OwnProcess self) {
        if (!self.positions().tryOpen()) {
            throw error(OPEN, "it was called before; keep what the first call returned");
        }
        return new Checkpoint(self);
    }

    // ---- what is saved

    /**
     * An array of a primitive type, saved and restored in place: the same array has the saved elements then. Which of two arrays
     * is the present one is state as well: a program that swaps them swaps two {@link Value}s.
     *
     * @param name its own, the same in every process of this rank
     */
    public void register(String name, Object array) throws MPIException {
        if (array == null || !array.getClass().isArray() || !array.getClass().getComponentType().isPrimitive()) {
            throw error(REGISTER, "\"" + name + "\" is " + (array == null ? "null" : "of " + array.getClass())
                    + ", expected an array of a primitive type, a buffer, or something serializable");
        }
        add(name, SavedPart.ofArray(array));
    }

    /** A buffer, all of it from 0 to its capacity, saved and restored in place; its position and limit too. */
    public void register(String name, Buffer buffer) throws MPIException {
        if (buffer == null || buffer.isReadOnly()) {
            throw error(REGISTER, "\"" + name + "\" is " + (buffer == null ? "null" : "read-only") + ", expected a buffer to write to");
        }
        add(name, SavedPart.ofBuffer(buffer));
    }

    /**
     * An object, saved by serialization; the program reads and changes it through what this returns. An array is restored in
     * place as long as it is the one that was registered: it has the saved elements then. One that was set instead is another in
     * the next process, as are the rows of an array of arrays. While another is the value, the one that was registered is not saved.
     */
    public <T extends Serializable> Value<T> register(String name, T initial) throws MPIException {
        Value<T> value = new Value<>(initial);
        add(name, SavedPart.ofValue(initial, value::get, value::restore));
        return value;
    }

    /** Registers a part of the state that the program writes and reads itself. */
    public void register(String name, Save save, Load load) throws MPIException {
        if (save == null || load == null) {
            throw error(REGISTER, "\"" + name + "\" has a null function");
        }
        add(name, SavedPart.of(save, load));
    }

    private void add(String name, SavedPart part) {
        if (stage != Stage.REGISTERING) {
            throw error(REGISTER, "\"" + name + "\" comes after restored(), expected before");
        }
        if (name == null || !state.tryAdd(name, part)) {
            throw error(REGISTER, name == null ? "the name is null" : "there is a \"" + name + "\" already");
        }
    }

    /** Called back before each save that {@link #point} makes. It must not communicate, and not print. */
    public void onSave(Runnable before) throws MPIException {
        if (before == null) {
            throw error("Checkpoint.onSave", "the function is null");
        }
        this.before.add(before);
    }

    // ---- where it goes on

    /**
     * Whether this process goes on from a save: then all that was registered is as it was at that save. Called exactly once,
     * after all that is saved was registered. A save that does not fit ends the process.
     *
     * @throws MPIException if anything is under way (then it may be called again), or it was called before
     */
    public boolean restored() throws MPIException {
        requireStage(RESTORED, Stage.REGISTERING, "it was called before, expected once");
        requireNothingUnderWay(RESTORED);
        DataInputStream image = checkpointStore.restored();
        stage = Stage.RUNNING;
        self.positions().endPrologue();
        self.sendBuffer().endPrologue();
        lastNs = System.nanoTime();
        if (image != null) {
            read(image);
        }
        return image != null;
    }

    private void read(DataInputStream image) {
        try {
            self.contexts().read(image);
            self.random().read(image);
            self.sendBuffer().read(image);
            self.ports().read(image);
            if (!self.positions().read(image)) {
                throw new InvalidObjectException("the communicators are not those of the save; make the same ones before restored()");
            }
            state.read(image);
        } catch (IOException | RuntimeException | Error e) {
            throw self.endpoint().giveUp(RESTORED + " cannot restore " + state.failure(e));
        }
    }

    /**
     * Saves now, in any case.
     *
     * @throws MPIException if anything is under way, or other communicators are there than at {@link #restored}, or a buffer of another size
     */
    public void save() throws MPIException {
        requireSavable(SAVE);
        if (checkpointStore.isOpen()) {
            write(SAVE, List.of());
        }
    }

    /**
     * A place where the program can be saved: it is if {@code --checkpoint-every} is over or the relay has asked for it. What
     * it costs otherwise is a look at the clock.
     *
     * @throws MPIException as {@link #save}, whether it is saved or not
     */
    public void point() throws MPIException {
        requireSavable(POINT);
        boolean due = everyNs > 0 && System.nanoTime() - lastNs >= everyNs;
        if ((due || checkpointStore.isWanted()) && checkpointStore.isOpen()) {
            write(POINT, before);
        }
    }

    /** All that is asked here follows from what the program has done and seen (ADR 20). */
    private void requireSavable(String call) {
        requireStage(call, Stage.RUNNING, "expected restored() before");
        requireNothingUnderWay(call);
        if (self.joints().isAny()) {
            throw error(call, "a joint job is open, whose history no image holds: disconnect the communicators that accept and connect made, all processes");
        }
        if (self.positions().haveChanged()) {
            throw error(call, "there are other communicators than at restored(): free those that were made since, and keep the others");
        }
        String buffer = self.sendBuffer().change();
        if (buffer != null) {
            throw error(call, "the attached buffer is " + buffer + ", as at restored()");
        }
    }

    private void requireStage(String call, Stage expected, String otherwise) {
        if (stage != expected) {
            throw error(call, otherwise);
        }
        if (self.endpoint().isClosed()) {
            throw error(call, "expected before Finalize");
        }
    }

    private void requireNothingUnderWay(String call) {
        String what = self.underWay().isNothing() ? null : self.underWay().words(self.positions());
        if (what != null) {
            throw error(call, what);
        }
    }

    private void write(String call, List<Runnable> first) {
        try {
            first.forEach(Runnable::run);
            checkpointStore.save(this::write);
        } catch (IOException | RuntimeException | Error e) {
            throw self.endpoint().giveUp(call + " cannot save " + state.failure(e));
        }
        lastNs = System.nanoTime();
    }

    private void write(DataOutputStream out) throws IOException {
        self.contexts().write(out);
        self.random().write(out);
        self.sendBuffer().write(out);
        self.ports().write(out);
        self.positions().write(out);
        state.write(out);
    }

    private static MPIException error(String call, String what) {
        return new MPIException(MPI.ERR_OTHER, call + ": " + what);
    }
}
