package org.posthouse.system.jobs;

import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;

/**
 * Rank 0 publishes a port in each round, some time after it was asked to. Rank 1 looks it up until it is there, and tells how often it looked in vain. At the
 * end both compare what they know of it. Arguments: rounds, and {@link Kills}.
 */
public final class PublishesNames {
    private static final String SERVICE = "a service of this job";

    private PublishesNames() {}

    public static void main(String[] args) throws InterruptedException {
        String[] own = MPI.Init(args);
        int rounds = Integer.parseInt(own[0]);
        Kills kills = new Kills(own[1], MPI.COMM_WORLD.Rank());
        if (MPI.COMM_WORLD.Rank() == 0) {
            publisher(rounds, kills);
        } else {
            seeker(rounds, kills);
        }
        MPI.Finalize();
    }

    private static void publisher(int rounds, Kills kills) throws InterruptedException {
        long[] message = new long[1];
        long fold = 0;
        for (int round = 0; round < rounds; round++) {
            String port = Intracomm.openPort();
            MPI.COMM_WORLD.Recv(message, 0, 1, MPI.LONG, 1, 1);
            kills.delivered();
            Thread.sleep(message[0] % 5);
            Intracomm.publishName(SERVICE, port);
            MPI.COMM_WORLD.Recv(message, 0, 1, MPI.LONG, 1, 2);
            kills.delivered();
            fold = 31 * fold + message[0] + port.hashCode();
            Intracomm.unpublishName(SERVICE, port);
            Intracomm.closePort(port);
            MPI.COMM_WORLD.Send(message, 0, 1, MPI.LONG, 1, 3);
        }
        MPI.COMM_WORLD.Recv(message, 0, 1, MPI.LONG, 1, 4);
        if (message[0] != fold) {
            throw new IllegalStateException("the seeker knows " + message[0] + ", told was " + fold);
        }
        System.out.println("Verification: SUCCESSFUL");
    }

    private static void seeker(int rounds, Kills kills) {
        long[] failures = new long[1];
        long fold = 0;
        for (int round = 0; round < rounds; round++) {
            MPI.COMM_WORLD.Send(new long[] {failures[0] + round}, 0, 1, MPI.LONG, 0, 1);
            failures[0] = 0;
            String port = null;
            while (port == null) {
                try {
                    port = Intracomm.lookupName(SERVICE);
                } catch (MPIException e) {
                    if (e.getErrorClass() != MPI.ERR_NAME) {
                        throw e;
                    }
                    failures[0]++;
                }
            }
            fold = 31 * fold + failures[0] + port.hashCode();
            MPI.COMM_WORLD.Send(failures, 0, 1, MPI.LONG, 0, 2);
            MPI.COMM_WORLD.Recv(failures, 0, 1, MPI.LONG, 0, 3);
            kills.delivered();
        }
        MPI.COMM_WORLD.Send(new long[] {fold}, 0, 1, MPI.LONG, 0, 4);
    }
}
