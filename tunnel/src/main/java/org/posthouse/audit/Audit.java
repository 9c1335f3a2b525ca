package org.posthouse.audit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The audit log: a separate logger, {@value #LOGGER}. Each event is one line, never with a secret in it. Thread-safe.
 *
 * <p>Strangers can cause refusals. So callers that report them limit the rate, and report how many were omitted.
 */
public final class Audit {
    /** The logger's name. */
    public static final String LOGGER = "posthouse.audit";

    private static final Logger LOG = LoggerFactory.getLogger(LOGGER);

    private Audit() {}

    /**
     * Logs a refusal.
     *
     * @param relay the relay, or the part of the process
     * @param what  who, where and why, in one line
     */
    public static void refused(String relay, String what) {
        LOG.info("refused {}: {}", relay, what);
    }

    /**
     * Logs a change.
     *
     * @param relay the relay, or the part of the process
     * @param what  what, and by whom, in one line
     */
    public static void changed(String relay, String what) {
        LOG.info("changed {}: {}", relay, what);
    }
}
