package mpi;

import org.posthouse.mpj.Endpoint;
import org.posthouse.mpj.LocalWorld;

/** Runs a test's body at every rank of a local world, with a COMM_WORLD of its own. Used by the examples' tests too. */
public final class Ranks {
    private Ranks() {}

    /** What each rank does. */
    public interface Body {
        void run(Intracomm world, int rank) throws Exception;
    }

    public static void run(int size, Body body) {
        run(new LocalWorld(size), size, body);
    }

    public static void run(LocalWorld world, int size, Body body) {
        world.run(endpoint -> body.run(world(endpoint, size), endpoint.rank()));
    }

    static Intracomm world(Endpoint endpoint, int size) {
        return new Intracomm(new OwnProcess(endpoint), Group.world(size, endpoint.rank()), Contexts.WORLD, "COMM_WORLD");
    }
}
