package org.posthouse.conformance;

import java.util.Arrays;
import java.util.stream.IntStream;
import mpi.CartComm;
import mpi.Comm;
import mpi.Datatype;
import mpi.GraphComm;
import mpi.Intracomm;
import mpi.MPI;

/** Collectives between neighbours on a ring, open and closed, and exchanges of blocks of any type. */
final class Neighbourhoods {
    private Neighbourhoods() {}

    /** What a case does on a closed ring, where both neighbours are there. */
    private interface Body {
        void run(CartComm comm, Ring ring);
    }

    private static void onARing(Intracomm world, Body body) {
        CartComm comm = world.createCart(new int[] {world.Size()}, new boolean[] {true}, false);
        body.run(comm, Ring.of(comm));
        comm.free();
    }

    private static int[] pair(int rank) {
        return new int[] {10 * rank, 10 * rank + 1};
    }

    static void gather(Intracomm world) {
        onARing(world, (comm, ring) -> {
            int[] expected = {10 * ring.left(), 10 * ring.left() + 1, 10 * ring.right(), 10 * ring.right() + 1};
            int[] in = new int[4];
            comm.neighborAllGather(pair(ring.rank()), 2, MPI.INT, in, 2, MPI.INT);
            Check.equal("gathered", in, expected);
            int[] later = new int[4];
            comm.iNeighborAllGather(pair(ring.rank()), 2, MPI.INT, later, 2, MPI.INT).waitFor();
            Check.equal("gathered", later, expected);
        });
    }

    static void gatherAtPlaces(Intracomm world) {
        onARing(world, (comm, ring) -> {
            int[] expected = {10 * ring.right(), 10 * ring.right() + 1, 0, 10 * ring.left(), 10 * ring.left() + 1};
            int[] counts = {2, 2};
            int[] displs = {3, 0};
            int[] in = new int[5];
            comm.neighborAllGatherv(pair(ring.rank()), 2, MPI.INT, in, counts, displs, MPI.INT);
            Check.equal("gathered", in, expected);
            int[] later = new int[5];
            comm.iNeighborAllGatherv(pair(ring.rank()), 2, MPI.INT, later, counts, displs, MPI.INT).waitFor();
            Check.equal("gathered", later, expected);
        });
    }

    /**
     * To the left goes the rank, to the right its negative; so from the left comes the negative, even where both
     * neighbours are one rank.
     */
    static void exchange(Intracomm world) {
        onARing(world, (comm, ring) -> {
            int[] out = {ring.rank() + 1, -ring.rank() - 1};
            int[] in = new int[2];
            comm.neighborAllToAll(out, 1, MPI.INT, in, 1, MPI.INT);
            int[] later = new int[2];
            comm.iNeighborAllToAll(out, 1, MPI.INT, later, 1, MPI.INT).waitFor();
            Check.equal("exchanged", in, new int[] {-ring.left() - 1, ring.right() + 1});
            Check.equal("exchanged", later, in);
        });
    }

    static void exchangeOfBlocks(Intracomm world) {
        onARing(world, (comm, ring) -> {
            int[] out = {ring.rank(), 100 + ring.rank(), 200 + ring.rank()};
            int[] expected = {100 + ring.left(), 200 + ring.left(), 0, ring.right()};
            int[] scounts = {1, 2};
            int[] sdispls = {0, 1};
            int[] rcounts = {2, 1};
            int[] rdispls = {0, 3};
            int[] in = new int[4];
            comm.neighborAllToAllv(out, scounts, sdispls, MPI.INT, in, rcounts, rdispls, MPI.INT);
            Check.equal("exchanged", in, expected);
            int[] later = new int[4];
            comm.iNeighborAllToAllv(out, scounts, sdispls, MPI.INT, later, rcounts, rdispls, MPI.INT).waitFor();
            Check.equal("exchanged", later, expected);
        });
    }

    static void blocksOfNobodyStay(Intracomm world) {
        CartComm line = world.createCart(new int[] {world.Size()}, new boolean[] {false}, false);
        int rank = line.getRank();
        int[] in = {-1, -1};
        line.neighborAllGather(new int[] {rank}, 1, MPI.INT, in, 1, MPI.INT);
        int above = rank == world.Size() - 1 ? -1 : rank + 1;
        Check.equal("gathered", in, new int[] {rank - 1, above});
        line.free();
    }

    static void graphsHaveNeighbours(Intracomm world) {
        Ring ring = Ring.of(world);
        GraphComm graph = world.createDistGraphAdjacent(
                new int[] {ring.left()}, new int[] {ring.right()}, MPI.INFO_NULL, false);
        int[] in = new int[1];
        graph.neighborAllToAll(new int[] {ring.rank()}, 1, MPI.INT, in, 1, MPI.INT);
        Check.equal("received", in[0], ring.left());
        graph.free();
    }

    static void withoutATopologyThereAreNone(Intracomm world) {
        Comm comm = world;
        int[] room = new int[4];
        Check.error(comm, MPI.ERR_TOPOLOGY, "neighborAllGather", () -> comm.neighborAllGather(room, 1, MPI.INT, room, 1, MPI.INT));
    }

    /** One int to even ranks and from them, two to odd ones; displacements in bytes. */
    static void blocksOfAnyType(Intracomm world) {
        int size = world.Size();
        int rank = world.Rank();
        Datatype two = Datatype.Contiguous(2, MPI.INT);
        Datatype[] sendTypes = new Datatype[size];
        Arrays.setAll(sendTypes, to -> to % 2 == 0 ? MPI.INT : two);
        Datatype[] receiveTypes = new Datatype[size];
        Arrays.fill(receiveTypes, rank % 2 == 0 ? MPI.INT : two);
        int[] counts = new int[size];
        Arrays.fill(counts, 1);
        int[] displs = IntStream.range(0, size).map(i -> 8 * i).toArray();
        int[] out = IntStream.range(0, 2 * size).map(i -> 100 * rank + i).toArray();
        int[] expected = new int[2 * size];
        for (int from = 0; from < size; from++) {
            expected[2 * from] = 100 * from + 2 * rank;
            expected[2 * from + 1] = rank % 2 == 0 ? 0 : 100 * from + 2 * rank + 1;
        }
        int[] in = new int[2 * size];
        world.allToAllw(out, counts, displs, sendTypes, in, counts, displs, receiveTypes);
        Check.equal("exchanged", in, expected);
        int[] later = new int[2 * size];
        world.iAllToAllw(out, counts, displs, sendTypes, later, counts, displs, receiveTypes).waitFor();
        Check.equal("exchanged", later, expected);
        Arrays.fill(counts, 0);
        Arrays.fill(displs, 3); // No matter where nothing lies.
        world.allToAllw(out, counts, displs, sendTypes, in, counts, displs, receiveTypes);
        Check.equal("untouched", in, expected);
    }
}
