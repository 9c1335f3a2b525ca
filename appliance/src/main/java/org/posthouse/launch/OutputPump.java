package org.posthouse.launch;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

/** Copies one stream of one rank, line by line, on a thread of its own, until the stream ends. */
final class OutputPump {
    /** A line longer than this is passed on in pieces, so that a program that never ends a line needs no memory here. */
    private static final int LINE_BYTES_MAX = 64 * 1024;

    private static final Duration LAST_BYTES = Duration.ofSeconds(3);

    private final InputStream from;
    private final PrintStream to;
    private final byte[] tag;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private Thread thread;

    private OutputPump(InputStream from, PrintStream to, byte[] tag) {
        this.from = from;
        this.to = to;
        this.tag = tag;
    }

    static OutputPump start(String name, InputStream from, PrintStream to, byte[] tag) {
        OutputPump pump = new OutputPump(from, to, tag);
        pump.thread = Thread.ofVirtual().name(name).start(pump::run);
        return pump;
    }

    /** Waits until the last byte was passed on; not for ever, as the rank may have left the stream to a child. */
    void await() throws InterruptedException {
        thread.join(LAST_BYTES);
    }

    private void run() {
        byte[] buffer = new byte[8 * 1024];
        try (from) {
            for (int count = from.read(buffer); count >= 0; count = from.read(buffer)) {
                take(buffer, count);
            }
        } catch (IOException e) {
            // A killed process takes its streams with it; what came before has been passed on.
            line.writeBytes(("(output ended: " + e.getMessage() + ")").getBytes(StandardCharsets.UTF_8));
        }
        if (line.size() > 0) {
            line.write('\n');
            pass();
        }
    }

    private void take(byte[] buffer, int count) {
        int start = 0;
        for (int at = 0; at < count; at++) {
            if (buffer[at] == '\n' || line.size() + at - start >= LINE_BYTES_MAX) {
                line.write(buffer, start, at + 1 - start);
                if (buffer[at] != '\n') {
                    line.write('\n');
                }
                pass();
                start = at + 1;
            }
        }
        line.write(buffer, start, count - start);
    }

    private void pass() {
        byte[] bytes = line.toByteArray();
        byte[] tagged = Arrays.copyOf(tag, tag.length + bytes.length);
        System.arraycopy(bytes, 0, tagged, tag.length, bytes.length);
        to.write(tagged, 0, tagged.length);
        to.flush();
        line.reset();
    }
}
