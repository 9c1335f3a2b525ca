package org.posthouse.core;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.FrameType;

/** The way to the other relay: first in, first out, except that later frames may overtake one that waits behind earlier ones. */
final class FailureWay implements Peer {
    /** @param behind whether it waits for all that was sent before it, and does not hold up what is sent after it */
    record Sent(ByteBuffer frame, boolean behind) {}

    private final Deque<Sent> frames = new ArrayDeque<>();

    @Override
    public void failure(ByteBuffer frame, boolean behind) {
        frames.add(new Sent(frame.slice(), behind));
    }

    /** The frames that may arrive next. */
    List<Sent> deliverable() {
        List<Sent> next = new ArrayList<>(frames.stream().limit(1).toList());
        frames.stream().filter(sent -> !sent.behind).findFirst().filter(sent -> !next.contains(sent)).ifPresent(next::add);
        return next;
    }

    ByteBuffer deliver(Sent sent) {
        frames.remove(sent);
        return sent.frame;
    }

    @Override
    public boolean isFar() {
        return true;
    }

    @Override
    public boolean forward(Parcel frame, boolean kept) {
        throw new AssertionError("no message is sent");
    }

    @Override
    public void offerAgain(long job, int context, int source, int destination, long sequence, long bytes) {
        throw new AssertionError("no message is sent");
    }

    @Override
    public void clear(long job, int context, int source, int destination, long sequence, long upTo) {
        throw new AssertionError("no message is sent");
    }

    @Override
    public void withdraw(long job, int context, int source, int destination, long sequence) {
        throw new AssertionError("no message is sent");
    }

    @Override
    public void withdrawn(long job, int context, int source, int destination, long sequence, boolean gone) {
        throw new AssertionError("no message is sent");
    }

    @Override
    public void stall(FrameType type, BlockedReport blockedReport) {
        throw new AssertionError("nobody is blocked");
    }

    @Override
    public void credit(long job, int rank, long bytes, int messages) {
        throw new AssertionError("no message is sent");
    }
}
