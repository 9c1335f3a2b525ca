package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * The relay's answer to HELLO: what the rank may send, what will be replayed to it and what it must not send again.
 *
 * @param job the job's id; 0 for a launcher
 * @param rank the rank that is welcome
 * @param incarnation the incarnation that is now the valid one
 * @param creditBytes byte credit to start with, see {@link Wire#cost}
 * @param creditMessages message credit to start with
 * @param deliveries deliveries that the relay will replay before anything new; 0 on a first start, and the rank's own
 *     count after a move
 * @param suppress for each channel, the last sequence number that was accepted before and is not to be sent again
 * @param self index in {@code homes} of the relay that answers
 * @param homes to a rank: the job's relays; to a launcher: all relays of the directory
 * @param homeOf to a rank: for every rank of the job, an index in {@code homes}; to a launcher: empty
 * @param ranksAt to a launcher: for each of {@code homes}, how many ranks of any job are at home there; to a rank: empty
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; a list would box every rank's index
public record Welcome(
        long job,
        int rank,
        int incarnation,
        long creditBytes,
        int creditMessages,
        long deliveries,
        List<Hello.Sent> suppress,
        int self,
        List<Home> homes,
        int[] homeOf,
        int[] ranksAt) {
    /** What a launcher is told: the relays that there are, the one that answers first, and how many ranks each has. */
    public static Welcome launcher(List<Home> homes, int[] ranksAt) {
        return new Welcome(0, 0, 0, 0, 0, 0, List.of(), 0, homes, new int[0], ranksAt);
    }

    public int size() {
        return homeOf.length;
    }

    public ByteBuffer encode() {
        FrameWriter out = new FrameWriter(FrameType.WELCOME, job)
                .i32(Wire.MAGIC)
                .u16(Wire.VERSION)
                .u16(self)
                .i32(rank)
                .i32(incarnation)
                .i32(0)
                .i64(creditBytes)
                .i32(creditMessages)
                .i32(Wire.PAYLOAD_BYTES_MAX)
                .i64(deliveries)
                .i64(0);
        Hello.writeSent(out, suppress);
        Home.write(out, homes);
        Home.writePlacement(out, homeOf);
        for (int ranks : ranksAt) {
            out.i32(ranks);
        }
        return out.finish();
    }

    /** Reads a frame whose header was checked. @throws WireException if it is not a WELCOME of version 1 */
    public static Welcome decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame, Wire.HEADER_BYTES);
        Hello.checkVersion(in);
        int self = in.u16("self");
        int rank = in.i32("rank");
        int incarnation = in.i32("incarnation");
        Hello.checkFeatures(FrameType.WELCOME, in.i32("features"));
        long creditBytes = in.i64("credit bytes");
        int creditMessages = in.i32("credit messages");
        int payloadMax = in.i32("payload limit");
        if (payloadMax != Wire.PAYLOAD_BYTES_MAX) {
            throw new WireException(
                    Reason.WRONG_VERSION, "payload limit " + payloadMax + ", version 1 has " + Wire.PAYLOAD_BYTES_MAX);
        }
        long deliveries = in.i64("deliveries");
        in.zero64();
        List<Hello.Sent> suppress = Hello.readSent(in);
        List<Home> homes = Home.read(in);
        int[] homeOf = Home.readPlacement(in, homes.size());
        int[] ranksAt = homeOf.length > 0 ? new int[0] : readLoads(in, homes);
        in.end();
        if (self >= homes.size()) {
            throw new WireException(Reason.MALFORMED_FRAME, "WELCOME from home " + self + " of " + homes.size());
        }
        long job = new FrameView().wrap(frame, frame.position()).job();
        return new Welcome(job, rank, incarnation, creditBytes, creditMessages, deliveries, suppress, self, homes, homeOf, ranksAt);
    }

    private static int[] readLoads(FrameReader in, List<Home> homes) throws WireException {
        int[] ranksAt = new int[homes.size()];
        for (int home = 0; home < ranksAt.length; home++) {
            ranksAt[home] = in.i32("ranks at a home");
            if (ranksAt[home] < 0) {
                throw new WireException(Reason.MALFORMED_FRAME, ranksAt[home] + " ranks at relay " + homes.get(home).relay());
            }
        }
        return ranksAt;
    }
}
