package mpi;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** The keys of communicators' attributes: MPI's own, and those that the program makes. Thread-safe. */
final class Attributes {
    private static final int FIRST_OWN = 100;
    private static final AtomicInteger NEXT = new AtomicInteger(FIRST_OWN);
    private static final Set<Integer> LIVE = ConcurrentHashMap.newKeySet();

    private Attributes() {}

    static int newKey() {
        int key = NEXT.getAndIncrement();
        LIVE.add(key);
        return key;
    }

    static void free(int key) {
        LIVE.remove(require("freeKeyval", key));
    }

    /** @throws MPIException if the program did not make the key */
    static int require(String call, int key) {
        if (!LIVE.contains(key)) {
            // As Open MPI tells what never was a key from what is none any more.
            int errorClass = key == MPI.KEYVAL_INVALID ? MPI.ERR_KEYVAL : MPI.ERR_OTHER;
            throw new MPIException(errorClass, call + ": key " + key + " is none that createKeyval has made");
        }
        return key;
    }

    /** The value of one of MPI's own keys, or null. */
    static Object predefined(int key) {
        if (key == MPI.TAG_UB) {
            return Integer.MAX_VALUE;
        }
        if (key == MPI.HOST) {
            return MPI.PROC_NULL;
        }
        if (key == MPI.IO) {
            return MPI.ANY_SOURCE;
        }
        return key == MPI.WTIME_IS_GLOBAL ? Boolean.FALSE : null;
    }
}
