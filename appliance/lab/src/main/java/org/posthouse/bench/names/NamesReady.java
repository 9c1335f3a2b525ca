package org.posthouse.bench.names;

import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.posthouse.names.Name;
import org.posthouse.names.NameService;

/** Waits until a back end that was just started answers. Stateless. */
final class NamesReady {
    private static final int SECONDS_MAX = 60;
    private static final int PAUSE_MS = 200;

    private NamesReady() {}

    /** @throws IOException if it does not */
    static void await(NameService names, String what) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
        while (true) {
            try {
                names.lookup(Name.parse("ready")).toCompletableFuture().get(SECONDS_MAX, TimeUnit.SECONDS);
                return;
            } catch (ExecutionException | TimeoutException e) {
                if (System.nanoTime() > end) {
                    throw new IOException(what + " do not answer within " + SECONDS_MAX + " s: " + e.getMessage(), e);
                }
            }
            Thread.sleep(PAUSE_MS);
        }
    }
}
