package org.posthouse.bench.detectors;

import java.util.random.RandomGenerator;
import org.posthouse.detector.Detector;
import org.posthouse.detector.DetectorPort;
import org.posthouse.detector.DetectorSettings;
import org.posthouse.wire.DetectorMessage;

/** A host with a clock of its own and a detector. */
final class SimulatedHost extends PausableProcess {
    /** Hosts' clocks begin anywhere within this time. */
    private static final long OFFSET_NANOS_MAX = 1_000_000_000_000L;

    private final VirtualTime time;
    private final int site;
    private final long offsetNanos;
    private final double drift;
    private final Detector detector;
    private long wakeAtNanos = Long.MAX_VALUE;
    private long messages;
    private long bytes;

    SimulatedHost(VirtualTime time, RandomGenerator random, NetworkConditions conditions, int site, DetectorSettings settings, DetectorPort port) {
        super(time, random, conditions);
        this.time = time;
        this.site = site;
        this.offsetNanos = random.nextLong(OFFSET_NANOS_MAX);
        this.drift = conditions.drift() * (2 * random.nextDouble() - 1);
        this.detector = Detector.of(settings, port, random);
    }

    int site() {
        return site;
    }

    private long localNanos() {
        return offsetNanos + time.now() + (long) (drift * time.now());
    }

    /** The host learns how long ago the rounds began, a message's way later. */
    void synchronize(long elapsedNanos) {
        detector.origin(localNanos() - elapsedNanos);
    }

    void view(long fromRound, int[] living) {
        detector.view(fromRound, living);
    }

    void tick() {
        wakeAtNanos = Long.MAX_VALUE;
        detector.tick(localNanos());
        wakeLater();
    }

    private void wakeLater() {
        long at = (long) Math.ceil((detector.wakeNanos() - offsetNanos) / (1 + drift)) + 1;
        if (at < wakeAtNanos) {
            wakeAtNanos = at;
            time.at(at, () -> run(() -> {
                if (wakeAtNanos <= time.now()) {
                    tick();
                }
            }));
        }
    }

    void onMessage(int from, DetectorMessage message) {
        detector.onMessage(from, message, localNanos());
        wakeLater();
    }

    void onVerdict(int host, boolean isDead) {
        detector.onVerdict(host, isDead, localNanos());
        wakeLater();
    }

    /** Counts a message that it sends. */
    void count(DetectorMessage message) {
        messages++;
        bytes += DetectorMessage.FRAME_HEADER_BYTES + message.bytes();
    }

    long messages() {
        return messages;
    }

    long bytes() {
        return bytes;
    }
}
