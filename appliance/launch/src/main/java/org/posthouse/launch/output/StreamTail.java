package org.posthouse.launch.output;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Optional;
import org.posthouse.wire.JobReport;

/**
 * The newest bytes of one stream that were not taken yet. Adding copies bytes and does nothing else, as it is on the way of
 * the output; lines are made when they are taken. Thread-safe.
 */
final class StreamTail {
    static final int LINES_MAX = 200;

    /** Longest line in characters; a longer one is cut, and ends with {@link #CUT}. */
    static final int LINE_CHARS_MAX = 1_000;

    static final String CUT = "…";
    private static final int BYTES_FIRST = 256;
    private static final char NO_CHARACTER = '\uFFFD';

    private final int bytesMax;
    private byte[] bytes = new byte[BYTES_FIRST];
    private int size;
    private long skipped;

    /** Whether the first line in {@link #bytes} lacks its beginning. */
    private boolean isCut;

    /** @param skipped lines that were left out before @param text whole lines, each with its newline */
    record Lines(long skipped, String text) {}

    StreamTail(int bytesMax) {
        this.bytesMax = bytesMax;
    }

    synchronized void add(byte[] from, int first, int count) {
        int newest = Math.min(count, bytesMax);
        if (size + newest > 2 * bytesMax || newest < count) {
            leaveOut(Math.max(0, size - (bytesMax - newest)), from, first, count - newest);
        }
        if (size + newest > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.min(2 * bytesMax, Math.max(2 * bytes.length, size + newest)));
        }
        System.arraycopy(from, first + count - newest, bytes, size, newest);
        size += newest;
    }

    /** Leaves out the first bytes that are there, and then those that come before the newest. */
    private void leaveOut(int there, byte[] from, int first, int count) {
        skipped += newlines(bytes, 0, there) + newlines(from, first, count);
        if (count > 0) {
            isCut = from[first + count - 1] != '\n';
        } else if (there > 0) {
            isCut = bytes[there - 1] != '\n';
        }
        System.arraycopy(bytes, there, bytes, 0, size - there);
        size -= there;
    }

    private static int newlines(byte[] in, int first, int count) {
        int found = 0;
        for (int at = first; at < first + count; at++) {
            found += in[at] == '\n' ? 1 : 0;
        }
        return found;
    }

    /** What comes next begins a line. */
    synchronized void endLine() {
        if (size > 0 && bytes[size - 1] != '\n') {
            add(new byte[] {'\n'}, 0, 1);
        }
    }

    /** Takes the whole lines; empty if there are none. */
    synchronized Optional<Lines> take() {
        int end = size;
        while (end > 0 && bytes[end - 1] != '\n') {
            end--;
        }
        if (end == 0) {
            return Optional.empty();
        }
        ArrayDeque<String> lines = new ArrayDeque<>();
        long left = skipped + newest(end, lines);
        skipped = 0;
        isCut = false;
        System.arraycopy(bytes, end, bytes, 0, size - end);
        size -= end;
        if (bytes.length > BYTES_FIRST && size <= BYTES_FIRST) {
            bytes = Arrays.copyOf(bytes, BYTES_FIRST); // Most ranks print little, and there may be thousands.
        }
        return Optional.of(new Lines(left, String.join("", lines)));
    }

    /** Adds the newest lines of {@code [0, end)}, oldest first. @return how many lines are left out before them */
    private int newest(int end, ArrayDeque<String> lines) {
        int room = JobReport.TEXT_BYTES_MAX;
        int to = end;
        while (to > 0 && lines.size() < LINES_MAX) {
            int from = to - 1;
            while (from > 0 && bytes[from - 1] != '\n') {
                from--;
            }
            String line = (from == 0 && isCut ? CUT : "") + shown(from, to - 1) + "\n";
            room -= line.getBytes(StandardCharsets.UTF_8).length;
            if (room < 0) {
                break;
            }
            lines.addFirst(line);
            to = from;
        }
        return newlines(bytes, 0, to);
    }

    /** As a terminal shows the line in the end: a carriage return begins it anew. Bytes that are no text become U+FFFD. */
    private String shown(int from, int to) {
        int end = to > from && bytes[to - 1] == '\r' ? to - 1 : to;
        int first = end;
        while (first > from && bytes[first - 1] != '\r') {
            first--;
        }
        String text = new String(bytes, first, Math.min(end - first, 4 * LINE_CHARS_MAX), StandardCharsets.UTF_8);
        StringBuilder line = new StringBuilder(Math.min(text.length(), LINE_CHARS_MAX) + 1);
        text.chars().limit(LINE_CHARS_MAX).forEach(c -> line.append(c == '\t' || !Character.isISOControl(c) ? (char) c : NO_CHARACTER));
        if (text.length() <= LINE_CHARS_MAX) {
            return line.toString();
        }
        if (Character.isHighSurrogate(line.charAt(line.length() - 1))) {
            line.setLength(line.length() - 1);
        }
        return line.append(CUT).toString();
    }
}
