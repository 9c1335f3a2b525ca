package org.posthouse.bench.rank;

import java.util.Arrays;

/** An operation on bytes: a call, and a rule that says which byte must then stand where. */
final class ByteOperation implements BenchOperation {
    /** The call under test. */
    interface Call {
        void make(byte[] out, byte[] in, int iteration);
    }

    /** The bytes that must have been received in an iteration. */
    interface Rule {
        /** The byte that must stand at {@code at}; asked only for what this rank receives. */
        byte expected(int at, int iteration);
    }

    /** Number of bytes, from the first on, that this rank receives in an iteration. */
    interface Extent {
        int received(int iteration);
    }

    private final int rank;
    private final byte[] out;
    private final byte[] in;
    private final boolean timed;
    private final Call call;
    private final Extent extent;
    private final Rule rule;

    ByteOperation(int rank, int outBytes, int inBytes, boolean timed, Call call, Extent extent, Rule rule) {
        this.rank = rank;
        this.out = new byte[outBytes];
        this.in = new byte[inBytes];
        this.timed = timed;
        this.call = call;
        this.extent = extent;
        this.rule = rule;
    }

    @Override
    public void run(int iteration) {
        call.make(out, in, iteration);
    }

    @Override
    public boolean isTimed() {
        return timed;
    }

    @Override
    public void fill() {
        for (int i = 0; i < out.length; i++) {
            out[i] = BenchOperation.content(rank, i);
        }
        Arrays.fill(in, (byte) 0);
    }

    @Override
    public String fault(int iteration) {
        for (int at = 0; at < extent.received(iteration); at++) {
            if (in[at] != rule.expected(at, iteration)) {
                return BenchOperation.fault("byte", at, in[at], rule.expected(at, iteration));
            }
        }
        return "";
    }
}
