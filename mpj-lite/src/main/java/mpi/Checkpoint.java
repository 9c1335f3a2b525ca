package mpi;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.Buffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.posthouse.mpj.Endpoints;
import org.posthouse.mpj.Vault;

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
 * needs. Between there and a save it may make others, but must have freed them by then. Neither there nor at a save may a receive or a
 * collective be under way in this process: one that began before it would have begun, and not ended, in the process that goes on behind it. What has
 * been sent need not have been received; a save waits until it cannot be lost. A process needs memory for a copy of what it saves.
 *
 * <p>What such a call throws is a fault of the program, to be mended and not to be caught: whether it throws may depend on time, and a process that is brought
 * back makes the call again without its throwing. Functions that save must change nothing else, as they are not called again.
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

        /** What it is now. */
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
        /** Writes it to {@code out}, which stays open. */
        void save(DataOutputStream out) throws IOException;
    }

    /** Reads a part of the program's state. */
    @FunctionalInterface
    public interface Load {
        /** Reads what the {@link Save} wrote. */
        void load(DataInputStream in) throws IOException;
    }

    private enum Stage {
        REGISTERING,
        RUNNING
    }

    private final Self self;
    private final Vault vault;
    private final Map<String, SavedPart> parts = new LinkedHashMap<>();
    private final List<Runnable> before = new ArrayList<>();
    private final long everyNs;
    private Stage stage = Stage.REGISTERING;
    private List<Collectives> prologue;
    private long lastNs;

    private Checkpoint(Self self) {
        this.self = self;
        vault = self.endpoint().vault();
        everyNs = TimeUnit.MILLISECONDS.toNanos(Endpoints.checkpointMs());
    }

    /**
     * The program's checkpoints; called once, after Init.
     *
     * @throws MPIException if it was called before
     */
    public static Checkpoint open() throws MPIException {
        Self self = MPI.require("Checkpoint.open");
        if (!self.positions().tryOpen()) {
            throw error("open", "it was called before; keep what the first call returned");
        }
        return new Checkpoint(self);
    }

    // ---- what is saved

    /**
     * An array of a primitive type, saved and restored in place: the same array has the saved elements then.
     *
     * @param name its own, the same in every process of this rank
     */
    public void register(String name, Object array) throws MPIException {
        if (array == null || !array.getClass().isArray() || !array.getClass().getComponentType().isPrimitive()) {
            throw error("register", "\"" + name + "\" is " + (array == null ? "null" : "of " + array.getClass())
                    + ", expected an array of a primitive type, a buffer, or something serializable");
        }
        add(name, SavedPart.ofArray(array));
    }

    /** A buffer, all of it from 0 to its capacity, saved and restored in place; its position and limit too. */
    public void register(String name, Buffer buffer) throws MPIException {
        if (buffer == null || buffer.isReadOnly()) {
            throw error("register", "\"" + name + "\" is " + (buffer == null ? "null" : "read-only") + ", expected a buffer to write to");
        }
        add(name, SavedPart.ofBuffer(buffer));
    }

    /**
     * An object, saved by serialization; the program reads and changes it through what this returns. An array of a primitive
     * type is restored in place, as long as it is the one that was registered.
     */
    public <T extends Serializable> Value<T> register(String name, T initial) throws MPIException {
        Value<T> value = new Value<>(initial);
        boolean array = initial != null && initial.getClass().isArray() && initial.getClass().getComponentType().isPrimitive();
        add(name, array ? SavedPart.ofArray(initial) : SavedPart.ofObject(value::get, value::restore));
        return value;
    }

    /** What the program writes and reads itself. */
    public void register(String name, Save save, Load load) throws MPIException {
        if (save == null || load == null) {
            throw error("register", "\"" + name + "\" has a null function");
        }
        add(name, SavedPart.of(save, load));
    }

    private void add(String name, SavedPart part) {
        if (stage != Stage.REGISTERING) {
            throw error("register", "\"" + name + "\" comes after restored(), expected before");
        }
        if (name == null || parts.putIfAbsent(name, part) != null) {
            throw error("register", name == null ? "the name is null" : "there is a \"" + name + "\" already");
        }
    }

    /** Called back before each save that {@link #point} makes. It must not communicate, and not print. */
    public void onSave(Runnable before) throws MPIException {
        if (before == null) {
            throw error("onSave", "the function is null");
        }
        this.before.add(before);
    }

    // ---- where it goes on

    /**
     * Whether this process goes on from a save: then all that was registered is as it was at that save. Called exactly once,
     * after all that is saved was registered.
     *
     * @throws MPIException if a receive or a collective is under way (then it may be called again), or what was saved is not what is registered
     */
    public boolean restored() throws MPIException {
        if (stage != Stage.REGISTERING) {
            throw error("restored", "it was called before, expected once");
        }
        prologue = live("restored");
        DataInputStream image;
        try {
            image = vault.restored();
        } catch (IllegalStateException e) {
            throw error("restored", e.getMessage());
        }
        stage = Stage.RUNNING;
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
            if (!self.positions().read(image, self.contexts())) {
                throw error("restored", "the communicators are not those of the save; make the same ones before restored()");
            }
            for (int left = image.readInt(); left > 0; left--) {
                String name = image.readUTF();
                SavedPart part = parts.get(name);
                if (part == null) {
                    throw error("restored", "the save has \"" + name + "\", which is not registered: " + parts.keySet());
                }
                part.read(name, image);
            }
        } catch (IOException e) {
            throw new MPIException(MPI.ERR_OTHER, "Checkpoint.restored: the save cannot be read: " + e, e);
        }
    }

    /**
     * Saves now, in any case.
     *
     * @throws MPIException if it is saved and a receive or a collective is under way
     */
    public void save() throws MPIException {
        requireRunning("save");
        if (vault.isOpen()) {
            write("save");
        }
    }

    /**
     * A place where the program can be saved: it is if {@code --checkpoint-every} is over or the relay has asked for it. What
     * it costs otherwise is a look at the clock.
     *
     * @throws MPIException if it is saved and a receive or a collective is under way
     */
    public void point() throws MPIException {
        requireRunning("point");
        boolean due = everyNs > 0 && System.nanoTime() - lastNs >= everyNs;
        if ((due || vault.isWanted()) && vault.isOpen()) {
            before.forEach(Runnable::run);
            write("point");
        }
    }

    private void requireRunning(String call) {
        if (stage != Stage.RUNNING) {
            throw error(call, "expected restored() before");
        }
        MPI.require("Checkpoint." + call);
    }

    private void write(String call) {
        List<Collectives> live = live(call);
        if (!live.equals(prologue)) {
            throw error(call, "there are other communicators than at restored(); free those that were made since");
        }
        try {
            vault.save(out -> {
                self.contexts().write(out);
                self.random().write(out);
                Positions.write(live, out);
                out.writeInt(parts.size());
                for (Map.Entry<String, SavedPart> part : parts.entrySet()) {
                    out.writeUTF(part.getKey());
                    part.getValue().write(part.getKey(), out);
                }
            });
        } catch (IllegalStateException e) {
            throw error(call, e.getMessage());
        } catch (IOException e) {
            throw new UncheckedIOException("Checkpoint." + call + ": the program's state cannot be written", e);
        }
        lastNs = System.nanoTime();
    }

    /** The collectives of the communicators that are there. */
    private List<Collectives> live(String call) {
        List<Collectives> live = self.positions().live(self.contexts());
        for (Collectives collectives : live) {
            if (collectives.isUnderWay()) {
                throw error(call, "a collective of " + collectives.check.name() + " is under way, expected none: wait for it first");
            }
        }
        return live;
    }

    private static MPIException error(String call, String what) {
        return new MPIException(MPI.ERR_OTHER, "Checkpoint." + call + ": " + what);
    }
}
