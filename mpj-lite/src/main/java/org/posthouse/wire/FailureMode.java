package org.posthouse.wire;

import java.util.Locale;
import java.util.Optional;
import java.util.StringJoiner;

/** What becomes of a job when a rank's process dies ({@code --on-failure}, docs/failures.md). */
public enum FailureMode {
    /** The process is started again and brought to where it was. Only in a logged job. */
    RESTART,
    /** The job ends. */
    ABORT,
    /** The program is told, and goes on with a hole in its communicators. Only without a log. */
    BLANK,
    /** The same; the program makes a communicator of the others. */
    SHRINK,
    /** The same; a new process without the dead one's state takes its place, and the program makes a whole communicator. */
    REBUILD,
    /** As RESTART, and as BLANK once a rank may not be started again. Only in a logged job. */
    RESTART_BLANK,
    /** As RESTART, and as SHRINK once a rank may not be started again. Only in a logged job. */
    RESTART_SHRINK;

    /** The mode of a job for which none was asked. */
    public static FailureMode usual(boolean logged) {
        return logged ? RESTART : ABORT;
    }

    /** As the command line has it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', ',');
    }

    /** The value with this word. */
    public static Optional<FailureMode> of(String word) {
        for (FailureMode value : values()) {
            if (value.word().equals(word)) {
                return Optional.of(value);
            }
        }
        return Optional.empty();
    }

    /** All words, for people. */
    public static String words() {
        StringJoiner words = new StringJoiner("; ");
        for (FailureMode value : values()) {
            words.add(value.word());
        }
        return words.toString();
    }

    /** Whether the program is told of a death, and goes on. */
    public boolean isTold() {
        return this == BLANK || this == SHRINK || this == REBUILD || isToldAfterRestarts();
    }

    /** Whether it is told only of the death of a rank that may not be started again. */
    public boolean isToldAfterRestarts() {
        return this == RESTART_BLANK || this == RESTART_SHRINK;
    }
}
