package mpi;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** What a program hangs on a communicator or a datatype, by keys that it makes. Thread-safe. */
final class Attributes {
    private static final int FIRST_OWN = 100;
    private static final AtomicInteger NEXT = new AtomicInteger(FIRST_OWN);
    private static final Set<Integer> LIVE = ConcurrentHashMap.newKeySet();

    private final Map<Integer, Object> values = new ConcurrentHashMap<>();

    static int newKey() {
        int key = NEXT.getAndIncrement();
        LIVE.add(key);
        return key;
    }

    static void free(int key) {
        LIVE.remove(require("freeKeyval", key));
    }

    /** @throws MPIException if the program did not make the key */
    private static int require(String call, int key) {
        if (!LIVE.contains(key)) {
            // As Open MPI tells what never was a key from what is none any more.
            int errorClass = key == MPI.KEYVAL_INVALID ? MPI.ERR_KEYVAL : MPI.ERR_OTHER;
            throw new MPIException(errorClass, call + ": key " + key + " is none that createKeyval has made");
        }
        return key;
    }

    /** Null is no value. */
    void put(String call, int key, Object value) {
        require(call, key);
        if (value == null) {
            values.remove(key);
        } else {
            values.put(key, value);
        }
    }

    Object get(String call, int key) {
        return values.get(require(call, key));
    }

    void remove(String call, int key) {
        values.remove(require(call, key));
    }

    void copyTo(Attributes other) {
        other.values.putAll(values);
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
