package org.posthouse.conformance;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Op;
import mpi.UserFunction;
import mpi.User_Function;

/** A program's own reductions in Open MPI's form, of datatypes of any shape. */
final class UserFunctions {
    private static final int HERE = 20;

    private UserFunctions() {}

    /** mpiJava's class in the older spelling of its name. */
    private static final class Longest extends User_Function {
        @Override
        public void Call(Object in, int inAt, Object inOut, int inOutAt, int count, Datatype type) {
            for (int i = 0; i < count; i++) {
                ((int[]) inOut)[inOutAt + i] = Math.max(((int[]) in)[inAt + i], ((int[]) inOut)[inOutAt + i]);
            }
        }
    }

    static void theOlderSpellingOfTheClass(Intracomm world) {
        int[] most = new int[1];
        world.Allreduce(new int[] {world.Rank() + HERE}, 0, most, 0, 1, MPI.INT, new Op(new Longest(), true));
        Check.equal("the highest", most[0], world.Size() - 1 + HERE);
    }

    /** Adds ints at some displacements. */
    private static final class Adding extends UserFunction {
        private final int[] displacements;
        private final int extent;

        Adding(int[] displacements, int extent) {
            this.displacements = displacements;
            this.extent = extent;
        }

        @Override
        public void call(Object in, Object inOut, int count, Datatype type) {
            int lowest = Math.min(0, (count - 1) * extent) + Arrays.stream(displacements).min().getAsInt();
            int start = Math.min(0, lowest);
            for (int element = 0; element < count; element++) {
                for (int displacement : displacements) {
                    int at = element * extent + displacement - start;
                    ((int[]) inOut)[at] += ((int[]) in)[at];
                }
            }
        }
    }

    /** Adds the same in buffers. */
    private static final class AddingInBuffers extends UserFunction {
        private final Adding adding;

        AddingInBuffers(Adding adding) {
            this.adding = adding;
        }

        @Override
        public void call(ByteBuffer in, ByteBuffer inOut, int count, Datatype type) {
            int[] left = ints(in);
            int[] right = ints(inOut);
            adding.call(left, right, count, type);
            inOut.asIntBuffer().put(right);
        }

        private static int[] ints(ByteBuffer buffer) {
            int[] ints = new int[buffer.remaining() / Integer.BYTES];
            buffer.asIntBuffer().get(ints);
            return ints;
        }
    }

    private static void requireSums(Intracomm world, Datatype type, Adding adding) {
        for (UserFunction function : new UserFunction[] {adding, new AddingInBuffers(adding)}) {
            int[] in = new int[40];
            int[] out = new int[40];
            Arrays.fill(in, world.Rank() + 1);
            Arrays.fill(out, -5);
            Op op = new Op(function, true);
            world.Allreduce(in, HERE, out, HERE, 2, type, op);
            int[] expected = new int[40];
            Arrays.fill(expected, -5);
            for (int element = 0; element < 2; element++) {
                for (int displacement : adding.displacements) {
                    expected[HERE + element * adding.extent + displacement] = world.Size() * (world.Size() + 1) / 2;
                }
            }
            Check.equal("sums of " + type, out, expected);
            op.free();
        }
    }

    static void dataBehindTheStart(Intracomm world) {
        int[] at = {2, 5};
        requireSums(world, Datatype.Indexed(new int[] {1, 1}, at, MPI.INT), new Adding(at, 4));
    }

    static void dataInFrontOfTheStart(Intracomm world) {
        int[] at = {-1, 1};
        requireSums(world, Datatype.Indexed(new int[] {1, 1}, at, MPI.INT), new Adding(at, 3));
    }

    static void elementsThatGoBackwards(Intracomm world) {
        Datatype backwards = Datatype.createResized(MPI.INT, 0, -8);
        requireSums(world, backwards, new Adding(new int[] {0}, -2));
    }

    /** Takes the greater of pairs, in the bytes that Open MPI gives to the form with arrays. */
    private static final class Greater extends UserFunction {
        @Override
        public void call(Object in, Object inOut, int count, Datatype type) {
            ByteBuffer left = ByteBuffer.wrap((byte[]) in).order(ByteOrder.nativeOrder());
            ByteBuffer right = ByteBuffer.wrap((byte[]) inOut).order(ByteOrder.nativeOrder());
            Check.equal("bytes", left.capacity(), 8 * count);
            for (int at = 0; at < count; at++) {
                if (left.getInt(8 * at) > right.getInt(8 * at)) {
                    right.putLong(8 * at, left.getLong(8 * at));
                }
            }
        }
    }

    static void pairsComeAsBytes(Intracomm world) {
        Op op = new Op(new Greater(), true);
        byte[] pairs = new byte[16];
        ByteBuffer view = ByteBuffer.wrap(pairs).order(ByteOrder.nativeOrder());
        view.putInt(0, 100 * world.Rank()).putInt(4, world.Rank());
        view.putInt(8, -world.Rank()).putInt(12, world.Rank());
        world.allReduce(pairs, 2, MPI.INT2, op);
        int last = world.Size() - 1;
        int[] result = {view.getInt(0), view.getInt(4), view.getInt(8), view.getInt(12)};
        Check.equal("of the last rank, and of the first", result, new int[] {100 * last, last, 0, 0});
    }
}
