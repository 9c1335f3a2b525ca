package org.posthouse.tunnel;

import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of links while the name server does not answer. */
@ExtendWith(LeakWatch.class)
@Timeout(120)
public class LinkNamesTest {
    @TempDir
    private Path folder;

    @Test
    void aPeerThatIsGivenByItsNumberDoesNotWaitForTheNamesOfOthers() throws Exception {
        Vertx vertx = Vertx.vertx();
        CountDownLatch answered = new CountDownLatch(1);
        vertx.createSharedWorkerExecutor(Links.NAMES, 1).executeBlocking(() -> {
            answered.await();
            return null;
        });
        TestGrid grid = new TestGrid(folder);
        TestRelay b = new TestRelay(vertx, grid.listening("b", 1)).start();
        TestRelay a = new TestRelay(vertx, grid.config("a", 1).peer("b", "127.0.0.1:" + b.links.port())).start();
        try {
            await().atMost(Duration.ofSeconds(30)).until(() -> a.isUp("b"));
        } finally {
            answered.countDown();
            a.close();
            b.close();
            vertx.close().await(60, TimeUnit.SECONDS);
        }
    }
}
