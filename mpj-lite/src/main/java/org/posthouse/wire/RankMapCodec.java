package org.posthouse.wire;

import java.util.Arrays;

/**
 * A job's map from rank to home in JOB_OPEN and WELCOME (docs/wire.md, "Map of ranks"). It is coded as runs of
 * neighbouring ranks with one home, or as a list if that is shorter. Placement in blocks then takes bytes by homes, not
 * by ranks (ADR 82).
 */
final class RankMapCodec {
    private static final int LIST_ENTRY_BYTES = Short.BYTES;

    private static final int RUN_BYTES = Integer.BYTES + Integer.BYTES + Short.BYTES;

    private RankMapCodec() {}

    /** @param homeOf for every rank, the index of its home */
    static void write(FrameWriter out, int[] homeOf) {
        int runs = runs(homeOf);
        if (Integer.BYTES + (long) runs * RUN_BYTES < (long) homeOf.length * LIST_ENTRY_BYTES) {
            writeRuns(out, homeOf, runs);
        } else {
            out.i32(homeOf.length);
            for (int home : homeOf) {
                out.u16(home);
            }
        }
    }

    private static void writeRuns(FrameWriter out, int[] homeOf, int runs) {
        out.i32(-homeOf.length).i32(runs);
        int first = 0;
        while (first < homeOf.length) {
            int end = endOfRun(homeOf, first);
            out.i32(first).i32(end - first).u16(homeOf[first]);
            first = end;
        }
    }

    private static int runs(int[] homeOf) {
        int runs = 0;
        for (int first = 0; first < homeOf.length; first = endOfRun(homeOf, first)) {
            runs++;
        }
        return runs;
    }

    private static int endOfRun(int[] homeOf, int first) {
        int end = first + 1;
        while (end < homeOf.length && homeOf[end] == homeOf[first]) {
            end++;
        }
        return end;
    }

    /**
     * Reads, for every rank, an index of {@code [0, homes)}.
     *
     * @throws WireException if a rank has no home or two, or a home is not one of those. Nothing is allocated for more
     * ranks than a job can have.
     */
    static int[] read(FrameReader in, int homes) throws WireException {
        int count = in.i32("count of placed ranks");
        return count < 0 ? readRuns(in, -(long) count, homes) : readList(in, count, homes);
    }

    private static int[] readList(FrameReader in, int ranks, int homes) throws WireException {
        in.expect(ranks, LIST_ENTRY_BYTES, "placed ranks");
        int[] homeOf = new int[ranks];
        for (int rank = 0; rank < ranks; rank++) {
            homeOf[rank] = in.u16("home of a rank");
            checkHome(rank, homeOf[rank], homes);
        }
        return homeOf;
    }

    private static int[] readRuns(FrameReader in, long ranks, int homes) throws WireException {
        if (ranks > JobOpen.RANKS_MAX) {
            throw JobOpen.tooManyRanks(ranks);
        }
        int[] homeOf = new int[(int) ranks];
        int runs = in.count(RUN_BYTES, "runs of ranks");
        int next = 0;
        for (int run = 0; run < runs; run++) {
            int first = in.i32("first rank of a run");
            int count = in.i32("ranks of a run");
            int home = in.u16("home of a run");
            if (first != next || count < 1 || count > homeOf.length - next) {
                throw new WireException(
                        CloseReason.MALFORMED_FRAME,
                        in.type() + " with a run of " + count + " ranks from rank " + first + ", expected 1 to " + (homeOf.length - next)
                                + " from rank " + next);
            }
            checkHome(first, home, homes);
            Arrays.fill(homeOf, next, next + count, home);
            next += count;
        }
        if (next < homeOf.length) {
            throw new WireException(
                    CloseReason.MALFORMED_FRAME, in.type() + " whose runs end before rank " + next + " of " + homeOf.length);
        }
        return homeOf;
    }

    private static void checkHome(int rank, int home, int homes) throws WireException {
        if (home >= homes) {
            throw new WireException(CloseReason.MALFORMED_FRAME, "rank " + rank + " placed at home " + home + " of " + homes);
        }
    }
}
