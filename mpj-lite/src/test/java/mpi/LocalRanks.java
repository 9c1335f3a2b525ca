package mpi;

import org.posthouse.mpj.Endpoint;
import org.posthouse.mpj.LocalWorld;

/** {@link Ranks} for tests outside of this package. */
public final class LocalRanks {
    private LocalRanks() {}

    /** What each rank does. */
    public interface Body {
        void run(Intracomm world) throws Exception;
    }

    /** Runs the body at every rank of a local world, with a COMM_WORLD of its own. */
    public static void run(LocalWorld world, int size, Body body) {
        Ranks.run(world, size, (comm, rank) -> body.run(comm));
    }

    /** A COMM_WORLD at that end of a machine of so many. */
    public static Intracomm world(Endpoint endpoint, int size) {
        return Ranks.world(endpoint, size);
    }
}
