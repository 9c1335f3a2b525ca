package org.posthouse.core;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.CheckpointNotice;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Welcome;

/**
 * The port of a rank that is between two connections: frames for it are held, in order, until it reconnects. Bounded by
 * the bytes that may be under way to a rank that does not read, since the rank looks like one. Confined to the core.
 */
final class BufferingPort implements RankPort {
    private final ArrayDeque<Consumer<RankPort>> held = new ArrayDeque<>();
    private final ArrayDeque<Parcel> parcels = new ArrayDeque<>();
    private int deliveries;

    /** Held deliveries, which the rank has not seen. */
    int deliveries() {
        return deliveries;
    }

    /** Sends the held frames to {@code port}. */
    void release(RankPort port) {
        parcels.clear();
        held.forEach(effect -> effect.accept(port));
        held.clear();
    }

    /** The rank never reconnects: releases the held frames. */
    void drop() {
        parcels.forEach(Parcel::release);
        parcels.clear();
        held.clear();
    }

    @Override
    public void welcome(HomedRank rank, Welcome welcome, List<StatePage.Entry> state) {
        throw new IllegalStateException(rank + " is welcomed on its own connection, not on the port of a rank that is between two connections");
    }

    @Override
    public void deliver(Message message, Parcel head) {
        deliveries++;
        parcels.add(head);
        held.add(port -> port.deliver(message, head));
    }

    @Override
    public void push(Message message, long ordinal, Parcel head) {
        throw new IllegalStateException(message + " is pushed to a rank between two connections, which is slow");
    }

    @Override
    public void ended(int context, int round, PushWindow.End why, long pushedCost) {
        held.add(port -> port.ended(context, round, why, pushedCost));
    }

    @Override
    public void chunk(Parcel chunk) {
        parcels.add(chunk);
        held.add(port -> port.chunk(chunk));
    }

    @Override
    public void clear(int context, int destination, long sequence, long upTo) {
        held.add(port -> port.clear(context, destination, sequence, upTo));
    }

    @Override
    public void credit(long bytes, int messages) {
        held.add(port -> port.credit(bytes, messages));
    }

    @Override
    public void probeAnswer(int request, Message found) {
        held.add(port -> port.probeAnswer(request, found));
    }

    @Override
    public void cancelled(int request, boolean gone) {
        held.add(port -> port.cancelled(request, gone));
    }

    @Override
    public void withdrawn(int context, int destination, long sequence, boolean gone) {
        held.add(port -> port.withdrawn(context, destination, sequence, gone));
    }

    @Override
    public void failure(ByteBuffer frame) {
        held.add(port -> port.failure(frame));
    }

    @Override
    public void mismatch(BlockedReport blockedReport) {
        held.add(port -> port.mismatch(blockedReport));
    }

    @Override
    public void events(long first, int count, int failedPolls, ByteBuffer items, boolean end) {
        throw new IllegalStateException("a rank between two connections is not replayed");
    }

    @Override
    public void point(CheckpointNotice checkpointNotice) {
        held.add(port -> port.point(checkpointNotice));
    }

    @Override
    public void image(HistoryStep.ImagePiece piece) {
        throw new IllegalStateException("a rank between two connections is not replayed");
    }

    @Override
    public void ack(long safe, long handled, long[] firstUnsafe) {
        held.add(port -> port.ack(safe, handled, firstUnsafe));
    }

    @Override
    public void move() {
        held.add(RankPort::move);
    }

    @Override
    public void finalized() {
        throw new IllegalStateException("a rank between two connections cannot finalize");
    }

    @Override
    public void aborted(CloseNotice closeNotice) {
        drop();
    }

    @Override
    public void close(CloseNotice why) {
        drop();
    }

    @Override
    public boolean writable() {
        return false;
    }
}
