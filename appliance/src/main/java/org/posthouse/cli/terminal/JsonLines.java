package org.posthouse.cli.terminal;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.encoder.EncoderBase;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;

/** Log events as objects, one a line: {@code time}, {@code level}, {@code logger}, {@code thread}, {@code message}, and {@code causes} of a failure. */
final class JsonLines extends EncoderBase<ILoggingEvent> {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSXXX").withZone(ZoneId.systemDefault());

    @Override
    public byte[] headerBytes() {
        return null; // As of an encoder without one.
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        ObjectNode line = JsonNodeFactory.instance.objectNode()
                .put("time", TIME.format(event.getInstant()))
                .put("level", event.getLevel().toString())
                .put("logger", event.getLoggerName())
                .put("thread", event.getThreadName())
                .put("message", event.getFormattedMessage());
        if (event.getThrowableProxy() != null) {
            ArrayNode causes = line.putArray("causes");
            for (IThrowableProxy failure = event.getThrowableProxy(); failure != null; failure = failure.getCause()) {
                causes.add(failure.getClassName() + (failure.getMessage() == null ? "" : ": " + failure.getMessage()));
            }
        }
        return (line + System.lineSeparator()).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public byte[] footerBytes() {
        return null; // As of an encoder without one.
    }
}
