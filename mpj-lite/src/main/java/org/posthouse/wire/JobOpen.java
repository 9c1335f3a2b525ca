package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * A launcher opens a job at a relay, before any of its ranks is started.
 *
 * @param job the job's id, drawn by the launcher
 * @param token what the job's ranks must show
 * @param logged whether messages and deliveries are logged ({@code --durability process})
 * @param name what people call the job
 * @param homes the relays that the job's ranks are homed at
 * @param homeOf for every rank, an index in {@code homes}
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; a list would box every rank's index
public record JobOpen(long job, Token token, boolean logged, String name, List<Home> homes, int[] homeOf) {
    /** Most ranks of a job that fit one frame. */
    public static final int RANKS_MAX = 16_384;

    private static final int NAME_BYTES_MAX = 255;

    public int size() {
        return homeOf.length;
    }

    public ByteBuffer encode() {
        FrameWriter out = new FrameWriter(FrameType.JOB_OPEN, job)
                .i64(token.high())
                .i64(token.low())
                .i32(logged ? 1 : 0)
                .text(name, NAME_BYTES_MAX);
        Home.write(out, homes);
        Home.writePlacement(out, homeOf);
        return out.finish();
    }

    /** Reads a frame whose header was checked. @throws WireException if a field is missing or out of range */
    public static JobOpen decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame, Wire.HEADER_BYTES);
        Token token = new Token(in.i64("token"), in.i64("token"));
        int durability = in.i32("durability");
        if (durability != 0 && durability != 1) {
            throw new WireException(Reason.MALFORMED_FRAME, "JOB_OPEN with durability " + durability + ", expected 0 or 1");
        }
        String name = in.text("name");
        List<Home> homes = Home.read(in);
        int[] homeOf = Home.readPlacement(in, homes.size());
        in.end();
        if (homeOf.length == 0 || homeOf.length > RANKS_MAX) {
            throw new WireException(Reason.LIMIT, "job of " + homeOf.length + " ranks, expected 1 to " + RANKS_MAX);
        }
        return new JobOpen(new FrameView().wrap(frame, frame.position()).job(), token, durability == 1, name, homes, homeOf);
    }
}
