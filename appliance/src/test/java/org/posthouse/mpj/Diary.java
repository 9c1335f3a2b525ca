package org.posthouse.mpj;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.wire.Wire;

/**
 * What a rank's program has done and seen, folded into one number that everything it sends carries: who has once gone another
 * way sends something else from there on. It is part of the program's state, and so of its checkpoints.
 */
public final class Diary {
    /**
     * A message as its sender or its receiver knows it.
     *
     * @param number among those of its sender to its receiver in its context; 0 if it has been received, and was short or did not fit
     * @param mark what its sender had seen; 0 if it is short, or did not fit
     */
    public record Letter(int context, int peer, int tag, int bytes, long number, long mark) {
        static final int HEAD_BYTES = 2 * Long.BYTES;

        /** Whether it has no room for its number and its mark. */
        public boolean isShort() {
            return bytes < HEAD_BYTES;
        }
    }

    /** A receive of the program, and what it takes; {@code source} and {@code tag} may be {@link Wire#ANY}. */
    public record Post(int context, long ordinal, int source, int tag) {
        private static final int TIGHT_EVERY = 9;
        private static final int TIGHT_BYTES = 64;

        /** Bytes that it has room for; now and then too few. */
        int room() {
            return (context + ordinal) % TIGHT_EVERY == 0 ? TIGHT_BYTES : Integer.MAX_VALUE;
        }

        public boolean takes(int messageSource, int messageTag) {
            return (source == Wire.ANY || source == messageSource) && (tag == Wire.ANY || tag == messageTag);
        }
    }

    private final List<Letter> sent = new ArrayList<>();
    private final Map<Post, Letter> received = new LinkedHashMap<>();
    private final Map<Integer, Long> posts = new LinkedHashMap<>();
    private final Map<Long, Long> numbers = new LinkedHashMap<>();
    private final List<long[]> sums = new ArrayList<>();
    private int unsent;
    private long mark;
    int phase;
    int printed;

    /** Folds in an outcome. */
    void saw(long outcome) {
        mark = (mark ^ outcome) * 0x9E37_79B9_7F4A_7C15L;
        mark ^= mark >>> 29;
    }

    public long mark() {
        return mark;
    }

    /** Number of the next message to that rank in a context. */
    long next(int context, int peer) {
        return numbers.merge((long) context << Integer.SIZE | peer, 1L, Long::sum);
    }

    /** The next receive of a context. */
    Post post(int context, int source, int tag) {
        return new Post(context, posts.merge(context, 1L, Long::sum), source, tag);
    }

    void sent(Letter letter) {
        sent.add(letter);
    }

    /** It was taken back. */
    void unsent(Letter letter) {
        sent.remove(letter);
        unsent++;
    }

    /** Messages that were taken back since the process began or went on from an image. */
    public int unsent() {
        return unsent;
    }

    void received(Post post, Letter letter) {
        received.put(post, letter);
        saw(letter.peer() * 31L + letter.tag());
        saw(letter.mark());
    }

    /** A sum over all ranks: what was added, and what came out. */
    void summed(int context, long part, long sum) {
        sums.add(new long[] {context, part, sum});
        saw(sum);
    }

    /** Lines that were printed. */
    public int lines() {
        return printed;
    }

    /** Where in its program it is, for people. */
    public String at(SimScript script) {
        return phase + " of " + script.phases();
    }

    public List<Letter> sent() {
        return sent;
    }

    public Map<Post, Letter> received() {
        return received;
    }

    /** Context, part, sum. */
    public List<long[]> sums() {
        return sums;
    }

    void save(DataOutputStream out) throws IOException {
        out.writeLong(mark);
        out.writeInt(phase);
        out.writeInt(printed);
        out.writeInt(sent.size());
        for (Letter letter : sent) {
            save(letter, out);
        }
        out.writeInt(received.size());
        for (Map.Entry<Post, Letter> each : received.entrySet()) {
            out.writeInt(each.getKey().context());
            out.writeLong(each.getKey().ordinal());
            out.writeInt(each.getKey().source());
            out.writeInt(each.getKey().tag());
            save(each.getValue(), out);
        }
        out.writeInt(posts.size());
        for (Map.Entry<Integer, Long> each : posts.entrySet()) {
            out.writeInt(each.getKey());
            out.writeLong(each.getValue());
        }
        out.writeInt(numbers.size());
        for (Map.Entry<Long, Long> each : numbers.entrySet()) {
            out.writeLong(each.getKey());
            out.writeLong(each.getValue());
        }
        out.writeInt(sums.size());
        for (long[] sum : sums) {
            for (long each : sum) {
                out.writeLong(each);
            }
        }
    }

    private static void save(Letter letter, DataOutputStream out) throws IOException {
        out.writeInt(letter.context());
        out.writeInt(letter.peer());
        out.writeInt(letter.tag());
        out.writeInt(letter.bytes());
        out.writeLong(letter.number());
        out.writeLong(letter.mark());
    }

    /** Goes on there. */
    void load(DataInputStream in) throws IOException {
        mark = in.readLong();
        phase = in.readInt();
        printed = in.readInt();
        sent.clear();
        for (int i = in.readInt(); i > 0; i--) {
            sent.add(letter(in));
        }
        received.clear();
        for (int i = in.readInt(); i > 0; i--) {
            received.put(new Post(in.readInt(), in.readLong(), in.readInt(), in.readInt()), letter(in));
        }
        posts.clear();
        for (int i = in.readInt(); i > 0; i--) {
            posts.put(in.readInt(), in.readLong());
        }
        numbers.clear();
        for (int i = in.readInt(); i > 0; i--) {
            numbers.put(in.readLong(), in.readLong());
        }
        sums.clear();
        for (int i = in.readInt(); i > 0; i--) {
            sums.add(new long[] {in.readLong(), in.readLong(), in.readLong()});
        }
    }

    private static Letter letter(DataInputStream in) throws IOException {
        return new Letter(in.readInt(), in.readInt(), in.readInt(), in.readInt(), in.readLong(), in.readLong());
    }
}
