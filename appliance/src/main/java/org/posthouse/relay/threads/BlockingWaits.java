package org.posthouse.relay.threads;

import io.vertx.core.Future;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.posthouse.causes.Causes;

/** Waits for futures on threads that may block, such as a process's main thread. */
public final class BlockingWaits {
    private BlockingWaits() {}

    /** @throws IOException in one line, if the future fails or takes longer */
    public static <T> T await(Future<T> future, long secondsMax) throws IOException {
        try {
            return future.await(secondsMax, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IOException(Causes.text(e), e);
        }
    }
}
