package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Fails a test class whose tests lost a buffer: every buffer is tracked, and what was collected unreleased counts. */
public final class LeakWatch implements BeforeAllCallback, AfterAllCallback {
    private static final int COLLECTIONS = 3;

    private final ListAppender<ILoggingEvent> reports = new ListAppender<>();
    private final Logger logger = TestLog.logger(ResourceLeakDetector.class);

    @Override
    public void beforeAll(ExtensionContext context) {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        reports.list = new CopyOnWriteArrayList<>(); // Any thread may report.
        reports.start();
        logger.addAppender(reports);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            // Each allocation makes the detector report what was collected before.
            PooledByteBufAllocator.DEFAULT.directBuffer(1).release();
        }
        logger.detachAppender(reports);
        List<String> leaks = reports.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
        assertThat(leaks).as("buffers that were never released").isEmpty();
    }
}
