package org.posthouse.directory.names;

import com.hazelcast.map.IMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.posthouse.names.NameException;

/**
 * How many names the group has, unbound ones that are remembered too, and how large they are together. Thread-safe.
 *
 * <p>Each relay counts now and then, and adds what it writes itself in between. It counts again before it refuses, as a record that replaced a larger one was
 * added too. So relays that write at the same time pass a limit by what the others write between two counts.
 */
final class NamesRoom {
    /** Most names, bound or remembered. */
    static final int NAMES_MAX = 65_536;

    /** Most bytes of all names and records as they are stored, as many as a judge of {@code --names raft} has. */
    static final long BYTES_MAX = 64L << 20;

    /** Bytes up to which a record is replaced also where there is no room: names that are there go on, and with each at most that they double. */
    private static final int SMALL_BYTES_MAX = 1_024;

    private final IMap<String, String> map;
    private final Executor threads;

    // Guarded by this.
    private long bytesMax = BYTES_MAX;
    private long names;
    private long bytes;
    private CompletableFuture<Void> counting = CompletableFuture.completedFuture(null);

    /** @param threads run what blocks */
    NamesRoom(IMap<String, String> map, Executor threads) {
        this.map = map;
        this.threads = threads;
    }

    /** For tests. */
    synchronized void limit(long mostBytes) {
        bytesMax = mostBytes;
    }

    /** Whether it is half full. */
    synchronized boolean isCrowded() {
        return names >= NAMES_MAX / 2 || bytes >= bytesMax / 2;
    }

    /** Counts what all relays have stored. Blocks. */
    void count() {
        long counted = map.size();
        long summed = map.aggregate(new StoredSize());
        synchronized (this) {
            names = counted;
            bytes = summed;
        }
    }

    /**
     * Whether there is room for a record.
     *
     * @param size of its stored form
     * @param mayBeNew whether its name may not be there yet
     * @return fails with TOO_LARGE if there is none
     */
    CompletableFuture<Void> admit(int size, boolean mayBeNew) {
        if (tryAdmit(size, mayBeNew)) {
            return CompletableFuture.completedFuture(null);
        }
        return counted().thenAccept(done -> {
            if (!tryAdmit(size, mayBeNew)) {
                throw full(size);
            }
        });
    }

    private synchronized boolean tryAdmit(int size, boolean mayBeNew) {
        boolean fits = (!mayBeNew || names < NAMES_MAX) && (bytes + size <= bytesMax || !mayBeNew && size <= SMALL_BYTES_MAX);
        if (fits) {
            names += mayBeNew ? 1 : 0;
            bytes += size;
        }
        return fits;
    }

    /** Those who ask meanwhile share a count. */
    private synchronized CompletableFuture<Void> counted() {
        if (counting.isDone()) {
            counting = CompletableFuture.runAsync(this::count, threads);
        }
        return counting;
    }

    private synchronized NameException full(int size) {
        return new NameException(NameException.Kind.TOO_LARGE, names >= NAMES_MAX
                ? NAMES_MAX + " names are in the group, the most that it has room for; unbind some"
                : "the names in the group have " + bytes + " bytes, and with this one of " + size + " more than " + bytesMax
                        + ", the most that it has room for;"
                        + " unbind some");
    }
}
