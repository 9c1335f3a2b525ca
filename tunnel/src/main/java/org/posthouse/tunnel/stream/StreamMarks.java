package org.posthouse.tunnel.stream;

import java.util.ArrayDeque;

/**
 * Marks, among the unacknowledged frames of a link's streams, those that open a stream, answer an opening, or carry
 * tokens. Confined to the relay's context. These frames wait neither for a token nor for window space, so there are at
 * most {@link #MAX} of each.
 */
final class StreamMarks {
    /**
     * Four times the maximum number of a relay's open streams. A relay that acknowledges handled frames never comes
     * near it.
     */
    static final int MAX = 4 * StreamConfig.STREAMS_MAX;

    /** Indexes in the order of sending, from 0. */
    private final ArrayDeque<Long> openings = new ArrayDeque<>();

    private final ArrayDeque<Long> answers = new ArrayDeque<>();
    private final ArrayDeque<Long> tokens = new ArrayDeque<>();
    private long sent;
    private long acknowledged;

    /** Notes that the next frame of a stream is sent. */
    void onSent() {
        sent++;
    }

    /** Marks the next frame as an opening. */
    void opening() {
        openings.add(sent);
    }

    /** Marks the next frame as an answer to an opening. */
    void answer() {
        answers.add(sent);
    }

    /** Marks the next frame as tokens that answer no opening. */
    void tokens() {
        tokens.add(sent);
    }

    /** Notes that the next {@code frames} frames are acknowledged. */
    void onAcknowledged(long frames) {
        acknowledged += frames;
        drop(openings);
        drop(answers);
        drop(tokens);
    }

    private void drop(ArrayDeque<Long> places) {
        while (!places.isEmpty() && places.getFirst() < acknowledged) {
            places.removeFirst();
        }
    }

    boolean mayOpen() {
        return openings.size() < MAX;
    }

    boolean mayAnswer() {
        return answers.size() < MAX;
    }

    boolean maySendTokens() {
        return tokens.size() < MAX;
    }

    /** Clears all marks after a restart of the other relay, which acknowledges no earlier frame. */
    void clear() {
        openings.clear();
        answers.clear();
        tokens.clear();
        sent = 0;
        acknowledged = 0;
    }
}
