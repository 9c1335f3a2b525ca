package org.posthouse.mpj.blocked;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.mpj.LocalEndpoint;

@Timeout(30)
final class StallDetectorTest {
    private final Semaphore looks = new Semaphore(0);
    private final StallDetector watch = new StallDetector(looks::release);

    private WeakReference<CollectivePosition> watched() throws InterruptedException {
        CollectivePosition collectivePosition = LocalEndpoint.unwatched();
        watch.add(collectivePosition);
        looks.acquire(); // It is among those that are looked at.
        return new WeakReference<>(collectivePosition);
    }

    /** A program may make a communicator in each step of a month. */
    @Test
    void aPresenceThatNobodyHasAnyMoreIsForgottenBetweenTwoLooks() throws Exception {
        WeakReference<CollectivePosition> freed = watched();
        while (freed.get() != null) {
            assertThat(Thread.currentThread().isInterrupted()).as("it takes too long").isFalse();
            System.gc();
        }
        watch.stop();
    }
}
