package org.posthouse.tunnel;

/**
 * Decides whether the bulk of one direction of a link is packed (docs/links.md, compression). Confined to its link;
 * pure: the caller passes time and measurements.
 *
 * <p>Packing pays when packing a byte and sending the packed rest takes less than {@link #PAYS_BELOW} of the time to
 * send it unpacked:
 * <pre>
 *   nanosPerByte + ratio / rate  &lt;  0.9 / rate
 * </pre>
 * Samples show this while packing is off, and all packed frames while it is on. The rate is the link's own and is known
 * only when the link is full; otherwise packing gains nothing. Packing begins at once and ends when it has not paid for
 * {@link #OFF_AFTER_NANOS}.
 */
final class PackingRule {
    /** Upper bound of the ratio that pays; a gain of one percent is not worth a processor. */
    private static final double PAYS_BELOW = 0.9;

    /**
     * Bulk frames per sample. It is a prime, because channels take turns; with 64, all samples would be of one of two
     * channels.
     */
    static final int FRAMES_PER_SAMPLE = 61;

    /** Bulk frames per sample on a link so fast that packing would not pay even if nothing remained. */
    static final int FRAMES_PER_SAMPLE_HOPELESS = 4_093;

    static final long OFF_AFTER_NANOS = 1_000_000_000L;

    /** Weight of a new measurement; effectively the last eight count. */
    private static final double WEIGHT = 1.0 / 8;

    /** Minimum number of measurements, because the first ones time cold code. */
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
     * Called for a bulk frame that is sent unpacked.
     *
     * @param rate of the link in bytes a nanosecond; 0 if unknown
     * @return whether to pack the frame as a sample as well
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

    /**
     * Notes that {@code before} bytes were packed into {@code after} bytes in {@code nanos}. A time shorter than
     * earlier ones is adopted at once, because only the machine makes times longer.
     */
    void measured(int before, int after, long nanos) {
        double newNanosPerByte = (double) nanos / before;
        double newRatio = (double) after / before;
        nanosPerByte += (measurements == 0 || newNanosPerByte < nanosPerByte ? 1 : WEIGHT) * (newNanosPerByte - nanosPerByte);
        ratio += (measurements == 0 ? 1 : WEIGHT) * (newRatio - ratio);
        measurements++;
    }

    /**
     * Decides again after {@link #measured}.
     *
     * @param rate of the link in bytes a nanosecond; 0 if unknown
     */
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
