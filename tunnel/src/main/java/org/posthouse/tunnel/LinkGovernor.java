package org.posthouse.tunnel;

import java.util.Arrays;
import org.posthouse.wire.Wire;

/**
 * Says how much bulk a link may have on its way, so that the network's pipe is full and what waits in front of it is little: a short
 * message waits behind that. Confined to its window; pure: time is handed in.
 *
 * <p>It measures what BBR does: the rate at which bulk comes, the second highest of the last rounds, and the time that a frame's way there and its receipt's way
 * back take. BBR has the shortest one. Here it is the usual one, a median (ADR 60): where a busy host or the network holds words up, frames seldom have the shortest, and
 * what it allows comes at a lower rate, which then allows less. Allowed is {@link #GAIN} times the product, a frame, and what comes between two words of the other end. A round
 * lasts until a frame comes that was written in it; only those rates count in which the limit held something back. Until the rate grows no more the gain is {@link #GAIN_FIRST}.
 * The lowest median of eight frames or more counts. Once it is {@link #USUAL_OLD_NANOS} old, not counting a pause of up to {@link #RATE_OLD_NANOS} in which nothing was on its way, three quarters of the product and a frame are allowed until the time was measured again for a
 * round, without what waits because of this link; half of it, when the rate has stopped to grow, and once more when the time turned out to be shorter. Then what is on its way grows by as much as comes, so that the pipe is not filled at a blow.
 *
 * <p>What is on its way is known to a part of a frame where one takes long: the other end says what has come of it.
 */
final class LinkGovernor {
    /** Half of the idle way more than the pipe holds: a quarter of a round trip. */
    private static final double GAIN = 1.25;

    private static final double GAIN_FIRST = 2;

    /** A chunk of a piece and the LINK_RUN before it. */
    static final long FRAME_BYTES = Wire.CHUNK_HEADER_BYTES + Wire.PAYLOAD_BYTES_MAX + 32L;

    /** On a link so fast that threads are slow to wake beside it, what comes in this time may be on its way: so both ends are at work at once. */
    private static final long WAKING_NANOS = 200_000;

    /** Before anything was measured. */
    static final long BYTES_FIRST = 4 * FRAME_BYTES;

    private static final int ROUNDS = 8;
    private static final int ROUNDS_WITHOUT_GROWTH = 3;
    private static final double GROWTH = 1.25;
    static final long RATE_OLD_NANOS = 60_000_000_000L;
    private static final long USUAL_OLD_NANOS = 10_000_000_000L;

    /** What was known when a frame was written. @param clear whether nothing waits in front of the pipe because of this link */
    record Stamp(long nanos, long there, int bytes, boolean clear) {}

    /** The highest rate of each of the last rounds, in bytes a nanosecond. */
    private final double[] rates = new double[ROUNDS];

    /** Where the next round's goes: a place, and no count of rounds, which would end after 2^31. */
    private int round;

    private double roundRate;
    private long roundStart;
    private long roundWordMost;

    /** The most that one word of the other end told in the last round. */
    private long wordMost = FRAME_BYTES;

    /** A frame, for all limits here: the longest that was written in the last round, or since, and no less than {@link #FRAME_BYTES}. */
    private long frameBytes = FRAME_BYTES;

    private long roundFrameBytes;

    private boolean held;

    /** Whether a round was limited, and when the last such one ended. */
    private boolean wasHeld;

    private long heldAtNanos;

    /** Bytes of frames that have come, and of frames whose rest has not. */
    private long came;

    private long incomplete;

    private long limit = BYTES_FIRST;

    /** Allowed for now, towards the limit. */
    private long allowed = BYTES_FIRST;

    private boolean first = true;
    private double firstRate;
    private int withoutGrowth;

    /** What frames took that came in this round, and in those before if they are few, */
    private final LinkTimes times = new LinkTimes();

    /** and those of them before which nothing waited because of this link, while that is measured; */
    private final LinkTimes clearTimes = new LinkTimes();

    /** what had come before they were written, at least, and what when the first of them came. */
    private long clearFrom;

    private long clearSince;

    private long usualNanos = Long.MAX_VALUE;
    private int usualBytes;
    private long usualAtNanos;

    /** When a frame came last: words about heads come in a pause, too. */
    private long cameAtNanos;

    /** The way to this rate, or three quarters of a product that was too large, left something waiting: the usual time is to be looked at without it. */
    private boolean draining;

    private boolean probing;

    /** Whether another frame of bulk may be written while so many bytes are on their way. */
    boolean allows(long bytesUnderWay) {
        long left = bytesUnderWay - incomplete;
        if (left <= 0 || left + frameBytes <= allowed) {
            return true;
        }
        held = true;
        return false;
    }

    /** A frame of so many bytes is written while others are on their way. */
    Stamp write(int bytes, long bytesUnderWay, long nowNanos) {
        roundFrameBytes = Math.max(roundFrameBytes, bytes);
        frameBytes = Math.max(frameBytes, bytes);
        if (bytesUnderWay == 0) {
            long pause = nowNanos - cameAtNanos;
            usualAtNanos += pause <= RATE_OLD_NANOS ? pause : 0; // In a longer one the way may have become another.
            cameAtNanos = nowNanos;
        }
        return new Stamp(nowNanos, there(), bytes, probing || bytesUnderWay == 0);
    }

    /**
     * So many bytes more have come in whole frames, the last of which was written once, with this stamp, or the stamp is null.
     *
     * @param newIncomplete bytes that are there of frames whose rest is not
     */
    void come(long bytes, long newIncomplete, Stamp stamp, long nowNanos) {
        long before = there();
        came += bytes;
        cameAtNanos = bytes > 0 ? nowNanos : cameAtNanos;
        incomplete = newIncomplete;
        long news = Math.max(0, there() - before);
        roundWordMost = Math.max(roundWordMost, news);
        if (stamp != null) {
            learn(stamp, nowNanos);
        }
        allowed = probing ? frameBytes + (draining ? product() / 2 : product() * 3 / 4) : Math.min(limit, allowed + news);
    }

    private long there() {
        return came + incomplete;
    }

    private void learn(Stamp stamp, long nowNanos) {
        long took = Math.max(1, nowNanos - stamp.nanos);
        times.add(took, stamp.bytes);
        if (usualNanos == Long.MAX_VALUE) {
            takeUsual(times, nowNanos);
        }
        if (probing && stamp.clear) {
            probe(took, stamp, nowNanos);
        }
        roundRate = Math.max(roundRate, (double) (there() - stamp.there) / took);
        if (stamp.there >= roundStart) {
            endRound(nowNanos);
        }
        probing = draining || nowNanos - usualAtNanos > USUAL_OLD_NANOS;
        limit = frameBytes + betweenWords() + Math.max(leastBytes(), (long) ((first ? GAIN_FIRST : GAIN) * product()));
    }

    private void probe(long tookNanos, Stamp stamp, long nowNanos) {
        if (stamp.there < clearFrom) {
            return;
        }
        if (clearTimes.isEmpty()) {
            clearSince = there();
        }
        clearTimes.add(tookNanos, stamp.bytes);
        if (stamp.there >= clearSince && clearTimes.areEnough()) {
            long before = usualNanos;
            takeUsual(clearTimes, nowNanos);
            clearTimes.clear();
            clearFrom = there();
            draining = usualNanos < before * 7 / 8;
        }
    }

    private void takeUsual(LinkTimes measured, long nowNanos) {
        usualNanos = measured.medianNanos();
        usualBytes = measured.frameBytes();
        usualAtNanos = nowNanos;
    }

    /**
     * The least of what the gain makes of the product. Where the other end tells of parts of frames, half a frame; else a quarter, so that one frame is being written while the one
     * before is being read, and what comes while a thread wakes, two frames at most.
     */
    private long leastBytes() {
        return wordMost <= frameBytes / 2 ? frameBytes / 2 : frameBytes / 4 + (long) Math.min(2 * frameBytes, rate() * WAKING_NANOS);
    }

    /** The other end has forgotten all, or the way there is a new one. */
    void forget() {
        usualNanos = Long.MAX_VALUE;
        times.clear();
        clearTimes.clear();
        probing = false;
        draining = false;
        incomplete = 0;
        first = true;
        firstRate = 0;
        withoutGrowth = 0;
        frameBytes = FRAME_BYTES;
        limit = BYTES_FIRST;
        allowed = BYTES_FIRST;
        Arrays.fill(rates, 0);
        roundRate = 0;
        beginRound();
    }

    /**
     * What comes between two words of the other end, and no more than three quarters of a frame: where it tells of whole frames only, a rate that was measured with n frames on their way,
     * from 2, allows n + 1 with them, as 1.25 (n - 1) + 1.75 >= n + 1. A tenth of a frame less still lets one word more be on its way than the rate was measured with.
     */
    private long betweenWords() {
        return (long) Math.min(frameBytes * 3 / 4, Math.max(rate() * LinkArrivals.PART_NANOS, wordMost - frameBytes / 10));
    }

    private void endRound(long nowNanos) {
        if (times.areEnough()) {
            if (!probing && times.medianNanos() <= usualNanos) {
                takeUsual(times, nowNanos);
            }
            times.clear();
        }
        if (held) {
            wasHeld = true;
            heldAtNanos = nowNanos;
        }
        if (held || roundRate > rate()) {
            rates[round] = roundRate;
            round = (round + 1) % ROUNDS;
        }
        if (first && held) {
            withoutGrowth = roundRate >= GROWTH * firstRate ? 0 : withoutGrowth + 1;
            firstRate = Math.max(firstRate, roundRate);
            first = withoutGrowth < ROUNDS_WITHOUT_GROWTH;
            draining = !first;
        }
        wordMost = roundWordMost;
        frameBytes = Math.max(FRAME_BYTES, roundFrameBytes);
        held = false;
        beginRound();
    }

    private void beginRound() {
        roundRate = 0;
        roundWordMost = 0;
        roundFrameBytes = 0;
        roundStart = there();
    }

    /** Bytes a nanosecond that the link carries; 0 if that is not known, because it was not full for {@link #RATE_OLD_NANOS}. */
    double linkRate(long nowNanos) {
        return first ? 0 : rateWhenHeld(nowNanos);
    }

    /** The same, from the first round on that was limited: it may be more then. */
    double rateWhenHeld(long nowNanos) {
        return !wasHeld || nowNanos - heldAtNanos > RATE_OLD_NANOS ? 0 : rate();
    }

    /** Bytes a nanosecond: of the last rounds' the second highest, since words that wait somewhere and come together make one round look fast. */
    double rate() {
        double highest = roundRate;
        double second = 0;
        for (double rate : rates) {
            second = Math.max(second, Math.min(highest, rate));
            highest = Math.max(highest, rate);
        }
        return first ? highest : second;
    }

    /** What the pipe holds, in bytes: the rate times the usual time, without the time that the measured frames themselves took to leave. */
    long product() {
        if (usualNanos == Long.MAX_VALUE) {
            return 0;
        }
        double rate = rate();
        return (long) Math.max(usualNanos * rate - usualBytes, usualNanos * rate / 4);
    }

}
