package org.posthouse.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The progress bar. */
class TerminalProgressTest {
    private final ByteArrayOutputStream terminal = new ByteArrayOutputStream();

    private String shown(boolean isTerminal) {
        try (TerminalProgress progress =
                new TerminalProgress(new PrintStream(terminal, true, StandardCharsets.UTF_8), isTerminal)) {
            progress.show("bcast 1k", 1, 3);
            progress.show("bcast 64k", 3, 3);
        }
        return terminal.toString(StandardCharsets.UTF_8);
    }

    @Test
    void redrawsOneLineAndLeavesItEmpty() {
        assertThat(shown(true))
                .isEqualTo("\r\u001b[K[##########                    ]  33 % bcast 1k"
                        + "\r\u001b[K[##############################] 100 % bcast 64k\r\u001b[K");
    }

    @Test
    void printsNothingElsewhere() {
        assertThat(shown(false)).isEmpty();
    }
}
