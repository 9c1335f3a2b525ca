package org.posthouse.conformance;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import mpi.CartComm;
import mpi.Comm;
import mpi.Datatype;
import mpi.DistGraphNeighbors;
import mpi.GraphComm;
import mpi.Group;
import mpi.Info;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Message;

/** What programs get away with elsewhere, and so do here: arrays longer than needed, graphs of nobody, raw memory. */
final class Tolerances {
    private static final int TAG = 23;

    private Tolerances() {}

    static void moreDimensionsToChooseFrom(Intracomm world) {
        CartComm row = world.createCart(new int[] {1, world.Size()}, new boolean[] {false, false, true}, false);
        CartComm sub = row.sub(new boolean[] {false, true, true, true});
        Check.equal("size", sub.getSize(), world.Size());
        Check.equal("dimensions", sub.getTopo().getDimCount(), 1);
        sub.free();
        row.free();
    }

    static void moreEdgesThanTheGraphHas(Intracomm world) {
        Ring ring = Ring.of(world);
        GraphComm graph = world.createDistGraph(
                new int[] {ring.rank()}, new int[] {1, -7}, new int[] {ring.right(), -1}, new int[] {5, -9}, new Info(),
                false);
        DistGraphNeighbors neighbours = graph.getDistGraphNeighbors();
        Check.equal("out degree", neighbours.getOutDegree(), 1);
        Check.equal("destination", neighbours.getDestination(0), ring.right());
        Check.equal("weight", neighbours.getDestinationWeight(0), 5);
        Check.equal("source", neighbours.getSource(0), ring.left());
        graph.free();
        GraphComm adjacent = world.createDistGraphAdjacent(
                new int[] {ring.left()}, new int[] {3, -1}, new int[] {ring.right()}, new int[] {4, 0, -1}, new Info(),
                false);
        Check.equal("weight", adjacent.getDistGraphNeighbors().getSourceWeight(0), 3);
        Check.equal("weight", adjacent.getDistGraphNeighbors().getDestinationWeight(0), 4);
        adjacent.free();
    }

    static void moreDisplacementsThanBlocks(Intracomm world) {
        Datatype indexed = Datatype.Indexed(new int[] {1, 2}, new int[] {0, 3, -99}, MPI.INT);
        Check.equal("extent", indexed.Extent(), 5);
        Check.equal("size", indexed.Size(), 3);
        Datatype freed = Datatype.Contiguous(2, MPI.INT);
        freed.free();
        Datatype[] types = {MPI.INT, freed, null};
        Check.equal("size", Datatype.Struct(new int[] {4}, new int[] {0, 1}, types).Size(), 4);
        Check.equal("size", Datatype.createStruct(new int[] {4}, new int[] {0, 1}, types).getSize(), 16);
        Check.equal("size", Datatype.createHIndexed(new int[] {1}, new int[] {8, 1}, MPI.INT).getSize(), 1);
    }

    static void aGraphOfNobody(Intracomm world) {
        Check.that(world.Create_graph(new int[0], new int[0], false) == null, "no nodes, no communicator");
        Check.that(world.createGraph(new int[0], new int[0], false).isNull(), "no nodes, a null communicator");
    }

    static void rangesThatEndBetweenRanks(Intracomm world) {
        Group group = world.Group();
        int size = group.Size();
        int[][] third = {{0, size, 3}};
        if (size % 3 == 0) {
            Check.error(MPI.ERR_RANK, "Range_incl", () -> group.Range_incl(third));
        } else {
            Check.equal("every third", group.Range_incl(third).Size(), (size + 2) / 3);
        }
        int[][] far = {{0, size + 8, size + 9}};
        Check.equal("the first alone", group.rangeIncl(far).getSize(), 1);
        Check.equal("all but the first", group.rangeExcl(far).getSize(), size - 1);
        Check.equal("backwards", group.Range_incl(new int[][] {{size - 1, 0, -size}}).Size(), 1);
        Check.error(MPI.ERR_RANK, "Range_incl", () -> group.Range_incl(new int[][] {{0, size, 1}}));
        Check.error(MPI.ERR_RANK, "Range_incl", () -> group.Range_incl(new int[][] {{size, 0, -size}}));
    }

    static void anAttributeOfNothing(Intracomm world) {
        int key = Comm.createKeyval();
        world.setAttr(key, "value");
        world.setAttr(key, null);
        Check.equal("attribute", world.getAttr(key), null);
        world.Attr_put(key, null);
        Check.equal("attribute", world.Attr_get(key), null);
        Comm.freeKeyval(key);
    }

    static void intsInAnArrayOfBytes(Intracomm world) {
        Ring ring = Ring.of(world);
        ByteBuffer out = ByteBuffer.allocate(16).order(ByteOrder.nativeOrder());
        out.putInt(4, 70_000 + ring.rank());
        byte[] in = new byte[16];
        world.sendRecv(out.array(), 4, MPI.INT, ring.right(), TAG, in, 4, MPI.INT, ring.left(), TAG);
        ByteBuffer read = ByteBuffer.wrap(in).order(ByteOrder.nativeOrder());
        Check.equal("received", read.getInt(4), 70_000 + ring.left());
        world.allReduce(in, 4, MPI.INT, MPI.MAX);
        Check.equal("maximum", read.getInt(4), 70_000 + ring.size() - 1);
        Check.error(world, MPI.ERR_TYPE, "Bcast", () -> world.Bcast(in, 0, 4, MPI.INT, 0));
    }

    static void bytesOfAnArrayOfInts(Intracomm world) {
        Ring ring = Ring.of(world);
        int[] out = {0x01020304 + ring.rank(), 0x05060708};
        int[] in = {-1, -1, -1};
        int size = world.sendRecv(out, 8, MPI.BYTE, ring.right(), TAG, in, 12, MPI.BYTE, ring.left(), TAG)
                .getCount(MPI.BYTE);
        Check.equal("bytes", size, 8);
        Check.equal("received", in, new int[] {0x01020304 + ring.left(), 0x05060708, -1});
        double[] wide = {Double.longBitsToDouble(ring.rank() == 0 ? 42L : 0L)};
        world.bcast(wide, 1, MPI.LONG, 0);
        Check.equal("long in a double", Double.doubleToRawLongBits(wide[0]), 42L);
        short[] all = new short[2 * ring.size()];
        world.allGather(new int[] {ring.rank()}, 4, MPI.BYTE, all, 4, MPI.BYTE);
        for (int rank = 0; rank < ring.size(); rank++) {
            Check.equal("low half or high half", all[2 * rank] + all[2 * rank + 1], rank);
        }
        int[] both = new int[ring.size() + 1];
        both[0] = 7;
        world.gather(both, 1, MPI.INT, both, 4, MPI.PACKED, 0);
        Check.equal("the last rank's in the same array", both[ring.size() - 1], ring.rank() == 0 || ring.size() == 1 ? 7 : 0);
        world.send(new int[] {ring.rank()}, 1, MPI.INT, ring.right(), TAG);
        Message message = new Message();
        message.mProbe(ring.left(), TAG, world);
        byte[] caught = new byte[4];
        message.mRecv(caught, 1, MPI.INT);
        Check.equal("int in bytes", ByteBuffer.wrap(caught).order(ByteOrder.nativeOrder()).getInt(), ring.left());
        Check.error(world, MPI.ERR_TYPE, "Send", () -> world.Send(out, 0, 8, MPI.BYTE, 0, TAG));
        Check.error(world, MPI.ERR_TYPE, "send", () -> world.send(new Integer[2], 2, MPI.INT, 0, TAG));
        Check.error(world, MPI.ERR_BUFFER, "send", () -> world.send(out, 9, MPI.BYTE, 0, TAG));
    }
}
