package org.posthouse.cli;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

/** What is said of consoles that cannot be asked. */
class ConsoleClientTest {
    /** Resolvers know such names, and HTTP does not. */
    @Test
    void aHostThatNoUrlMayNameIsOneLine() {
        assertThatExceptionOfType(CommandFailure.class)
                .isThrownBy(() -> new ConsoleClient(new HostPort("my_host", 7413)).get("/readyz"))
                .withMessage("the console at my_host:7413 cannot be asked: the host of a URL has letters, digits, hyphens and dots; name it with --ops by its address");
    }
}
