package org.posthouse.tunnel;

/**
 * Says whether the bulk of one direction of a link goes packed (docs/links.md, compression). Confined to its link; pure: time and what was
 * measured are handed in.
 *
 * <p>Packing pays when packing a byte and sending what remains of it take less than {@link #PAYS_BELOW} of the time to send it as it is:
 * <pre>
 *   nanosPerByte + ratio / rate  &lt;  0.9 / rate
 * </pre>
 * That is known from samples while it is off, and from everything that is packed while it is on. The rate is the link's own, which
 * shows only when a link is full: one that is not has nothing to gain. Packing begins at once and ends when it has not paid for {@link #OFF_AFTER_NANOS}.
 */
final class PackingRule {
    /** One percent of gain is not worth a processor. */
    private static final double PAYS_BELOW = 0.9;

    /** One frame of bulk in so many is a sample. A prime: channels take turns, and with 64 all samples would be of one of two. */
    static final int FRAMES_PER_SAMPLE = 61;

    /** The same where the link is so fast that packing would not pay if nothing remained. */
    static final int FRAMES_PER_SAMPLE_HOPELESS = 4_093;

    static final long OFF_AFTER_NANOS = 1_000_000_000L;

    /** How much of a new measurement counts: some eight of them are remembered. */
    private static final double WEIGHT = 1.0 / 8;

    /** The first times are those of code that has never run. */
    private static final int MEASUREMENTS_MIN = 8;

    private final Compression mode;
    private boolean on;

    private double nanosPerByte;

    private double ratio = 1;
    private long measurements;
    private int framesSinceSample;
    private boolean failing;
    private long failingSinceNanos;

    PackingRule(Compression mode) {
        this.mode = mode;
        this.on = mode == Compression.ALWAYS;
    }

    boolean isOn() {
        return on;
    }

    /**
     * A frame of bulk goes as it is.
     *
     * @param rate bytes a nanosecond that the link carries; 0 if that is not known
     * @return whether it is to be packed too, to learn from it
     */
    boolean wantsSample(double rate) {
        if (mode != Compression.AUTO || rate == 0) {
            return false;
        }
        boolean hopeless = measurements >= MEASUREMENTS_MIN && nanosPerByte * rate >= PAYS_BELOW;
        int wait = measurements == 0 ? 1 : hopeless ? FRAMES_PER_SAMPLE_HOPELESS : FRAMES_PER_SAMPLE;
        framesSinceSample++;
        if (framesSinceSample < wait) {
            return false;
        }
        framesSinceSample = 0;
        return true;
    }

    /** So many bytes were packed, and have become so many, in so much time. A time that is shorter than those before is believed: what stands still is the machine. */
    void measured(int before, int after, long nanos) {
        double newNanosPerByte = (double) nanos / before;
        double newRatio = (double) after / before;
        nanosPerByte += (measurements == 0 || newNanosPerByte < nanosPerByte ? 1 : WEIGHT) * (newNanosPerByte - nanosPerByte);
        ratio += (measurements == 0 ? 1 : WEIGHT) * (newRatio - ratio);
        measurements++;
    }

    /** Looks whether it pays, after {@link #measured}. @param rate bytes a nanosecond that the link carries; 0 if that is not known */
    void decide(double rate, long nowNanos) {
        if (mode != Compression.AUTO) {
            return;
        }
        boolean pays = rate > 0 && nanosPerByte * rate + ratio < PAYS_BELOW;
        if (pays) {
            on = true;
            failing = false;
        } else if (on && !failing) {
            failing = true;
            failingSinceNanos = nowNanos;
        } else if (on && nowNanos - failingSinceNanos >= OFF_AFTER_NANOS) {
            on = false;
            failing = false;
        }
    }
}
