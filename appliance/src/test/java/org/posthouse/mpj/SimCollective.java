package org.posthouse.mpj;

import java.util.Arrays;
import org.posthouse.mpj.coll.Allreduce;
import org.posthouse.mpj.coll.Alltoall;
import org.posthouse.mpj.coll.Barrier;
import org.posthouse.mpj.coll.Blocks;
import org.posthouse.mpj.coll.Broadcast;
import org.posthouse.mpj.coll.Peers;
import org.posthouse.mpj.coll.Reduction;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Folds;
import org.posthouse.mpj.data.Layout;
import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.data.Unit;
import org.posthouse.mpj.operation.ReceiveException;

/** A collective of many longs over all ranks. Each rank has a part in it, and what comes out is the sum of the parts. */
enum SimCollective {
    ALLREDUCE {
        @Override
        long[] play(Peers peers, int rank, int ranks, long part, int root, int longs) throws ReceiveException {
            long[] sum = new long[longs];
            Allreduce.run(peers, region(filled(longs, part)), region(sum), longs, SUM);
            requireEqual(sum, sum[0]);
            return new long[] {part, sum[0]};
        }
    },
    BROADCAST {
        @Override
        long[] play(Peers peers, int rank, int ranks, long part, int root, int longs) throws ReceiveException {
            long[] values = filled(longs, rank == root ? part : -1);
            Broadcast.run(peers, region(values), longs, root);
            requireEqual(values, values[0]);
            return new long[] {rank == root ? part : 0, values[0]};
        }
    },
    ALLTOALL {
        @Override
        long[] play(Peers peers, int rank, int ranks, long part, int root, int longs) throws ReceiveException {
            long[] received = new long[ranks * longs];
            Alltoall.run(peers, region(filled(ranks * longs, part)), Blocks.even(longs), region(received), Blocks.even(longs));
            long sum = 0;
            for (int from = 0; from < ranks; from++) {
                sum += received[from * longs];
                requireEqual(Arrays.copyOfRange(received, from * longs, (from + 1) * longs), received[from * longs]);
            }
            return new long[] {part, sum};
        }
    },
    BARRIER {
        @Override
        long[] play(Peers peers, int rank, int ranks, long part, int root, int longs) throws ReceiveException {
            Barrier.run(peers);
            return new long[] {0, 0};
        }
    };

    private static final Reduction SUM = new Reduction() {
        @Override
        public boolean commutes() {
            return true;
        }

        @Override
        public void combine(Region in, int inAt, Region inOut, int inOutAt, int count) {
            in.fold(inAt, Folds.SUM, Unit.ONE, inOut, inOutAt, count);
        }
    };

    /** @return this rank's part, and what came out */
    abstract long[] play(Peers peers, int rank, int ranks, long part, int root, int longs) throws ReceiveException;

    /** The {@code number}-th of a phase, in the calling thread. */
    void run(SimActor actor, SimPresence presence, int number, int longs) throws ReceiveException {
        long[] outcome = run(actor.endpoint(), actor, presence, actor.diary().mark(), number, longs);
        actor.diary().summed(actor.context() + 1 + number * Short.MAX_VALUE, outcome[0], outcome[1]);
    }

    /** The same with that part, and nothing written down. */
    long[] run(Endpoint endpoint, SimActor actor, SimPresence presence, long part, int number, int longs) throws ReceiveException {
        Peers peers = new Peers(endpoint, actor.context() + 1, actor.rank(), actor.world()).countingFrom(10 * number);
        presence.enter(name(), number % actor.ranks());
        long[] outcome = play(peers, actor.rank(), actor.ranks(), part, number % actor.ranks(), longs);
        presence.leave();
        return outcome;
    }

    private static Region region(long[] values) {
        return new Region(Base.LONG, Layout.ONE, values, 0);
    }

    private static long[] filled(int longs, long value) {
        long[] values = new long[longs];
        Arrays.fill(values, value);
        return values;
    }

    private static void requireEqual(long[] values, long expected) {
        for (long value : values) {
            if (value != expected) {
                throw new AssertionError("a collective brought " + value + " beside " + expected);
            }
        }
    }
}
