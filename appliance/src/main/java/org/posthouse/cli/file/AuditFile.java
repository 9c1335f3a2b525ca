package org.posthouse.cli.file;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.util.Duration;
import ch.qos.logback.core.util.FileSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.posthouse.audit.Audit;
import org.posthouse.causes.Causes;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.terminal.LineLayout;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;

/**
 * Where a relay's audit log goes: a file in its data folder that only its user may read, and those that were full. Bounded: {@link #FILES} files of
 * {@link #FILE_BYTES}. A disk that takes nothing costs lines, never the relay. Whoever configures Logback himself has the logger
 * {@value Audit#LOGGER} go where he says.
 */
public final class AuditFile {
    static final int FILES = 5;
    static final long FILE_BYTES = 4 << 20;

    private static final String PATTERN = "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %oneLine%n";

    private AuditFile() {}

    /** {@code audit.log}, or {@code audit-NAME.log} where the log has a name. */
    public static Path of(Path logFolder) {
        String log = logFolder.getFileName().toString();
        return logFolder.resolveSibling("audit" + log.substring("log".length()) + ".log");
    }

    /** Has the audit log written there from now on. */
    public static void open(Path file) throws CommandFailure {
        ILoggerFactory loggers = LoggerFactory.getILoggerFactory();
        if (!(loggers instanceof LoggerContext context) || System.getProperty("logback.configurationFile") != null) {
            return;
        }
        create(file);
        Logger logger = context.getLogger(Audit.LOGGER);
        logger.detachAndStopAllAppenders();
        logger.setAdditive(false);
        logger.setLevel(Level.INFO);
        logger.addAppender(appender(context, file));
    }

    private static void create(Path file) throws CommandFailure {
        Path folder = file.toAbsolutePath().getParent();
        try {
            if (!Files.isDirectory(folder)) {
                Files.createDirectories(folder);
            }
            createPrivate(file);
        } catch (IOException e) {
            if (!mayWrite(folder)) {
                throw new CommandFailure(
                        "the data folder " + folder + " cannot be written: " + Causes.text(e) + "; give --data a folder that this user may write", e);
            }
            return; // A full disk: the relay itself waits for room.
        }
        if (!Files.isWritable(file)) {
            throw new CommandFailure("the audit log " + file + " cannot be written: give its user the right to, or give --data another folder");
        }
    }

    /** It would be what the process's mask says otherwise. */
    private static void createPrivate(Path file) throws IOException {
        if (!Files.exists(file)) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
    }

    /** Whether this process has the right to write there: if it cannot, it is for want of room. */
    static boolean mayWrite(Path folder) {
        return Files.isDirectory(folder) && Files.isWritable(folder);
    }

    private static RollingFileAppender<ILoggingEvent> appender(LoggerContext context, Path file) {
        RollingFileAppender<ILoggingEvent> appender = new PrivateFiles();
        appender.setContext(context);
        appender.setName("AUDIT");
        appender.setFile(file.toString());
        FixedWindowRollingPolicy window = new FixedWindowRollingPolicy();
        window.setContext(context);
        window.setParent(appender);
        window.setFileNamePattern(file + ".%i");
        window.setMinIndex(1);
        window.setMaxIndex(FILES - 1);
        window.start();
        SizeBasedTriggeringPolicy<ILoggingEvent> size = new SizeBasedTriggeringPolicy<>();
        size.setContext(context);
        size.setMaxFileSize(new FileSize(FILE_BYTES));
        size.setCheckIncrement(Duration.buildByMilliseconds(0)); // A line is rare, and asking for a file's length cheap: else it may grow for a minute.
        size.start();
        PatternLayout layout = LineLayout.of(context, PATTERN);
        LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setContext(context);
        encoder.setLayout(layout);
        encoder.start();
        appender.setEncoder(encoder);
        appender.setRollingPolicy(window);
        appender.setTriggeringPolicy(size);
        appender.start();
        return appender;
    }

    /** Each file that it begins is its user's alone. */
    private static final class PrivateFiles extends RollingFileAppender<ILoggingEvent> {
        @Override
        public void openFile(String name) throws IOException {
            createPrivate(Path.of(name));
            super.openFile(name);
        }
    }
}
