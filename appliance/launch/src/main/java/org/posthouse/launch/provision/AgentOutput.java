package org.posthouse.launch.provision;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.posthouse.causes.Causes;

/**
 * The lines that the command of one host prints: shown with the host before them, and the last ones kept. Filled by the
 * thread that runs {@link #read}; any thread may ask for the last lines.
 */
final class AgentOutput {
    private static final int LINES_MAX = 20;
    private static final int LINE_BYTES_MAX = 4_096;

    private final UnaryOperator<String> label;
    private final Consumer<String> show;
    private final Deque<String> last = new ArrayDeque<>();

    AgentOutput(String host, Consumer<String> show) {
        this(line -> "[" + host + "] " + line, show);
    }

    /** @param label makes the shown line of a printed one */
    AgentOutput(UnaryOperator<String> label, Consumer<String> show) {
        this.label = label;
        this.show = show;
    }

    /** Reads to the end. A line that is too long is divided. */
    void read(InputStream from) {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        try (InputStream in = new BufferedInputStream(from)) {
            for (int next = in.read(); next >= 0; next = in.read()) {
                if (next != '\n') {
                    line.write(next);
                }
                if (next == '\n' || line.size() == LINE_BYTES_MAX) {
                    add(line);
                }
            }
            if (line.size() > 0) {
                add(line);
            }
        } catch (IOException e) {
            if (line.size() > 0) {
                add(line);
            }
            show.accept(label.apply("(its output ended: " + Causes.text(e) + ")"));
        }
    }

    private void add(ByteArrayOutputStream bytes) {
        String line = printable(bytes.toString(StandardCharsets.UTF_8).stripTrailing());
        bytes.reset();
        if (!line.isEmpty()) {
            synchronized (last) {
                if (last.size() == LINES_MAX) {
                    last.removeFirst();
                }
                last.addLast(line);
            }
        }
        show.accept(label.apply(line));
    }

    /** The last lines that were not empty, the newest last. */
    List<String> last() {
        synchronized (last) {
            return List.copyOf(last);
        }
    }

    /** Of another host, a line may not steer this one's terminal. */
    static String printable(String text) {
        return text.codePoints()
                .map(character -> Character.isISOControl(character) && character != '\t' || Character.getType(character) == Character.FORMAT ? '?' : character)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }
}
