package org.posthouse.launch.job;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** What becomes of a job when a rank's process dies ({@code --on-failure}, docs/failures.md). */
public enum OnFailure {
    /** The process is started again and brought to where it was. Only in a logged job. */
    RESTART,
    /** The job ends. */
    ABORT,
    /** The program is told, and goes on with a hole in its communicators. Only without a log. */
    BLANK,
    /** The same; the program makes a communicator of the others. */
    SHRINK;

    /** As the command line has it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The value with this word. */
    public static Optional<OnFailure> of(String word) {
        return Arrays.stream(values()).filter(value -> value.word().equals(word)).findFirst();
    }

    /** All words, for people. */
    public static String words() {
        return Arrays.stream(values()).map(OnFailure::word).collect(Collectors.joining(", "));
    }

    /** Whether the program is told of a death, and goes on. */
    public boolean isTold() {
        return this == BLANK || this == SHRINK;
    }
}
