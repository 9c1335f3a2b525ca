package org.posthouse.launch.output;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Recognizes lines of a JVM itself in a stream of one process, which its successor does not print again. Guarded by the
 * stream's tape.
 */
final class JvmNotices {
    /** First words of a JVM that cannot start, for want of memory for instance. They go to standard output, too. */
    private static final String UNSTARTED = "Error occurred during initialization of VM";

    /** First lines of a crashing JVM. The first of these stands behind a line {@link #HASH}. */
    private static final List<String> CRASHES = List.of(
            "# A fatal error has been detected by the Java Runtime Environment",
            "# There is insufficient memory for the Java Runtime Environment to continue",
            "Terminating due to java.lang.OutOfMemoryError: ",
            "Aborting due to java.lang.OutOfMemoryError: ");

    /** And before it calls its hooks for lack of memory ({@code -XX:OnOutOfMemoryError}), likewise; each further line begins with {@link #HASH}. */
    private static final String HOOKS = "# java.lang.OutOfMemoryError: ";

    private static final String HASH = "#";

    /**
     * Beginning of a JVM's answer to SIGQUIT, behind a line with the time. It ends with the heap, and that with an
     * empty line.
     */
    private static final String DUMP = "Full thread dump ";

    private static final String HEAP = "Heap";

    private static final Pattern TIME = Pattern.compile("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d");

    /** Lines of the JVM's log, warnings above all, unless it was given another form. */
    private static final Pattern LOGGED = Pattern.compile("\\[\\d+\\.\\d{3}s]\\[(error|warning|info|debug|trace) *]\\[[a-z0-9,]+ *]( |$)");

    /** Where a debugger may find it, behind which there is the port, of the system's choice as a rule. */
    private static final String LISTENS = "Listening for transport dt_socket at address: ";

    /** Those that do not begin with {@link #HASH}. */
    private static final List<String> BEGINNINGS =
            Stream.concat(Stream.of(UNSTARTED, DUMP, LISTENS), CRASHES.stream().filter(words -> !words.startsWith(HASH))).toList();

    private static final int BEGINNING_BYTES_MAX = 256;

    private enum Block {
        NONE,
        HOOKS,
        UNSTARTED,
        CRASH,
        THREADS,
        HEAP
    }

    private Block block = Block.NONE;
    private String before = "";
    private boolean beganBefore;

    /** Another process begins. */
    void begin() {
        block = Block.NONE;
        before = "";
    }

    /** Whether the next line of the process, its end included, is none of its program. */
    boolean take(byte[] line) {
        String text = new String(line, 0, Math.min(line.length, BEGINNING_BYTES_MAX), StandardCharsets.UTF_8).stripTrailing();
        beganBefore = false;
        if (block == Block.HOOKS && !text.startsWith(HASH)) {
            block = Block.NONE;
        }
        boolean isInside = block != Block.NONE;
        switch (block) {
            case NONE, HOOKS -> begin(text);
            case THREADS -> block = text.equals(HEAP) ? Block.HEAP : block;
            case HEAP -> block = line.length <= 2 && text.isEmpty() ? Block.NONE : block;
            case UNSTARTED, CRASH -> {} // To the end of the process.
        }
        before = text;
        return isInside || block != Block.NONE || LOGGED.matcher(text).lookingAt() || text.startsWith(LISTENS);
    }

    /** Whether a line that begins so may be none of its program. */
    boolean mayBegin(byte[] beginning) {
        String text = new String(beginning, 0, Math.min(beginning.length, BEGINNING_BYTES_MAX), StandardCharsets.UTF_8);
        return block != Block.NONE || text.startsWith(HASH)
                || BEGINNINGS.stream().anyMatch(words -> words.startsWith(text) || text.startsWith(words)) || mayMatch(LOGGED, text) || mayMatch(TIME, text);
    }

    private static boolean mayMatch(Pattern pattern, String beginning) {
        Matcher matcher = pattern.matcher(beginning);
        return matcher.lookingAt() || matcher.hitEnd();
    }

    private void begin(String text) {
        if (text.startsWith(UNSTARTED)) {
            block = Block.UNSTARTED;
        } else if (CRASHES.stream().anyMatch(text::startsWith)) {
            block = Block.CRASH;
            beganBefore = before.equals(HASH);
        } else if (text.startsWith(HOOKS)) {
            block = Block.HOOKS;
            beganBefore = before.equals(HASH);
        } else if (text.startsWith(DUMP)) {
            block = Block.THREADS;
            beganBefore = TIME.matcher(before).matches();
        }
    }

    /** Whether the line before the last one was none of its program either, although it did not look so. */
    boolean beganBefore() {
        return beganBefore;
    }

    /** Whether the JVM could not start. */
    boolean isUnstarted() {
        return block == Block.UNSTARTED;
    }
}
