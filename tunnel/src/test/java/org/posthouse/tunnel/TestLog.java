package org.posthouse.tunnel;

import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import org.slf4j.LoggerFactory;

/** Loggers that tests listen to. Stateless. */
final class TestLog {
    private TestLog() {}

    /** Classes run side by side: while the first of them has the log set up, the others would be given something that stands in for a logger. */
    static Logger logger(String name) {
        await().until(() -> LoggerFactory.getILoggerFactory() instanceof LoggerContext);
        return (Logger) LoggerFactory.getLogger(name);
    }

    static Logger logger(Class<?> owner) {
        return logger(owner.getName());
    }
}
