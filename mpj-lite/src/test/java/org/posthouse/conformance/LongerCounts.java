package org.posthouse.conformance;

import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.stream.IntStream;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Message;
import mpi.Prequest;
import mpi.Request;
import mpi.Status;

/** Receives that would take more than comes, or than their array has room for: what comes is there, and the status tells how much. */
final class LongerCounts {
    private static final int TAG = 29;
    private static final int MUCH = 100;

    private LongerCounts() {}

    /** Receives the two ints of the left neighbour in an array of four. */
    private interface Receiving {
        Status into(int[] room, int left);
    }

    private static void receives(Intracomm world, Receiving receiving) {
        Ring ring = Ring.of(world);
        Request send = world.Isend(new int[] {ring.rank(), 7}, 0, 2, MPI.INT, ring.right(), TAG);
        int[] room = {-1, -1, -1, -1};
        Status status = receiving.into(room, ring.left());
        send.Wait();
        Check.equal("received", room, new int[] {ring.left(), 7, -1, -1});
        Check.equal("count", status.Get_count(MPI.INT), 2);
        Check.equal("source", status.source, ring.left());
    }

    static void receivesOfAnyKind(Intracomm world) {
        receives(world, (room, left) -> world.Recv(room, 0, MUCH, MPI.INT, left, TAG));
        receives(world, (room, left) -> world.Recv(room, 0, Integer.MAX_VALUE, MPI.INT2, left, TAG));
        receives(world, (room, left) -> world.Irecv(room, 0, MUCH, MPI.INT, left, TAG).Wait());
        receives(world, (room, left) -> world.recv(room, MUCH, MPI.INT, left, TAG));
        receives(world, (room, left) -> world.iRecv(room, MUCH, MPI.INT, left, TAG).waitStatus());
        receives(world, (room, left) -> world.Recv(room, 0, MUCH, Datatype.Contiguous(2, MPI.INT), MPI.ANY_SOURCE, TAG));
        receives(world, (room, left) -> {
            Prequest request = world.Recv_init(room, 0, MUCH, MPI.INT, left, TAG);
            request.Start();
            Status status = request.Wait();
            request.Free();
            return status;
        });
        receives(world, (room, left) -> {
            Message message = new Message();
            message.mProbe(left, TAG, world);
            return message.mRecv(room, MUCH, MPI.INT);
        });
        receives(world, (room, left) -> world.Sendrecv(room, 0, 1, MPI.INT, MPI.PROC_NULL, TAG, room, 0, MUCH, MPI.INT, left, TAG));
        receives(world, (room, left) -> {
            ByteBuffer bytes = ByteBuffer.allocateDirect(16);
            bytes.asIntBuffer().put(room);
            Status status = world.recv(bytes, MUCH, MPI.INT, left, TAG);
            bytes.asIntBuffer().get(room);
            return status;
        });
        receives(world, (room, left) -> world.Recv(IntBuffer.wrap(room), 0, MUCH, MPI.INT, left, TAG));
    }

    static void everyOtherElementOfAnArray(Intracomm world) {
        Ring ring = Ring.of(world);
        Datatype spread = Datatype.Vector(MUCH, 1, 2, MPI.INT);
        Request send = world.Isend(new int[] {ring.rank(), 7}, 0, 2, MPI.INT, ring.right(), TAG);
        int[] room = {-1, -1, -1};
        Status status = world.Recv(room, 0, 1, spread, ring.left(), TAG);
        send.Wait();
        Check.equal("received", room, new int[] {ring.left(), -1, 7});
        Check.equal("elements", status.Get_elements(spread), 2);
        Check.equal("count", status.Get_count(spread), MPI.UNDEFINED);
    }

    static void anEmptyMessageNeedsNoRoom(Intracomm world) {
        Ring ring = Ring.of(world);
        for (int at : new int[] {0, 5}) {
            Request receive = world.Irecv(new int[0], at, 1, MPI.INT, ring.left(), TAG);
            world.Send(new int[0], 0, 0, MPI.INT, ring.right(), TAG);
            Check.equal("count", receive.Wait().Get_count(MPI.INT), 0);
        }
        Object[] text = {"before"};
        world.Send(new Object[] {"it"}, 0, 1, MPI.OBJECT, ring.right(), TAG);
        world.Recv(text, 0, MUCH, MPI.OBJECT, ring.left(), TAG);
        Check.equal("object", text[0], "it");
    }

    static void whatDoesNotFitIsAnError(Intracomm world) {
        Ring ring = Ring.of(world);
        int[] room = {-1, -1, -1, -1};
        world.Send(new int[5], 0, 5, MPI.INT, ring.right(), TAG);
        Check.error(world, MPI.ERR_TRUNCATE, "Recv", () -> world.Recv(room, 0, MUCH, MPI.INT, ring.left(), TAG));
        world.send(new int[3], 3, MPI.INT, ring.right(), TAG);
        Request receive = world.Irecv(room, 2, MUCH, MPI.INT, ring.left(), TAG);
        Check.error(world, MPI.ERR_TRUNCATE, "Irecv", receive::Wait);
        world.send(new int[] {3}, 1, MPI.INT, ring.right(), TAG);
        Check.error(world, MPI.ERR_TRUNCATE, "Recv", () -> world.Recv(room, 4, MUCH, MPI.INT, ring.left(), TAG));
        Check.equal("nothing is stored", room, new int[] {-1, -1, -1, -1});
    }

    // ---- collectives

    /** As programs do that give the root what there is to send, and the others room for the most. */
    static void broadcastsOfLessThanTheOthersTake(Intracomm world) {
        int size = world.Size();
        for (int count : new int[] {0, 1, 10, 3_000, 40_000, 300_000}) {
            for (int root : new int[] {0, size - 1}) {
                byte[] given = new byte[count];
                for (int i = 0; i < count; i++) {
                    given[i] = (byte) (i * 7 + root);
                }
                byte[] room = world.Rank() == root ? given.clone() : new byte[count + 2];
                Arrays.fill(room, count, room.length, (byte) -1);
                int most = world.Rank() == root ? count : count + 256 + 100_000 * world.Rank();
                if (count % 20 == 0) {
                    world.Bcast(room, 0, most, MPI.BYTE, root);
                } else {
                    world.Ibcast(room, 0, most, MPI.BYTE, root).Wait();
                }
                Check.equal("what came", Arrays.copyOf(room, count), given);
                Check.that(room.length == count || room[count] == -1 && room[count + 1] == -1, "nothing else changed");
            }
        }
        String[] names = {world.Rank() == 0 ? "one" : null, "two"};
        world.Bcast(names, 0, world.Rank() == 0 ? 1 : 2, MPI.OBJECT, 0);
        Check.equal("objects", names, new String[] {"one", "two"});
    }

    static void aBroadcastOfMoreThanOneTakesFailsThere(Intracomm world) {
        int size = world.Size();
        for (int count : new int[] {5, 3_000, 300_000}) {
            int[] room = new int[count];
            boolean takesLess = world.Rank() == size - 1 && size > 1;
            if (takesLess) {
                Check.error(world, MPI.ERR_TRUNCATE, "Bcast", () -> world.Bcast(room, 0, count - 1, MPI.INT, 0));
            } else {
                try {
                    world.Bcast(room, 0, count, MPI.INT, 0);
                } catch (mpi.MPIException e) {
                    Check.that(e.getMessage().contains("the sender's own part in this call failed"), "it fails behind that rank alone, " + e);
                }
            }
        }
        world.Barrier();
    }

    static void gathersOfLess(Intracomm world) {
        int size = world.Size();
        int[] mine = {world.Rank(), 8};
        int[] all = new int[3 * size - 1];
        Arrays.fill(all, -1);
        world.Gather(mine, 0, 2, MPI.INT, all, 0, 3, MPI.INT, 0);
        int[] expected = IntStream.range(0, 3 * size - 1).map(i -> world.Rank() > 0 || i % 3 == 2 ? -1 : i % 3 == 1 ? 8 : i / 3).toArray();
        Check.equal("gathered", all, expected);
        int[] counts = IntStream.range(0, size).map(rank -> 3).toArray();
        int[] displs = IntStream.range(0, size).map(rank -> 3 * rank).toArray();
        Arrays.fill(all, -1);
        world.Gatherv(mine, 0, 2, MPI.INT, all, 0, counts, displs, MPI.INT, 0);
        Check.equal("gathered", all, expected);
    }

    static void scattersOfLess(Intracomm world) {
        int size = world.Size();
        int[] all = IntStream.range(0, 2 * size).toArray();
        int[] mine = {-1, -1, -1};
        world.Scatter(all, 0, 2, MPI.INT, mine, 0, MUCH, MPI.INT, 0);
        Check.equal("scattered", mine, new int[] {2 * world.Rank(), 2 * world.Rank() + 1, -1});
        int[] counts = IntStream.range(0, size).map(rank -> 1).toArray();
        int[] displs = IntStream.range(0, size).map(rank -> 2 * rank).toArray();
        world.scatterv(all, counts, displs, MPI.INT, mine, MUCH, MPI.INT, 0);
        Check.equal("scattered", mine, new int[] {2 * world.Rank(), 2 * world.Rank() + 1, -1});
    }

    static void exchangesOfLess(Intracomm world) {
        int size = world.Size();
        int[] out = IntStream.range(0, size).map(to -> 10 * world.Rank() + to).toArray();
        int[] in = new int[2 * size - 1];
        Arrays.fill(in, -1);
        world.Alltoall(out, 0, 1, MPI.INT, in, 0, 2, MPI.INT);
        Check.equal("exchanged", in, IntStream.range(0, 2 * size - 1).map(i -> i % 2 == 1 ? -1 : 10 * (i / 2) + world.Rank()).toArray());
        int[] ones = IntStream.range(0, size).map(rank -> 1).toArray();
        int[] twos = IntStream.range(0, size).map(rank -> 2).toArray();
        int[] places = IntStream.range(0, size).toArray();
        int[] doubled = IntStream.range(0, size).map(rank -> 2 * rank).toArray();
        Arrays.fill(in, -1);
        world.Alltoallv(out, 0, ones, places, MPI.INT, in, 0, twos, doubled, MPI.INT);
        Check.equal("exchanged", in, IntStream.range(0, 2 * size - 1).map(i -> i % 2 == 1 ? -1 : 10 * (i / 2) + world.Rank()).toArray());
        int[] everywhere = new int[2 * size];
        world.Allgather(new int[] {world.Rank() + 1}, 0, 1, MPI.INT, everywhere, 0, 2, MPI.INT);
        for (int rank = 0; rank < size; rank++) {
            Check.equal("gathered everywhere", everywhere[2 * rank], rank + 1);
        }
    }
}
