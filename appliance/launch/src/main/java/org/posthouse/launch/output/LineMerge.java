package org.posthouse.launch.output;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Decides which bytes of a job's streams are written next to one stream. Pure, without a clock or a lock; guarded by
 * its {@link OutputScreen}.
 *
 * <p>A tag is written in front of a line, and nothing is added to a line. Whole lines go first, in turns. A line
 * without an end yet is written as soon as no whole line waits, so that a prompt shows. It is then <em>open</em>, and
 * other lines wait for its end. If the end does not come, the screen calls {@link #interrupt}. It writes a newline
 * between the open line and the next one, and the rest of the open line gets a tag again. A line that stands at {@code
 * \r}, as a progress bar does, is interrupted without the newline. Without tags nothing is added at all.
 */
final class LineMerge {
    /** One stream of one rank, over all its processes. */
    final class Source {
        private final byte[] tag;
        private byte[] bytes = new byte[256];
        /** Waiting bytes: [from, to). */
        private int from;
        private int to;
        /** Up to where there is no end of a line. */
        private int searched;
        private boolean atLineStart = true;
        /** The last byte that was put in, or a newline. */
        private byte last = '\n';
        private boolean ended;

        private Source(String tag) {
            this.tag = tag.getBytes(StandardCharsets.UTF_8);
        }

        void put(byte[] from, int first, int count) {
            if (count == 0) {
                return;
            }
            makeRoom(count);
            System.arraycopy(from, first, bytes, to, count);
            to += count;
            last = bytes[to - 1];
        }

        private void makeRoom(int count) {
            if (to + count <= bytes.length) {
                return;
            }
            int waiting = waiting();
            byte[] into = waiting + count <= bytes.length ? bytes : new byte[Math.max(waiting + count, 2 * bytes.length)];
            System.arraycopy(bytes, from, into, 0, waiting);
            searched -= from;
            bytes = into;
            from = 0;
            to = waiting;
        }

        int waiting() {
            return to - from;
        }

        /** Whether what is put in next begins a line. */
        boolean isAtLineStart() {
            return last == '\n';
        }

        /** Nothing more comes. */
        void end() {
            ended = true;
            if (wholeLines && !isAtLineStart()) {
                put(NEWLINE, 0, 1);
            }
        }

        private boolean isFull() {
            return waiting() >= bytesMax;
        }

        private int lineEnd() {
            for (searched = Math.max(searched, from); searched < to; searched++) {
                if (bytes[searched] == '\n') {
                    return searched + 1;
                }
            }
            return -1;
        }

        private boolean isReady() {
            return waiting() > 0 && (ended || isFull() || lineEnd() >= 0);
        }

        /** The rest of a line, or what there is of it. */
        private byte[] take() {
            int lineEnd = lineEnd();
            int end = lineEnd < 0 ? to : lineEnd;
            byte[] head = tagged && atLineStart ? tag : NOTHING;
            byte[] taken = ByteBuffer.allocate(head.length + end - from).put(head).put(bytes, from, end - from).array();
            from = end;
            searched = end;
            if (from == to) {
                shrink();
            }
            atLineStart = lineEnd >= 0;
            open = atLineStart ? null : this;
            atReturn = taken[taken.length - 1] == '\r';
            return taken;
        }

        private void shrink() {
            from = 0;
            to = 0;
            searched = 0;
            if (bytes.length > bytesMax) {
                bytes = new byte[256];
            }
        }
    }

    private static final byte[] NOTHING = {};
    private static final byte[] NEWLINE = {'\n'};

    private final boolean tagged;
    private final boolean wholeLines;
    private final int bytesMax;
    private final List<Source> sources = new ArrayList<>();
    /** The launcher's own lines, which wait for no one's end. */
    private final Source launcher = new Source("");
    private int turn;

    /** Whose line is open; null if none is. */
    private Source open;

    /** Whether the open line stands at a carriage return. */
    private boolean atReturn;

    /**
     * @param tagged whether lines have tags
     * @param wholeLines whether a line without an end waits for it, for readers that want lines and not bytes
     * @param bytesMax from so many on a stream's waiting bytes are written whether they end a line or not
     */
    LineMerge(boolean tagged, boolean wholeLines, int bytesMax) {
        this.tagged = tagged;
        this.wholeLines = wholeLines;
        this.bytesMax = bytesMax;
    }

    Source source(String tag) {
        Source source = new Source(tag);
        sources.add(source);
        return source;
    }

    Source launcher() {
        return launcher;
    }

    boolean isEmpty() {
        return launcher.waiting() == 0 && sources.stream().allMatch(source -> source.waiting() == 0);
    }

    /** Number of waiting bytes. */
    long waiting() {
        return launcher.waiting() + sources.stream().mapToLong(Source::waiting).sum();
    }

    /** Bytes for one write; null if there are none now. */
    byte[] next() {
        if (open != null && open.waiting() > 0) {
            return open.take();
        }
        Source next = launcher.waiting() > 0 ? launcher : ready();
        if (open == null) {
            next = next == null ? begun() : next;
            return next == null ? null : next.take();
        }
        if (next == launcher || next != null && open.ended) {
            byte[] between = interrupt();
            return between.length > 0 ? between : next.take();
        }
        return null;
    }

    /** Whether {@link #next} has some. */
    boolean hasNext() {
        return open == null ? !isEmpty() && (!wholeLines || launcher.waiting() > 0 || isAnyReady())
                : open.waiting() > 0 || launcher.waiting() > 0 || open.ended && isAnyReady();
    }

    private boolean isAnyReady() {
        return sources.stream().anyMatch(Source::isReady);
    }

    /** Whether an open line holds up another's, and for nothing but its end. */
    boolean isHeldUp() {
        return open != null && open.waiting() == 0 && isAnyReady();
    }

    /** Whether the open line stands at a carriage return. */
    boolean isAtReturn() {
        return open != null && atReturn;
    }

    /** The open line is not waited for any more. @return what to write between it and the next one; may be nothing */
    byte[] interrupt() {
        open.atLineStart = true;
        boolean bare = !tagged || atReturn;
        open = null;
        return bare ? NOTHING : NEWLINE;
    }

    private Source ready() {
        for (int tried = 0; tried < sources.size(); tried++) {
            Source source = sources.get((turn + tried) % sources.size());
            if (source.isReady()) {
                turn = (turn + tried + 1) % sources.size();
                return source;
            }
        }
        return null;
    }

    private Source begun() {
        return wholeLines ? null : sources.stream().filter(source -> source.waiting() > 0).findFirst().orElse(null);
    }
}
