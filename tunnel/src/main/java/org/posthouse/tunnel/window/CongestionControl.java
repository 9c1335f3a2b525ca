package org.posthouse.tunnel.window;

import java.util.Arrays;
import org.posthouse.wire.Wire;

/**
 * Limits the bulk in flight on a link. The limit keeps the network's pipe full and the queue in front of it short,
 * because short messages wait behind that queue. Confined to its window; pure: the caller passes the time.
 *
 * <p>It measures as BBR does. The rate is the second highest rate of arriving bulk in the last rounds. The round-trip
 * time is that of a frame and its acknowledgement. BBR uses the shortest time; here it is the usual one, a median (ADR
 * 60). A busy host or network delays acknowledgements, so that frames seldom have the shortest time. A limit based on
 * that time would lower the rate, and then itself.
 *
 * <p>The limit is {@link #GAIN} times the product, plus one frame, plus what arrives between two acknowledgements. A
 * round lasts until a frame arrives that was written in it. Only rates of rounds in which the limit held something back
 * count. Until the rate stops growing, the gain is {@link #GAIN_FIRST}.
 *
 * <p>The time is the lowest median of eight frames or more. It expires after {@link #USUAL_OLD_NANOS}, not counting a
 * pause of up to {@link #RATE_OLD_NANOS} in which nothing was in flight. Then only three quarters of the product and a
 * frame are allowed, until the time was measured for a round without this link's own queue. Half of the product and a
 * frame are allowed when the rate has stopped growing, and again when the time proved shorter. Afterwards the bytes in
 * flight grow only by as much as arrives, so that the pipe is not filled in one burst.
 *
 * <p>Where one frame takes long, the other end reports partial frames, so the bytes in flight are known more finely.
 */
public final class CongestionControl {
    /** Factor on the product: half of the idle one-way time, a quarter of a round trip, more than the pipe holds. */
    private static final double GAIN = 1.25;

    private static final double GAIN_FIRST = 2;

    /** A chunk of one piece and the LINK_RUN before it. */
    public static final long FRAME_BYTES = Wire.CHUNK_HEADER_BYTES + Wire.PAYLOAD_BYTES_MAX + 32L;

    /**
     * Nanoseconds whose arrivals may be in flight in addition. On a link so fast that thread wake-ups are slow in
     * comparison, both ends then work at the same time.
     */
    private static final long WAKING_NANOS = 200_000;

    /** The limit before anything was measured. */
    static final long BYTES_FIRST = 4 * FRAME_BYTES;

    private static final int ROUNDS = 8;
    private static final int ROUNDS_WITHOUT_GROWTH = 3;
    private static final double GROWTH = 1.25;
    public static final long RATE_OLD_NANOS = 60_000_000_000L;
    private static final long USUAL_OLD_NANOS = 10_000_000_000L;

    /**
     * The measurements at the time when a frame was written.
     *
     * @param clear whether nothing waited in front of the pipe because of this link
     */
    record Stamp(long nanos, long there, int bytes, boolean clear) {}

    /** The highest rate of each of the last rounds, in bytes a nanosecond. */
    private final double[] rates = new double[ROUNDS];

    /** Index for the next round's rate. It is not a count of rounds, which would overflow after 2^31. */
    private int round;

    private double roundRate;
    private long roundStart;
    private long roundWordMost;

    /** The most bytes that one acknowledgement reported in the last round. */
    private long wordMost = FRAME_BYTES;

    /**
     * The frame size for all limits here: the longest frame written in the last round or since, at least
     * {@link #FRAME_BYTES}.
     */
    private long frameBytes = FRAME_BYTES;

    private long roundFrameBytes;

    private boolean held;

    /** Whether a round was limited, and the time when the last such round ended. */
    private boolean wasHeld;

    private long heldAtNanos;

    /** Bytes of frames that have arrived, and of incomplete frames. */
    private long came;

    private long incomplete;

    private long limit = BYTES_FIRST;

    /** The current allowance, which moves towards the limit. */
    private long allowed = BYTES_FIRST;

    private boolean first = true;
    private double firstRate;
    private int withoutGrowth;

    /** Times of the frames that arrived in this round, and in previous rounds if they are few. */
    private final RateSamples times = new RateSamples();

    /** The times of those frames before which nothing waited because of this link, while that is measured. */
    private final RateSamples clearTimes = new RateSamples();

    /**
     * Lower bound of the bytes that had arrived before those frames were written, and the bytes when the first of them
     * arrived.
     */
    private long clearFrom;

    private long clearSince;

    private long usualNanos = Long.MAX_VALUE;
    private int usualBytes;
    private long usualAtNanos;

    /** Time of the last arrival of a frame. Acknowledgements of heads also arrive during a pause, and do not count. */
    private long cameAtNanos;

    /**
     * True if the growth to this rate, or three quarters of a product that was too large, left a queue. The usual time
     * is then measured without it.
     */
    private boolean draining;

    private boolean probing;

    /** Whether another frame of bulk may be written with so many bytes in flight. */
    boolean allows(long bytesUnderWay) {
        long left = bytesUnderWay - incomplete;
        if (left <= 0 || left + frameBytes <= allowed) {
            return true;
        }
        held = true;
        return false;
    }

    /** Notes that a frame of {@code bytes} is written while {@code bytesUnderWay} are in flight. */
    Stamp write(int bytes, long bytesUnderWay, long nowNanos) {
        roundFrameBytes = Math.max(roundFrameBytes, bytes);
        frameBytes = Math.max(frameBytes, bytes);
        if (bytesUnderWay == 0) {
            long pause = nowNanos - cameAtNanos;
            usualAtNanos += pause <= RATE_OLD_NANOS ? pause : 0; // During a longer pause the path may have changed.
            cameAtNanos = nowNanos;
        }
        return new Stamp(nowNanos, there(), bytes, probing || bytesUnderWay == 0);
    }

    /**
     * Notes the arrival of {@code bytes} more in whole frames. The last frame was written once with this stamp, or the
     * stamp is null.
     *
     * @param newIncomplete received bytes of incomplete frames
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

    private void takeUsual(RateSamples measured, long nowNanos) {
        usualNanos = measured.medianNanos();
        usualBytes = measured.frameBytes();
        usualAtNanos = nowNanos;
    }

    /**
     * Lower bound for the surplus that the gain adds to the product. If the other end reports partial frames, it is
     * half a frame. Otherwise it is a quarter, so that one frame is written while the previous is read. What arrives
     * while a thread wakes is added, two frames at most.
     */
    private long leastBytes() {
        return wordMost <= frameBytes / 2 ? frameBytes / 2 : frameBytes / 4 + (long) Math.min(2 * frameBytes, rate() * WAKING_NANOS);
    }

    /** Resets the measurements when the other end has lost its state, or the path is new. */
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
     * Bytes that arrive between two acknowledgements, at most three quarters of a frame. If the other end reports whole
     * frames only, a rate measured with n frames in flight, from 2, must allow n + 1. With this bound it does, as 1.25
     * (n - 1) + 1.75 >= n + 1. A tenth of a frame less would still allow one acknowledgement more in flight than the
     * rate was measured with.
     */
    private long betweenWords() {
        return (long) Math.min(frameBytes * 3 / 4, Math.max(rate() * LinkReceiver.PART_NANOS, wordMost - frameBytes / 10));
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

    /** Rate of the link in bytes a nanosecond; 0 if unknown, because it was not full for {@link #RATE_OLD_NANOS}. */
    double linkRate(long nowNanos) {
        return first ? 0 : rateWhenHeld(nowNanos);
    }

    /** As {@link #linkRate}, but known from the first limited round on, when the true rate may be higher. */
    double rateWhenHeld(long nowNanos) {
        return !wasHeld || nowNanos - heldAtNanos > RATE_OLD_NANOS ? 0 : rate();
    }

    /**
     * The second highest rate of the last rounds, in bytes a nanosecond. Acknowledgements that were delayed and arrive
     * together make one round look too fast.
     */
    double rate() {
        double highest = roundRate;
        double second = 0;
        for (double rate : rates) {
            second = Math.max(second, Math.min(highest, rate));
            highest = Math.max(highest, rate);
        }
        return first ? highest : second;
    }

    /**
     * Bytes that the pipe holds: the rate times the usual time, without the transmission time of the measured frames.
     */
    long product() {
        if (usualNanos == Long.MAX_VALUE) {
            return 0;
        }
        double rate = rate();
        return (long) Math.max(usualNanos * rate - usualBytes, usualNanos * rate / 4);
    }

}
