package mpi;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * Attributes that a program caches on a communicator or a datatype, by keys that it creates. Freeing a key removes its
 * attributes, and its number is used again. So a program may create and free keys without limit. Thread-safe.
 */
final class Attributes {
    private static final int FIRST_OWN = 100;

    /** Freed numbers that are used only behind so many others: a mistaken use of one that was freed is an error for a while. */
    static final int RESTING = 1000;

    /** Guarded by the class. */
    private static final Map<Integer, Key> LIVE = new HashMap<>();

    private static final Deque<Integer> FREED = new ArrayDeque<>();
    private static int next = FIRST_OWN;

    /** By keys that are live, or held by nobody but this map. Guarded by this object. */
    private final Map<Key, Object> values = new WeakHashMap<>();

    /** One life of a number. Compared by identity. */
    private static final class Key {}

    static synchronized int newKey() {
        int number = FREED.size() > RESTING ? FREED.remove() : next++;
        LIVE.put(number, new Key());
        return number;
    }

    static synchronized void free(int number) {
        require("freeKeyval", number);
        LIVE.remove(number);
        FREED.add(number);
    }

    /** @throws MPIException if the program did not make the key */
    private static synchronized Key require(String call, int number) {
        Key key = LIVE.get(number);
        if (key == null) {
            // As Open MPI tells what never was a key from what is none any more.
            int errorClass = number == MPI.KEYVAL_INVALID ? MPI.ERR_KEYVAL : MPI.ERR_OTHER;
            throw new MPIException(errorClass, call + ": key " + number + " is none that createKeyval has made");
        }
        return key;
    }

    /** Null is no value. */
    synchronized void put(String call, int number, Object value) {
        Key key = require(call, number);
        if (value == null) {
            values.remove(key);
        } else {
            values.put(key, value);
        }
    }

    synchronized Object get(String call, int number) {
        return values.get(require(call, number));
    }

    synchronized void remove(String call, int number) {
        values.remove(require(call, number));
    }

    void copyTo(Attributes other) {
        Map<Key, Object> copy;
        synchronized (this) {
            copy = new HashMap<>(values);
        }
        synchronized (other) {
            other.values.putAll(copy);
        }
    }

    /** The value of one of MPI's own keys of communicators, or null if it is none. */
    static Object predefined(int key, int worldSize) {
        return switch (key) {
            case MPI.TAG_UB -> Integer.MAX_VALUE;
            case MPI.HOST -> MPI.PROC_NULL;
            case MPI.IO -> MPI.ANY_SOURCE;
            case MPI.WTIME_IS_GLOBAL -> false;
            case MPI.UNIVERSE_SIZE -> worldSize;
            case MPI.APPNUM -> 0;
            case MPI.LASTUSEDCODE -> MPI.ERR_LASTCODE;
            default -> null;
        };
    }
}
