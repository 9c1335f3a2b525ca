import mpi.MPI;

/** Rank 0 prints how long the first round trip of one int took, and the tenth, in microseconds. Both ranks have joined the job a while before. */
public final class FirstMessage {
    private static final int TRIPS = 10;

    public static void main(String[] args) throws Exception {
        MPI.Init(args);
        int other = 1 - MPI.COMM_WORLD.Rank();
        int[] one = new int[1];
        long first = 0;
        long last = 0;
        Thread.sleep(Integer.parseInt(args[0]));
        for (int trip = 0; trip < TRIPS; trip++) {
            long start = System.nanoTime();
            if (other == 1) {
                MPI.COMM_WORLD.Send(one, 0, 1, MPI.INT, other, 0);
                MPI.COMM_WORLD.Recv(one, 0, 1, MPI.INT, other, 0);
            } else {
                MPI.COMM_WORLD.Recv(one, 0, 1, MPI.INT, other, 0);
                MPI.COMM_WORLD.Send(one, 0, 1, MPI.INT, other, 0);
            }
            last = (System.nanoTime() - start) / 1_000;
            first = trip == 0 ? last : first;
        }
        if (other == 1) {
            System.out.println(first + " " + last);
        }
        MPI.Finalize();
    }
}
