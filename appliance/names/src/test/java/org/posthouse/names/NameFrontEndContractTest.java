package org.posthouse.names;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;

/** A front end keeps the contract of the back end behind it. */
final class NameFrontEndContractTest extends NameServiceContract {
    private final ExecutorService executor = Executors.newSingleThreadExecutor();

    private final NameFrontEnd frontEnd = new NameFrontEnd(new MemoryNames(), "site-a", new Alarm() {
        @Override
        public void after(long millis, Runnable work) {
            throw new AssertionError("memory always answers");
        }

        @Override
        public long now() {
            return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
        }
    }, executor, why -> {});

    @Override
    protected NameService names() {
        return frontEnd;
    }

    @AfterEach
    void close() {
        frontEnd.close();
        executor.close();
    }
}
