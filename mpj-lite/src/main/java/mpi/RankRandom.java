package mpi;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.SplittableRandom;
import org.posthouse.mpj.Endpoint;

/**
 * The random numbers of the calling process, for {@link MPI#Random}: the sequence of SplitMix64 (Steele, Lea and Flood, "Fast
 * splittable pseudorandom number generators", 2014), begun with one recorded value. Thread-safe.
 */
final class RankRandom {
    private static final long STEP = 0x9E3779B97F4A7C15L;
    private static final int MANTISSA_BITS = 53;

    private final Endpoint endpoint;
    private boolean seeded;
    private long state;

    RankRandom(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    /** In [0, 1). */
    synchronized double next() {
        if (!seeded) {
            state = endpoint.value(new SplittableRandom()::nextLong);
            seeded = true;
        }
        state += STEP;
        return (mixed(state) >>> Long.SIZE - MANTISSA_BITS) * 0x1.0p-53;
    }

    /** Writes what an image needs. */
    synchronized void write(DataOutputStream image) throws IOException {
        image.writeBoolean(seeded);
        image.writeLong(state);
    }

    /** Goes on from an image. */
    synchronized void read(DataInputStream image) throws IOException {
        seeded = image.readBoolean();
        state = image.readLong();
    }

    private static long mixed(long value) {
        long z = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }
}
