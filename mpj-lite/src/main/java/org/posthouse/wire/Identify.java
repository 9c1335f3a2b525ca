package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * The first frame of a rank, a launcher, an agent or a follower: the identity that it will prove (docs/wire.md, IDENTIFY). It contains no
 * secret.
 *
 * @param kind {@link Hello#RANK}, {@link Hello#LAUNCHER}, {@link Hello#AGENT} or {@link Hello#FOLLOWER}
 * @param job the job's id; 0 for a launcher and an agent
 * @param rank world rank; 0 for a launcher and an agent
 * @param nonce of this connection
 */
public record Identify(int kind, long job, int rank, Nonce nonce) {
    /** The identity of the sender of that HELLO. */
    public static Identify of(Hello hello, Nonce nonce) {
        return new Identify(hello.kind(), hello.job(), hello.rank(), nonce);
    }

    /** Whether this is the identity of the sender of that HELLO. */
    public boolean isOf(Hello hello) {
        return kind == hello.kind() && job == hello.job() && rank == hello.rank();
    }

    /** Whether the client is a process of a rank, which has the rank's token. */
    public boolean isOfRank() {
        return kind == Hello.RANK || kind == Hello.FOLLOWER;
    }

    public ByteBuffer encode() {
        FrameWriter out = new FrameWriter(FrameType.IDENTIFY, job, FrameType.IDENTIFY.bytesMax())
                .i32(Wire.MAGIC)
                .u16(Wire.VERSION)
                .u16(kind)
                .i32(rank)
                .i32(0);
        return nonce.write(out).finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException on any other magic or version, or if a field is out of range
     */
    public static Identify decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        Hello.checkVersion(in);
        int kind = Hello.readKind(in);
        int rank = in.i32("rank");
        in.zero32();
        Nonce nonce = Nonce.read(in);
        in.end();
        return new Identify(kind, new FrameView().wrap(frame, frame.position()).job(), rank, nonce);
    }
}
