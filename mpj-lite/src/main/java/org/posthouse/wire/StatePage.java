package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A page of what one end of a rank's connection remembers about channels and messages. It follows HELLO or WELCOME
 * (docs/wire.md, STATE).
 *
 * @param job the job's id
 * @param left pages that follow this one
 * @param entries at most {@link #ENTRIES_MAX}
 */
public record StatePage(long job, int left, List<Entry> entries) {
    /** From the rank: {@code a} is the last sequence number that it has sent on the channel to {@code peer}. */
    public static final int SENT = 1;

    /**
     * From the rank: its message {@code a} to {@code peer}, {@code b} bytes long, is offered, and {@code aux} of its
     * chunks were sent.
     */
    public static final int OFFERED = 2;

    /** From the rank: it has the bytes up to {@code b} of the delivered message {@code a} from {@code peer}. */
    public static final int ARRIVING = 3;

    /** From the relay: the channel to {@code peer} is complete up to sequence number {@code a}. */
    public static final int ACCEPTED = 4;

    /**
     * From the relay: it has the bytes up to {@code b} of the message {@code a} to {@code peer}, or the message is
     * offered and unmatched. {@code aux} is the id of its form, EAGER or OFFER.
     */
    public static final int OPEN = 5;

    /**
     * From either end: the offer {@code a} to {@code peer} was cancelled before. A restarted relay learns this from the
     * rank.
     */
    public static final int GONE = 6;

    /** Most entries in one page. */
    public static final int ENTRIES_MAX = 2_048;

    private static final int ENTRY_BYTES = 32;

    /**
     * State of one channel, or of one message of it. The meaning of {@code a}, {@code b} and {@code aux} depends on the
     * kind.
     */
    public record Entry(int kind, int context, int peer, int aux, long a, long b) {
        /** An entry that needs only a sequence number. */
        public Entry(int kind, int context, int peer, long a) {
            this(kind, context, peer, 0, a, 0);
        }
    }

    /** The number of pages for this number of entries. */
    public static int pages(int entries) {
        return (entries + ENTRIES_MAX - 1) / ENTRIES_MAX;
    }

    /** All entries, as frames to write one after the other. */
    public static List<ByteBuffer> encode(long job, List<Entry> entries) {
        List<ByteBuffer> frames = new ArrayList<>();
        int pages = pages(entries.size());
        for (int page = 0; page < pages; page++) {
            List<Entry> part = entries.subList(page * ENTRIES_MAX, Math.min(entries.size(), (page + 1) * ENTRIES_MAX));
            frames.add(new StatePage(job, pages - 1 - page, part).encode());
        }
        return frames;
    }

    public ByteBuffer encode() {
        FrameWriter out = new FrameWriter(FrameType.STATE, job).i32(entries.size()).i32(left);
        for (Entry entry : entries) {
            out.i32(entry.kind).i32(entry.context).i32(entry.peer).i32(entry.aux).i64(entry.a).i64(entry.b);
        }
        return out.finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if it is not a page, or has an unknown kind of entry
     */
    public static StatePage decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        int count = in.i32("count of entries");
        int left = in.i32("pages left");
        in.expect(count, ENTRY_BYTES, "entries");
        List<Entry> entries = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            entries.add(entry(in));
        }
        in.end();
        if (left < 0 || left >= Hello.PAGES_MAX) {
            throw new WireException(CloseReason.LIMIT, "STATE with " + left + " pages left, expected 0 to " + (Hello.PAGES_MAX - 1));
        }
        return new StatePage(new FrameView().wrap(frame, frame.position()).job(), left, entries);
    }

    private static Entry entry(FrameReader in) throws WireException {
        int kind = in.i32("kind");
        if (kind < SENT || kind > GONE) {
            throw new WireException(CloseReason.MALFORMED_FRAME, "STATE with an entry of kind " + kind + ", expected 1 to 6");
        }
        return new Entry(kind, in.i32("context"), in.i32("peer"), in.i32("chunks"), in.i64("sequence"), in.i64("bytes"));
    }
}
