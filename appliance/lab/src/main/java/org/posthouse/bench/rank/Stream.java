package org.posthouse.bench.rank;

import java.io.IOException;
import java.util.Arrays;

/**
 * A stream of one pair, over any carrier. The first partner has a window of messages under way at once. The second one
 * has receives posted for all of them and answers the last with one byte. The first partner's time counts.
 */
final class Stream implements BenchOperation {
    private final Transport messages;
    private final Transport answer;
    private final boolean first;
    private final int bytes;
    private final int window;
    private final int rounds;

    /** Two transports of one carrier, each with its own buffers; as many messages of {@code bytes} as fill the window so many times. */
    Stream(Transport messages, Transport answer, boolean first, int bytes, int window, int rounds) {
        this.messages = messages;
        this.answer = answer;
        this.first = first;
        this.bytes = bytes;
        this.window = window;
        this.rounds = rounds;
        messages.resize(bytes * window);
        answer.resize(1);
    }

    @Override
    public boolean isTimed() {
        return first;
    }

    @Override
    public void run(int iteration) throws IOException {
        if (first) {
            messages.sendParts(window, rounds);
            answer.receive();
        } else {
            messages.receiveParts(window, rounds);
            answer.send();
        }
    }

    @Override
    public void fill() {
        if (first) {
            messages.fill(content());
            answer.fill(new byte[1]);
        } else {
            messages.fill(new byte[bytes * window]);
            answer.fill(new byte[] {1});
        }
    }

    @Override
    public String fault(int iteration) {
        if (first) {
            byte answered = answer.received()[0];
            return answered == 1 ? "" : BenchOperation.fault("answer", 0, answered, 1);
        }
        byte[] received = messages.received();
        byte[] expected = content();
        int at = Arrays.mismatch(received, expected);
        return at < 0 ? "" : "message " + at / bytes + " of the window, "
                + BenchOperation.fault("byte", at % bytes, received[at], expected[at]);
    }

    /** Neighbouring messages differ, so that one in the place of another is seen. */
    private byte[] content() {
        byte[] content = new byte[bytes * window];
        for (int i = 0; i < content.length; i++) {
            content[i] = BenchOperation.content(i / bytes, i % bytes);
        }
        return content;
    }
}
