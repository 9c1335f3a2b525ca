package org.posthouse.cli.top;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jline.terminal.Attributes;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStyle;
import org.jline.utils.Display;
import org.jline.utils.InfoCmp.Capability;
import org.jline.utils.NonBlockingReader;

/**
 * The terminal while {@code top} has it: a screen of its own, without an echo of keys. {@link #close} gives it back as it was. Confined to the command's
 * thread, but for the signal of Ctrl-C.
 */
final class TopTerminal implements AutoCloseable {
    /** Lines of a page that can be scrolled to. */
    static final int LINES_MAX = 500;

    private static final String KEYS = "g grid  r ranks  n nodes  e events  arrows  space hold  q quit";
    private static final int ESCAPE = 27;
    private static final int ESCAPE_MS = 50;
    private static final int NS_PER_MS = 1_000_000;

    private final Terminal terminal;
    private final Attributes before;
    private final Display display;
    private final boolean colours = System.getenv("NO_COLOR") == null || System.getenv("NO_COLOR").isEmpty();

    private TopView view;
    private int job;
    private int firstLine;
    private boolean held;

    /** Written by the signal's thread, read by the command's. */
    private volatile boolean interrupted;

    private TopTerminal(Terminal terminal, TopView view) {
        this.terminal = terminal;
        this.view = view;
        this.before = terminal.enterRawMode();
        this.display = new Display(terminal, true);
    }

    static TopTerminal open(TopView view) throws IOException {
        TopTerminal opened = new TopTerminal(TerminalBuilder.builder().system(true).dumb(false).provider("ffm").nativeSignals(true).build(), view);
        opened.take();
        return opened;
    }

    private void take() {
        terminal.handle(Terminal.Signal.INT, signal -> interrupted = true);
        terminal.puts(Capability.enter_ca_mode);
        terminal.puts(Capability.keypad_xmit);
        terminal.puts(Capability.cursor_invisible);
        terminal.flush();
    }

    TopView view() {
        return view;
    }

    /** How many jobs to the right of the first; may be negative. */
    int job() {
        return job;
    }

    /** Whether the page is to stay as it is. */
    boolean isHeld() {
        return held;
    }

    boolean isInterrupted() {
        return interrupted;
    }

    /**
     * Shows a page, and handles keys until the next one is due: after {@code every}, or at once when another view is chosen.
     *
     * @return whether there is to be a next page
     */
    boolean showUntilNext(List<String> page, Duration every) throws IOException {
        long beganNs = System.nanoTime();
        while (!interrupted) {
            draw(page);
            long leftMs = (every.toNanos() - (System.nanoTime() - beganNs)) / NS_PER_MS;
            if (leftMs <= 0) {
                return true;
            }
            int key = terminal.reader().read(Math.min(leftMs, ESCAPE_MS * 2L));
            if (key == 'q' || key == NonBlockingReader.EOF) {
                return false;
            }
            if (key >= 0 && isChoice(key == ESCAPE ? arrow() : key, page.size())) {
                return true;
            }
        }
        return false;
    }

    /** The key behind an escape: {@code A} to {@code D} as up, down, right and left, {@code 5} and {@code 6} as page up and down. */
    private int arrow() throws IOException {
        int bracket = terminal.reader().read(ESCAPE_MS);
        int key = bracket == '[' || bracket == 'O' ? terminal.reader().read(ESCAPE_MS) : bracket;
        if (key == '5' || key == '6') {
            terminal.reader().read(ESCAPE_MS); // The tilde.
        }
        return key;
    }

    /** Handles a key. @return whether another page is asked for by it */
    private boolean isChoice(int key, int lines) {
        for (TopView each : TopView.values()) {
            if (key == each.key()) {
                view = each;
                firstLine = 0;
                held = false;
                return true;
            }
        }
        int rows = rows();
        switch (key) {
            case ' ' -> held = !held;
            case 'A' -> firstLine--;
            case 'B' -> firstLine++;
            case '5' -> firstLine -= rows;
            case '6' -> firstLine += rows;
            case 'C', 'D' -> {
                job += key == 'C' ? 1 : -1;
                return true;
            }
            default -> {} // No key of this page.
        }
        firstLine = Math.clamp(firstLine, 0, Math.max(0, lines - rows));
        return false;
    }

    /** Rows for the page: all but that of the keys. */
    private int rows() {
        return Math.max(1, terminal.getSize().getRows() - 1);
    }

    private void draw(List<String> page) {
        Size size = terminal.getSize();
        display.resize(size.getRows(), size.getColumns());
        List<AttributedString> drawn = new ArrayList<>();
        page.stream().skip(firstLine).limit(rows()).forEach(line -> drawn.add(styled(line).columnSubSequence(0, size.getColumns())));
        while (drawn.size() < rows()) {
            drawn.add(AttributedString.EMPTY);
        }
        String foot = view.title() + (held ? ", held" : "") + "  |  " + KEYS;
        drawn.add(new AttributedString(foot, AttributedStyle.DEFAULT.inverse()).columnSubSequence(0, size.getColumns()));
        display.update(drawn, 0);
    }

    private AttributedString styled(String line) {
        AttributedStyle style = AttributedStyle.DEFAULT;
        if (line.startsWith(TopPage.PROBLEM)) {
            style = colours ? style.foreground(AttributedStyle.RED).bold() : style.bold();
        } else if (line.startsWith(TopPage.HEAD)) {
            style = style.bold();
        }
        return new AttributedString(line, style);
    }

    @Override
    public void close() throws IOException {
        terminal.puts(Capability.cursor_visible);
        terminal.puts(Capability.keypad_local);
        terminal.puts(Capability.exit_ca_mode);
        terminal.flush();
        terminal.setAttributes(before);
        terminal.close();
    }
}
