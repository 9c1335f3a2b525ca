package org.posthouse.relay.threads;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.internal.threadchecker.BlockedThreadEvent;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a relay says of its threads on a host that is too busy. */
class BlockedThreadReporterTest {
    private static BlockedThreadEvent still(long ms) {
        long limit = TimeUnit.SECONDS.toNanos(2);
        return new BlockedThreadEvent(new Thread("vert.x-eventloop-thread-0"), TimeUnit.MILLISECONDS.toNanos(ms), limit, 2 * limit);
    }

    @Test
    void tellsOnceAMinute() {
        BlockedThreadReporter watch = new BlockedThreadReporter();
        long begin = -TimeUnit.SECONDS.toNanos(30);
        assertThat(watch.line(still(2_389), begin)).hasValueSatisfying(
                line -> assertThat(line).startsWith("vert.x-eventloop-thread-0 stands still for 2 s: this host is too busy").doesNotContain("\n"));
        for (long seconds = 1; seconds < 60; seconds++) {
            assertThat(watch.line(still(2_389 + seconds * 1_000), begin + TimeUnit.SECONDS.toNanos(seconds))).isEmpty();
        }
        assertThat(watch.line(still(62_389), begin + TimeUnit.MINUTES.toNanos(1))).hasValueSatisfying(line -> assertThat(line).contains("for 62 s"));
    }

    @Test
    void saysOfACommandOnce() {
        BlockedThreadReporter watch = BlockedThreadReporter.once();
        assertThat(watch.line(still(2_389), 0)).isPresent();
        assertThat(watch.line(still(2_389), TimeUnit.HOURS.toNanos(1))).isEmpty();
    }

    /** Ctrl-Z, and fg more than a minute later. */
    @Test
    void timeInWhichTheProcessWasStoppedDoesNotCount() {
        BlockedThreadReporter watch = new BlockedThreadReporter();
        assertThat(watch.line(still(77_000), 0)).isEmpty();
        assertThat(watch.line(still(78_000), 0)).isEmpty();
        assertThat(watch.line(still(79_100), 0)).hasValueSatisfying(line -> assertThat(line).contains("for 2 s"));
    }
}
