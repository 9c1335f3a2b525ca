import mpi.MPI;

public class Greetings {
    public static void main(String[] args) throws Exception {
        args = MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        int ranks = MPI.COMM_WORLD.Size();
        int[] number = {rank};
        int[] sum = new int[1];
        MPI.COMM_WORLD.Allreduce(number, 0, sum, 0, 1, MPI.INT, MPI.SUM);
        System.out.println("rank " + rank + " of " + ranks + ", sum " + sum[0]);
        MPI.Finalize();
    }
}
