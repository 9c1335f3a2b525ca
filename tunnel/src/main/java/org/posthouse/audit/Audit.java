package org.posthouse.audit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The audit log: a logger of its own, {@value #LOGGER}. One line each, never with a secret in it. Thread-safe.
 *
 * <p>Whoever tells of refusals bounds their rate and says how many he has left out, as strangers cause them.
 */
public final class Audit {
    /** The logger's name. */
    public static final String LOGGER = "posthouse.audit";

    private static final Logger LOG = LoggerFactory.getLogger(LOGGER);

    private Audit() {}

    /**
     * Somebody was refused.
     *
     * @param relay which relay, or what of the process
     * @param what  who, where and why, in one line
     */
    public static void refused(String relay, String what) {
        LOG.info("refused {}: {}", relay, what);
    }

    /**
     * Something was changed.
     *
     * @param relay which relay, or what of the process
     * @param what  what, and by whom, in one line
     */
    public static void changed(String relay, String what) {
        LOG.info("changed {}: {}", relay, what);
    }
}
