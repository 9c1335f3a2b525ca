package org.posthouse.tunnel;

import java.util.ArrayDeque;

/**
 * Which of the frames of a link's streams that the other relay has not acknowledged open a stream, which answer an opening, and which are of
 * tokens. Confined to the relay's context. None waits for a token or for room in the link's window: so there are at most {@link #MAX} of each.
 */
final class StreamMarks {
    /** Four times the most streams that a relay can have open: one that acknowledges what it has handled never comes near it. */
    static final int MAX = 4 * StreamConfig.STREAMS_MAX;

    /** Places in the order of sending, from 0. */
    private final ArrayDeque<Long> openings = new ArrayDeque<>();

    private final ArrayDeque<Long> answers = new ArrayDeque<>();
    private final ArrayDeque<Long> tokens = new ArrayDeque<>();
    private long sent;
    private long acknowledged;

    /** The next frame of a stream goes. */
    void onSent() {
        sent++;
    }

    /** The next frame that goes is an opening. */
    void opening() {
        openings.add(sent);
    }

    /** The next frame that goes answers one. */
    void answer() {
        answers.add(sent);
    }

    /** The next frame that goes is of tokens, and answers no opening. */
    void tokens() {
        tokens.add(sent);
    }

    /** The first {@code frames} of those that were not are acknowledged. */
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

    /** The other relay was restarted: nothing is acknowledged that was sent before. */
    void clear() {
        openings.clear();
        answers.clear();
        tokens.clear();
        sent = 0;
        acknowledged = 0;
    }
}
