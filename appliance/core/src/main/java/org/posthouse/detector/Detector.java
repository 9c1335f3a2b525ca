package org.posthouse.detector;

import java.util.random.RandomGenerator;
import org.posthouse.wire.DetectorMessage;

/** A host's detector. Confined to its owner. It accuses nobody by itself: it asks the relay of a silent host. */
public interface Detector {
    /** A detector that is not {@link DetectorProtocol#NONE}. */
    static Detector of(DetectorSettings settings, DetectorPort port, RandomGenerator random) {
        return settings.protocol() == DetectorProtocol.SWIM ? new SwimDetector(settings, port, random) : new GossipDetector(settings, port, random);
    }

    /** Sets when round 0 began, on the host's own clock. Called again when the clocks have been compared anew. */
    void origin(long originNanos);

    /**
     * Sets which hosts are watched from a round on. All hosts have to be told so before that round begins.
     *
     * @param living numbers of hosts, rising, this host among them
     */
    void view(long fromRound, int[] living);

    /** Does what is due. */
    void tick(long nowNanos);

    /** When {@link #tick} is to be called next. A much later call shows that this host stood still. */
    long wakeNanos();

    void onMessage(int from, DetectorMessage message, long nowNanos);

    /** The relay of {@code host} has decided. One that is dead is watched no more, and its view follows. */
    void onVerdict(int host, boolean isDead, long nowNanos);
}
