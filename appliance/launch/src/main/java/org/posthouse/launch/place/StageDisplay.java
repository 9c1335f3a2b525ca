package org.posthouse.launch.place;

/** Shows how far files of a job have come to its relays. Called by the launching thread. */
public interface StageDisplay {
    /** @param done of {@code total} bytes */
    void show(long done, long total);

    /** Nothing is shown any more. */
    void end();
}
