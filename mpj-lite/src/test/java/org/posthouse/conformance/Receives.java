package org.posthouse.conformance;

import java.util.BitSet;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Request;
import mpi.Status;

/** What receives match, and what they leave alone; combined sends and receives; probes. MpiJava's spelling. */
final class Receives {
    private static final int TAG = 5;

    private Receives() {}

    private static void sendRankToAll(Intracomm world, int tag) {
        for (int to = 0; to < world.Size(); to++) {
            world.Send(new int[] {world.Rank()}, 0, 1, MPI.INT, to, tag);
        }
    }

    static void anySourceFindsEachSenderOnce(Intracomm world) {
        sendRankToAll(world, TAG);
        BitSet seen = new BitSet();
        for (int i = 0; i < world.Size(); i++) {
            int[] in = new int[1];
            Status status = world.Recv(in, 0, 1, MPI.INT, MPI.ANY_SOURCE, TAG);
            Check.equal("source", status.source, in[0]);
            seen.set(in[0]);
        }
        Check.equal("number of senders seen", seen.cardinality(), world.Size());
    }

    static void anyTagTellsTheTag(Intracomm world) {
        Ring ring = Ring.of(world);
        world.Send(new int[] {1}, 0, 1, MPI.INT, ring.right(), 40 + ring.rank());
        Status status = world.Recv(new int[1], 0, 1, MPI.INT, MPI.ANY_SOURCE, MPI.ANY_TAG);
        Check.equal("source", status.source, ring.left());
        Check.equal("tag", status.tag, 40 + ring.left());
    }

    static void tagsSelect(Intracomm world) {
        Ring ring = Ring.of(world);
        int last = Integer.MAX_VALUE;
        for (int tag : new int[] {0, last, 2}) {
            world.Send(new int[] {tag}, 0, 1, MPI.INT, ring.right(), tag);
        }
        int[] in = new int[1];
        for (int tag : new int[] {2, 0, last}) {
            Check.equal("tag", world.Recv(in, 0, 1, MPI.INT, ring.left(), tag).tag, tag);
            Check.equal("content", in[0], tag);
        }
    }

    /** As in MPJ Express: programs say "stop" with -1, and send with ANY_TAG what is received with it. */
    static void negativeTagsAreTagsToo(Intracomm world) {
        Ring ring = Ring.of(world);
        int[] in = new int[1];
        int[] tags = {MPI.ANY_TAG, -1, Integer.MIN_VALUE + 1};
        for (int tag : tags) {
            world.Send(new int[] {tag}, 0, 1, MPI.INT, ring.right(), tag);
        }
        Check.equal("tag of Recv", world.Recv(in, 0, 1, MPI.INT, ring.left(), tags[2]).tag, tags[2]);
        Check.equal("content", in[0], tags[2]);
        Check.equal("tag of Irecv", world.Irecv(in, 0, 1, MPI.INT, ring.left(), -1).Wait().tag, -1);
        Check.equal("content", in[0], -1);
        Check.equal("tag of Probe", world.Probe(ring.left(), MPI.ANY_TAG).tag, MPI.ANY_TAG);
        Check.equal("tag of recv", world.recv(in, 1, MPI.INT, ring.left(), MPI.ANY_TAG).tag, MPI.ANY_TAG);
        Check.equal("content", in[0], MPI.ANY_TAG);
        for (int tag : tags) {
            int[] out = {tag};
            Status status = world.Sendrecv(
                    out, 0, 1, MPI.INT, ring.right(), tag, in, 0, 1, MPI.INT, ring.left(), tag);
            Check.equal("tag of Sendrecv", status.tag, tag);
            Check.equal("content", in[0], tag);
        }
    }

    static void aShorterMessageLeavesTheRestAlone(Intracomm world) {
        Ring ring = Ring.of(world);
        world.Send(new short[] {1, 2}, 0, 2, MPI.SHORT, ring.right(), TAG);
        short[] in = {9, 9, 9, 9, 9};
        Status status = world.Recv(in, 1, 4, MPI.SHORT, ring.left(), TAG);
        Check.equal("count", status.Get_count(MPI.SHORT), 2);
        Check.equal("elements", status.count, 2);
        Check.equal("buffer", in, new short[] {9, 1, 2, 9, 9});
    }

    static void postedReceivesMatchInOrder(Intracomm world) {
        Ring ring = Ring.of(world);
        int[] in = new int[3];
        Request first = world.Irecv(in, 0, 1, MPI.INT, ring.left(), MPI.ANY_TAG);
        Request second = world.Irecv(in, 1, 1, MPI.INT, MPI.ANY_SOURCE, TAG);
        Request third = world.Irecv(in, 2, 1, MPI.INT, ring.left(), TAG);
        for (int i = 1; i <= 3; i++) {
            world.Send(new int[] {i}, 0, 1, MPI.INT, ring.right(), TAG);
        }
        Request.Waitall(new Request[] {third, second, first});
        Check.equal("received", in, new int[] {1, 2, 3});
    }

    static void communicatorsDoNotMix(Intracomm world) {
        Ring ring = Ring.of(world);
        Intracomm other = world.Dup();
        world.Send(new int[] {1}, 0, 1, MPI.INT, ring.right(), TAG);
        other.Send(new int[] {2}, 0, 1, MPI.INT, ring.right(), TAG);
        int[] in = new int[1];
        other.Recv(in, 0, 1, MPI.INT, MPI.ANY_SOURCE, MPI.ANY_TAG);
        Check.equal("received in the copy", in[0], 2);
        world.Recv(in, 0, 1, MPI.INT, MPI.ANY_SOURCE, MPI.ANY_TAG);
        Check.equal("received in the original", in[0], 1);
        other.Free();
    }

    static void collectivesDoNotMatchReceives(Intracomm world) {
        Ring ring = Ring.of(world);
        int[] in = new int[1];
        Request receive = world.Irecv(in, 0, 1, MPI.INT, MPI.ANY_SOURCE, MPI.ANY_TAG);
        int[] all = {ring.rank() + 50};
        world.Bcast(all, 0, 1, MPI.INT, 0);
        world.Barrier();
        world.Send(new int[] {7}, 0, 1, MPI.INT, ring.right(), TAG);
        receive.Wait();
        Check.equal("received", in[0], 7);
        Check.equal("broadcast", all[0], 50);
    }

    static void sendrecvShifts(Intracomm world) {
        Ring ring = Ring.of(world);
        char[] in = new char[2];
        Status status = world.Sendrecv(
                new char[] {'x', (char) ('a' + ring.rank())}, 1, 1, MPI.CHAR, ring.right(), TAG,
                in, 1, 1, MPI.CHAR, ring.left(), TAG);
        Check.equal("received", in, new char[] {0, (char) ('a' + ring.left())});
        Check.equal("source", status.source, ring.left());
    }

    static void sendrecvStopsAtOpenEdges(Intracomm world) {
        Ring ring = Ring.of(world);
        int up = ring.rank() == ring.size() - 1 ? MPI.PROC_NULL : ring.rank() + 1;
        int down = ring.rank() == 0 ? MPI.PROC_NULL : ring.rank() - 1;
        int[] in = {-1};
        Status status = world.Sendrecv(
                new int[] {ring.rank()}, 0, 1, MPI.INT, up, TAG, in, 0, 1, MPI.INT, down, TAG);
        Check.equal("received", in[0], ring.rank() - 1);
        Check.equal("source", status.source, down);
    }

    static void sendrecvReplaceKeepsOneBuffer(Intracomm world) {
        Ring ring = Ring.of(world);
        long[] values = {-1, ring.rank(), 100 + ring.rank()};
        Status status = world.Sendrecv_replace(values, 1, 2, MPI.LONG, ring.right(), TAG, ring.left(), TAG);
        Check.equal("values", values, new long[] {-1, ring.left(), 100 + ring.left()});
        Check.equal("source", status.source, ring.left());
    }

    static void probeTellsWhatWaits(Intracomm world) {
        Ring ring = Ring.of(world);
        world.Send(new float[] {1, 2, 3}, 0, 3, MPI.FLOAT, ring.right(), TAG);
        Status status = world.Probe(MPI.ANY_SOURCE, MPI.ANY_TAG);
        Check.equal("source", status.source, ring.left());
        Check.equal("tag", status.tag, TAG);
        float[] in = new float[status.Get_count(MPI.FLOAT)];
        world.Recv(in, 0, in.length, MPI.FLOAT, status.source, status.tag);
        Check.equal("received", in, new float[] {1, 2, 3});
    }

    static void iprobeTellsWhetherSomethingWaits(Intracomm world) {
        Ring ring = Ring.of(world);
        Check.equal("probe of what nobody sends", world.Iprobe(ring.left(), TAG), null);
        world.Barrier();
        world.Send(new String[] {"a", "b"}, 0, 2, MPI.OBJECT, ring.right(), TAG);
        Status status = world.Iprobe(ring.left(), TAG);
        while (status == null) {
            Thread.onSpinWait();
            status = world.Iprobe(ring.left(), TAG);
        }
        Check.equal("objects", status.Get_count(MPI.OBJECT), 2);
        String[] in = new String[2];
        world.Recv(in, 0, 2, MPI.OBJECT, ring.left(), TAG);
        Check.equal("received", in, new String[] {"a", "b"});
        Check.equal("probe after the receive", world.Iprobe(ring.left(), TAG), null);
    }

    static void probesOfNobodyReturn(Intracomm world) {
        Check.equal("source of Probe", world.Probe(MPI.PROC_NULL, TAG).source, MPI.PROC_NULL);
        Check.equal("source of Iprobe", world.Iprobe(MPI.PROC_NULL, TAG).source, MPI.PROC_NULL);
    }
}
