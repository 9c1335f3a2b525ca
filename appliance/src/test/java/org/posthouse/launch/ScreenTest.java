package org.posthouse.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lines for a stream that takes nothing, on fake time. */
class ScreenTest {
    private final List<String> tried = new ArrayList<>();
    private final List<String> complaints = new ArrayList<>();
    private boolean full = true;
    private long nowNs = Long.MAX_VALUE;

    private final Screen screen = new Screen(new OutputStream() {
        @Override
        public void write(int octet) {
            throw new AssertionError("a line is one write");
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            tried.add(new String(bytes, from, length, StandardCharsets.UTF_8));
            if (full) {
                throw new IOException("No space left on device");
            }
        }
    }, () -> nowNs, complaints::add);

    private void show(String line) {
        screen.show(line.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aStreamThatTakesNothingIsTriedOnceASecond() {
        show("1");
        show("2");
        nowNs += Screen.PAUSE_NS - 1;
        show("3");
        nowNs += 1;
        show("4");
        show("5");
        assertThat(tried).containsExactly("1", "\n4");
        assertThat(complaints).containsExactly("No space left on device");
        full = false;
        nowNs += Screen.PAUSE_NS;
        show("6");
        show("7");
        assertThat(tried).as("behind what there was room for of another").endsWith("\n6", "7");
        assertThat(complaints).hasSize(1);
    }
}
