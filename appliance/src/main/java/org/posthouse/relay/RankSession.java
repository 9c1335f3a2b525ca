package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import org.posthouse.core.HomedRank;
import org.posthouse.core.Message;
import org.posthouse.core.Parcel;
import org.posthouse.core.RankPort;
import org.posthouse.core.RankState;
import org.posthouse.core.Refusal;
import org.posthouse.core.RelayCore;
import org.posthouse.tunnel.FrameSocket;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Notice;
import org.posthouse.wire.Reason;
import org.posthouse.wire.Stall;
import org.posthouse.wire.WireException;

/** A connected rank: its frames go into the core, the core's effects go onto its connection. Confined to the event loop. */
final class RankSession implements Session, RankPort {
    private final RelayCore core;
    private final FrameSocket socket;
    private final long job;
    private final ArrivedFrame arrived = new ArrivedFrame();
    private final FrameBuilder frames = new FrameBuilder();
    private HomedRank rank;

    private RankSession(RelayCore core, FrameSocket socket, long job) {
        this.core = core;
        this.socket = socket;
        this.job = job;
    }

    /** Admits the rank and answers it. */
    static RankSession open(RelayCore core, FrameSocket socket, Hello hello) throws Refusal {
        RankSession session = new RankSession(core, socket, hello.job());
        session.rank = core.connect(hello, session);
        socket.write(core.welcome(session.rank).encode());
        return session;
    }

    @Override
    public void onFrame(ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        switch (view.type()) {
            case ABORT -> core.aborted(rank, Notice.decode(Connection.copy(buffer, index, length)));
            case BLOCKED -> core.blocked(rank, Stall.decode(Connection.copy(buffer, index, length)));
            case CLOSE -> socket.cut(Notice.decode(Connection.copy(buffer, index, length)));
            case HELLO -> throw new WireException(Reason.NOT_EXPECTED, "a second HELLO from " + rank);
            default -> core.fromRank(rank, arrived.set(buffer, index, length, view));
        }
    }

    @Override
    public void onWritable() {
        core.writable(rank);
    }

    @Override
    public void onClosed(Notice why) {
        core.disconnected(rank, why);
    }

    @Override
    public void deliver(Message message, Parcel head) {
        socket.write(frames.delivered(((BufferParcel) head).take(), message.receive().request()));
    }

    @Override
    public void chunk(Parcel chunk) {
        socket.write(((BufferParcel) chunk).take());
    }

    @Override
    public void clear(int context, int destination, long sequence, long upTo) {
        socket.write(frames.clear(job, context, rank.rank(), destination, sequence, upTo));
    }

    @Override
    public void credit(long bytes, int messages) {
        socket.write(frames.credit(job, rank.rank(), bytes, messages));
    }

    @Override
    public void probeAnswer(int request, Message found) {
        socket.write(frames.probeAnswer(job, request, found));
    }

    @Override
    public void cancelled(int request, boolean gone) {
        socket.write(frames.cancelled(job, request, gone));
    }

    @Override
    public void withdrawn(int context, int destination, long sequence, boolean gone) {
        socket.write(frames.withdrawn(job, context, rank.rank(), destination, sequence, gone));
    }

    @Override
    public void mismatch(Stall stall) {
        socket.write(stall.encode(FrameType.MISMATCH));
    }

    @Override
    public void finalized() {
        socket.write(frames.finalized(job));
    }

    @Override
    public void aborted(Notice notice) {
        socket.write(notice.encode(FrameType.ABORT));
        socket.close(Notice.closing(job, Reason.JOB_ABORTED, notice.text()));
    }

    @Override
    public void close(Notice why) {
        socket.close(why);
    }

    @Override
    public boolean writable() {
        return socket.writable();
    }

    @Override
    public String toString() {
        return rank + (rank.state() == RankState.FINALIZED ? " (finalized)" : "");
    }
}
