package org.posthouse.launch.place;

import org.posthouse.detector.DetectorProtocol;

/**
 * How the hosts of a job watch each other.
 *
 * @param periodMs length of a round
 */
public record DetectorRequest(DetectorProtocol protocol, int periodMs) {
    /** The chapter's T. */
    public static final int PERIOD_MS = 500;

    /** They do not: relays and launcher notice closed connections. */
    public static final DetectorRequest NONE = new DetectorRequest(DetectorProtocol.NONE, PERIOD_MS);
}
