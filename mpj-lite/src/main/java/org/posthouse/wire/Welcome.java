package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * The relay's answer to HELLO: the rank's credit, and what the relay knows of its history and channels (docs/wire.md,
 * WELCOME).
 *
 * @param job the job's id; 0 for a launcher
 * @param rank the admitted rank
 * @param incarnation the incarnation that is valid from now on
 * @param creditBytes initial byte credit, see {@link Wire#cost}
 * @param creditMessages initial message credit
 * @param durability the failure that the job's messages survive; {@link Durability#NONE} to a launcher
 * @param deliveries deliveries of the rank that the relay knows of; those above the rank's own count come next,
 * unchanged
 * @param events events of the rank's history that the relay knows of; those above the rank's own count come with them
 * @param pages number of STATE frames that follow; to a launcher: relays of the directory that do not fit into {@code
 * homes}
 * @param image number of the checkpoint image that the rank starts from; 0 if none
 * @param imageBytes its length
 * @param self index in {@code homes} of the answering relay
 * @param homes to a rank: the job's relays; to a launcher: relays of the directory
 * @param homeOf to a rank: for every rank of the job, an index in {@code homes}; to a launcher: empty
 * @param ranksAt to a launcher: for each of {@code homes}, the number of ranks of any job at home there; to a rank:
 * empty
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; a list would box every rank's index
public record Welcome(
        long job,
        int rank,
        int incarnation,
        long creditBytes,
        int creditMessages,
        Durability durability,
        long deliveries,
        long events,
        int pages,
        long image,
        long imageBytes,
        int self,
        List<HomeRelay> homes,
        int[] homeOf,
        int[] ranksAt) {
    /** Length in bytes without any home or rank. */
    private static final int BYTES_BARE = 96;

    /** Feature bit: the job is logged. */
    private static final int LOGGED = 1;

    /** Feature bit, only with {@link #LOGGED}: the log is synced to disk, so that it survives the host. */
    private static final int SURVIVES_HOST = 2;

    /** Bit of a launcher's WELCOME, in place of the incarnation: the relay takes JOB_REPORT. */
    private static final int TAKES_REPORTS = 1;

    /**
     * The WELCOME of a launcher: the relays and their numbers of ranks, the first ones, as many as fit one frame.
     *
     * @param homes the answering relay first
     */
    public static Welcome launcher(List<HomeRelay> homes, int[] ranksAt) {
        int bytes = BYTES_BARE;
        int fitting = 0;
        while (fitting < homes.size() && bytes + homes.get(fitting).bytes() + Integer.BYTES <= Wire.FRAME_BYTES_MAX) {
            bytes += homes.get(fitting++).bytes() + Integer.BYTES;
        }
        return new Welcome(
                0, 0, TAKES_REPORTS, 0, 0, Durability.NONE, 0, 0, homes.size() - fitting, 0, 0, 0,
                homes.subList(0, fitting), new int[0], Arrays.copyOf(ranksAt, fitting));
    }

    public int size() {
        return homeOf.length;
    }

    /** Of a launcher's WELCOME: whether the relay takes JOB_REPORT; one of an earlier version does not. */
    public boolean takesReports() {
        return size() == 0 && (incarnation & TAKES_REPORTS) != 0;
    }

    /** Whether the relay can restart the rank, because its job is logged. */
    public boolean logged() {
        return durability != Durability.NONE;
    }

    /** Whether the job survives a crash of the relay's host, so that deliveries may still be lost with it. */
    public boolean survivesHost() {
        return durability == Durability.HOST;
    }

    /** Most payload bytes of a CHUNK. A chunk longer than one piece cannot be a log record. */
    public int chunkBytesMax() {
        return logged() ? Wire.PAYLOAD_BYTES_MAX : Wire.CHUNK_BYTES_MAX;
    }

    private int features() {
        return (logged() ? LOGGED : 0) | (survivesHost() ? SURVIVES_HOST : 0);
    }

    private static Durability durability(int features) throws WireException {
        return switch (features) {
            case 0 -> Durability.NONE;
            case LOGGED -> Durability.PROCESS;
            case LOGGED | SURVIVES_HOST -> Durability.HOST;
            default -> throw new WireException(
                    CloseReason.WRONG_VERSION, "WELCOME with features 0x" + Integer.toHexString(features) + ", version 2 has 0, 1 and 3");
        };
    }

    public ByteBuffer encode() {
        FrameWriter out = new FrameWriter(FrameType.WELCOME, job)
                .i32(Wire.MAGIC)
                .u16(Wire.VERSION)
                .u16(self)
                .i32(rank)
                .i32(incarnation)
                .i32(features())
                .i64(creditBytes)
                .i32(creditMessages)
                .i32(chunkBytesMax())
                .i64(deliveries)
                .i64(events)
                .i32(pages)
                .i64(image)
                .i64(imageBytes);
        HomeRelay.write(out, homes);
        RankMapCodec.write(out, homeOf);
        for (int ranks : ranksAt) {
            out.i32(ranks);
        }
        return out.finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if it is not a WELCOME of version 2
     */
    public static Welcome decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        Hello.checkVersion(in);
        int self = in.u16("self");
        int rank = in.i32("rank");
        int incarnation = in.i32("incarnation");
        Durability durability = durability(in.i32("features"));
        long creditBytes = in.i64("credit bytes");
        int creditMessages = in.i32("credit messages");
        int chunkBytesMax = in.i32("chunk limit");
        long deliveries = in.i64("deliveries");
        long events = in.i64("events");
        int pages = in.i32("pages");
        long image = in.i64("image");
        long imageBytes = in.i64("bytes of the image");
        List<HomeRelay> homes = HomeRelay.read(in);
        int[] homeOf = RankMapCodec.read(in, homes.size());
        int[] ranksAt = homeOf.length > 0 ? new int[0] : readLoads(in, homes);
        in.end();
        if (pages < 0) {
            throw new WireException(CloseReason.MALFORMED_FRAME, "WELCOME with " + pages + " pages of state");
        }
        if (self >= homes.size()) {
            throw new WireException(CloseReason.MALFORMED_FRAME, "WELCOME from home " + self + " of " + homes.size());
        }
        long job = new FrameView().wrap(frame, frame.position()).job();
        Welcome welcome = new Welcome(
                job,
                rank,
                incarnation,
                creditBytes,
                creditMessages,
                durability,
                deliveries,
                events,
                pages,
                image,
                imageBytes,
                self,
                homes,
                homeOf,
                ranksAt);
        if (chunkBytesMax != welcome.chunkBytesMax()) {
            throw new WireException(
                    CloseReason.WRONG_VERSION, "chunk limit " + chunkBytesMax + ", version 2 has " + welcome.chunkBytesMax() + " for durability " + durability);
        }
        return welcome;
    }

    private static int[] readLoads(FrameReader in, List<HomeRelay> homes) throws WireException {
        int[] ranksAt = new int[homes.size()];
        for (int home = 0; home < ranksAt.length; home++) {
            ranksAt[home] = in.i32("ranks at a home");
            if (ranksAt[home] < 0) {
                throw new WireException(CloseReason.MALFORMED_FRAME, ranksAt[home] + " ranks at relay " + homes.get(home).relay());
            }
        }
        return ranksAt;
    }
}
