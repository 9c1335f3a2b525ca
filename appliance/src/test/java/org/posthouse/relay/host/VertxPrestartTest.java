package org.posthouse.relay.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.relay.config.EventLoopKind;
import org.posthouse.relay.config.SocketKind;

/** One Vert.x is begun early, and goes to the first who wants such a one. */
@Timeout(120)
final class VertxPrestartTest {
    private final Vertx early = EmbeddedGrid.vertx();

    @AfterEach
    void close() {
        early.close().await();
    }

    @Test
    void goesToTheFirstAlone() {
        VertxPrestart.begin(() -> early);
        VertxPrestart.begin(() -> {
            throw new AssertionError("one is begun");
        });
        assertThat(VertxPrestart.take(EventLoopKind.DEFAULT)).isSameAs(early);
        assertIsAnother(EventLoopKind.DEFAULT);
    }

    private void assertIsAnother(EventLoopKind kind) {
        Vertx vertx = VertxPrestart.take(kind);
        assertThat(vertx).isNotSameAs(early);
        vertx.close().await();
    }

    @Test
    void closesPrestartedVertxIfAnotherKindIsWanted() {
        VertxPrestart.begin(() -> early);
        assertIsAnother(new EventLoopKind(SocketKind.NIO, 10));
        ((VertxInternal) early).closeFuture().future().await();
    }

    @Test
    void createsVertxAgainAfterFailedPrestart() {
        VertxPrestart.begin(() -> {
            throw new IllegalStateException("no file descriptor is free");
        });
        assertIsAnother(EventLoopKind.DEFAULT);
    }
}
