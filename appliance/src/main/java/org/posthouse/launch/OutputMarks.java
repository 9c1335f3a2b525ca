package org.posthouse.launch;

import java.util.HashMap;
import java.util.Map;

/**
 * At which byte of one stream a rank's prologue ended, and at which its images were made: a process that is started from an
 * image prints its prologue again, and then what comes behind the image. Told by the job's thread, asked by the stream's
 * reader, who waits for what is not known yet. Thread-safe.
 */
final class OutputMarks {
    /** No mark, or no jump. */
    static final long NONE = -1;

    /** The end of what was shown: of an image that nobody has told of, what comes behind it is not known to have been shown. */
    static final long END = Long.MAX_VALUE;

    /** Images behind the newest whose marks are kept: its relay keeps one. */
    static final int OLDER = 2;

    private final Map<Integer, Long> marks = new HashMap<>();
    private long prologue = NONE;
    private long target = NONE;
    private boolean known;
    private int incarnation;

    /** @param image its number; 0 for the end of the prologue. @return whether that is new */
    synchronized boolean mark(int image, long bytes) {
        if (image == 0) {
            boolean isNew = prologue != bytes;
            prologue = bytes;
            return isNew;
        }
        Long before = marks.put(image, bytes);
        marks.keySet().removeIf(older -> older < image - OLDER);
        return before == null || before != bytes;
    }

    /** Another process begins. */
    synchronized void begin(int newIncarnation) {
        incarnation = newIncarnation;
        known = false;
        notifyAll();
    }

    /** The process goes on at this image, behind its prologue; at 0 there is none. What is told of another process changes nothing. */
    synchronized void goesOnAt(long process, int image) {
        if (process == incarnation) {
            target = image == 0 ? NONE : marks.getOrDefault(image, END);
            known = true;
            notifyAll();
        }
    }

    /** Where the prologue ends, if it is known. */
    synchronized long prologue() {
        return prologue;
    }

    /** Where the process goes on; waits until that is told, or nobody will tell it. */
    synchronized long target() throws InterruptedException {
        while (!known) {
            wait();
        }
        return target;
    }

    /** Nobody tells anything any more. */
    synchronized void close() {
        known = true;
        target = NONE;
        notifyAll();
    }
}
