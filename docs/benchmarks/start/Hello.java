import mpi.MPI;

/** A trivial job. */
public final class Hello {
    public static void main(String[] args) throws Exception {
        MPI.Init(args);
        System.out.println("hello from " + MPI.COMM_WORLD.Rank() + " of " + MPI.COMM_WORLD.Size());
        MPI.Finalize();
    }
}
