package org.posthouse.cli.terminal;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import org.slf4j.LoggerFactory;

/** The log lines of this process on standard error. A user's own configuration of Logback is left as it is. Stateless. */
public final class LogOutput {
    /** Of the appender. */
    private static final String NAME = "STDERR";

    /** With the zone: lines of several hosts are put together. Some messages contain text from peers, which stays in one line. */
    private static final String PATTERN = "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level %oneLine%n%failure";

    private LogOutput() {}

    /** Text on standard error, for all loggers. */
    public static void install(LoggerContext context) {
        ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
        console.setContext(context);
        console.setName(NAME);
        console.setTarget("System.err");
        console.setEncoder(text(context));
        console.start();
        context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(console);
    }

    /** Objects in place of text from now on. */
    public static void useJson() {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context
                && context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender(NAME) instanceof ConsoleAppender<ILoggingEvent> console) {
            JsonLines json = new JsonLines();
            json.setContext(context);
            json.start();
            console.setEncoder(json);
        }
    }

    /** Has the events of this logger shown that are no faults. Does nothing if the user configures Logback. */
    public static void showEvents(String logger) {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context && System.getProperty("logback.configurationFile") == null) {
            context.getLogger(logger).setLevel(Level.INFO);
        }
    }

    /** Lines for people: an event is one, and so is each cause of its failure. */
    public static Encoder<ILoggingEvent> text(LoggerContext context) {
        PatternLayout layout = LineLayout.of(context, PATTERN);
        LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setContext(context);
        encoder.setLayout(layout);
        encoder.start();
        return encoder;
    }
}
