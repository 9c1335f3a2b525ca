package org.posthouse.audit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The events by which an operator follows a relay: a job opened or ended, a rank lost or restarted, a link up or down. A
 * separate logger, {@value #LOGGER}, which {@code posthouse relay} shows. One line each. Thread-safe.
 */
public final class Lifecycle {
    /** The logger's name. */
    public static final String LOGGER = "posthouse.events";

    private static final Logger LOG = LoggerFactory.getLogger(LOGGER);

    private Lifecycle() {}

    /**
     * Logs an event.
     *
     * @param relay the relay
     * @param what what happened, in one line
     */
    public static void event(String relay, String what) {
        LOG.info("{}: {}", relay, what);
    }
}
