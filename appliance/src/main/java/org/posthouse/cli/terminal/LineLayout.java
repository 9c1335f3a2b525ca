package org.posthouse.cli.terminal;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.pattern.ThrowableHandlingConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.core.CoreConstants;

/** Layouts of log lines: a message is one line, and so is each cause, whatever peers have put into them. */
public final class LineLayout {
    private LineLayout() {}

    /** A layout that knows {@code %oneLine} and {@code %failure}. */
    public static PatternLayout of(LoggerContext context, String pattern) {
        PatternLayout layout = new PatternLayout();
        layout.setContext(context);
        layout.getInstanceConverterMap().put("oneLine", OneLineConverter::new);
        layout.getInstanceConverterMap().put("failure", FailureConverter::new);
        layout.setPattern(pattern);
        layout.start();
        return layout;
    }

    private static final class OneLineConverter extends ClassicConverter {
        @Override
        public String convert(ILoggingEvent event) {
            return OneLine.of(event.getFormattedMessage());
        }
    }

    /** The failure with its place, and each of its causes: a line each. */
    private static final class FailureConverter extends ThrowableHandlingConverter {
        @Override
        public String convert(ILoggingEvent event) {
            StringBuilder lines = new StringBuilder();
            for (IThrowableProxy failure = event.getThrowableProxy(); failure != null; failure = failure.getCause()) {
                StackTraceElementProxy[] trace = failure.getStackTraceElementProxyArray();
                String what = failure.getClassName() + (failure.getMessage() == null ? "" : ": " + failure.getMessage());
                lines.append(lines.isEmpty() ? "" : "Caused by: ").append(OneLine.of(what + (trace.length == 0 ? "" : " " + trace[0])))
                        .append(CoreConstants.LINE_SEPARATOR);
            }
            return lines.toString();
        }
    }
}
