package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.posthouse.core.FollowerPort;
import org.posthouse.core.Frame;
import org.posthouse.core.HistoryStep;
import org.posthouse.core.HomedRank;
import org.posthouse.core.Message;
import org.posthouse.core.Parcel;
import org.posthouse.core.PushWindow;
import org.posthouse.core.RankState;
import org.posthouse.core.Refusal;
import org.posthouse.core.TransferId;
import org.posthouse.mpj.Cable;
import org.posthouse.mpj.Stage;
import org.posthouse.relay.io.ArrivedFrame;
import org.posthouse.relay.io.BufferParcel;
import org.posthouse.relay.io.FrameBuilder;
import org.posthouse.tunnel.socket.FrameDecoder;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.Challenge;
import org.posthouse.wire.CheckpointNotice;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Confirmed;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Hmac;
import org.posthouse.wire.Identify;
import org.posthouse.wire.MutualProof;
import org.posthouse.wire.Nonce;
import org.posthouse.wire.Promoted;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Token;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.WireException;

/** A relay's end of a rank's connection: what {@link Connection} and {@link RankSession} do. */
final class SimPort implements FollowerPort, Cable.Relay, FrameDecoder.Sink {
    /** How long a rank may take to come again after it has left a connection. */
    private static final long MOVE_TICKS_MAX = 30_000L * Stage.TICKS_PER_MS;

    private final SimHost host;
    private final SimJob job;
    private final Cable cable;
    private final FrameDecoder decoder = new FrameDecoder(ByteBufAllocator.DEFAULT, false, this);
    private final FrameBuilder frames = new FrameBuilder();
    private final ArrivedFrame arrived = new ArrivedFrame();
    private final WithheldWelcome withheldWelcome = new WithheldWelcome();
    private final List<StatePage.Entry> state = new ArrayList<>();
    private final int slowBytes;
    private SimCore core;
    private Identify client;
    private Challenge challenge;
    private Hello hello;
    private HomedRank rank;

    /** Whether the process follows and does not lead. */
    private boolean follows;

    /** Frames about failures that wait for the disk. */
    private int failuresHeld;

    private boolean closed;
    private boolean wasUnwritable;

    /** What has come while there was no room: it is not read, and neither is what comes behind it, the connection's end included. */
    private final ArrayDeque<byte[]> parked = new ArrayDeque<>();

    private boolean hasEnded;

    SimPort(SimHost host, SimJob job, Cable cable) {
        this.host = host;
        this.job = job;
        this.cable = cable;
        slowBytes = host.world().random().nextInt(3) == 0 ? 1 + host.world().random().nextInt(100_000) : Integer.MAX_VALUE;
        cable.accepted(this);
    }

    /** A frame's bytes; lets go of it. */
    static byte[] bytes(ByteBuf frame) {
        byte[] bytes = new byte[frame.readableBytes()];
        frame.getBytes(frame.readerIndex(), bytes);
        frame.release();
        return bytes;
    }

    void relayDied() {
        end();
        cable.relayDied();
    }

    // ---- what comes

    @Override
    public void onBytes(byte[] bytes) {
        if (closed) {
            return;
        }
        if (!parked.isEmpty() || rank != null && host.jammedFor() > 0) {
            if (parked.isEmpty()) {
                core.after(host.jammedFor(), this::unpark);
            }
            parked.add(bytes);
        } else {
            read(bytes);
        }
    }

    private void unpark() {
        while (!parked.isEmpty() && host.jammedFor() == 0) {
            read(parked.remove());
        }
        if (!parked.isEmpty()) {
            core.after(host.jammedFor(), this::unpark);
        } else if (hasEnded) {
            ended();
        }
    }

    private void read(byte[] bytes) {
        try {
            decoder.feed(Unpooled.wrappedBuffer(bytes));
        } catch (WireException e) {
            throw new AssertionError((rank == null ? "a rank" : rank.toString()) + " broke the protocol: " + e.getMessage(), e);
        }
    }

    @Override
    public boolean onFrame(ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        host.world().trace(() -> "  relay " + host.number() + " <- " + who() + ": " + FrameWords.of(view));
        switch (view.type()) {
            case IDENTIFY -> onIdentify(Identify.decode(ArrivedFrame.copy(buffer, index, length)));
            case PROOF -> requireProof(MutualProof.decode(ArrivedFrame.copy(buffer, index, length)));
            case HELLO -> onHello(Hello.decode(ArrivedFrame.copy(buffer, index, length)));
            case STATE -> onState(StatePage.decode(ArrivedFrame.copy(buffer, index, length)));
            default -> {
                if (view.type() == FrameType.BLOCKED) {
                    host.world().onBlocked();
                }
                if (view.type() == FrameType.OFFER && (view.flags() & FrameView.STORABLE) != 0) {
                    host.world().onCreditless();
                }
                Frame frame = arrived.set(buffer, index, length, view);
                if (follows) {
                    core.core().fromFollower(rank, this, frame);
                } else {
                    core.core().fromRank(rank, frame);
                }
                core.logSafe();
            }
        }
        return !closed;
    }

    private String who() {
        return "rank " + (hello == null ? "?" : hello.rank() + "." + hello.incarnation());
    }

    private void onIdentify(Identify said) {
        client = said;
        Token token = job.opening().token().ofRank(said.rank());
        challenge = Challenge.of(token, said, new Nonce(said.nonce().low(), host.number()), Optional.empty());
        write(challenge.encode());
    }

    private void requireProof(Hmac proof) {
        Token token = job.opening().token().ofRank(client.rank());
        assert proof.matches(MutualProof.ofClient(token, client, challenge)) : "rank " + client.rank() + " has not proven who it is";
    }

    private void onHello(Hello said) {
        assert challenge != null && client.isOf(said) : said + " from " + client;
        hello = said;
        core = host.world().core(job.coreOf(hello.rank()));
        if (hello.pages() == 0) {
            admit();
        }
    }

    @Override
    public void welcome(HomedRank admitted, Welcome welcome, List<StatePage.Entry> entries) {
        rank = admitted;
        if (!follows && rank.state() == RankState.REPLAYING && job.opening().survivesHost()) {
            withheldWelcome.hold();
        }
        write(welcome.encode());
        StatePage.encode(job.id(), entries).forEach(this::write);
    }

    /** It is told that it leads when the log is safe up to that. */
    @Override
    public void promoted(Welcome welcome, List<StatePage.Entry> entries) {
        follows = false;
        if (job.opening().survivesHost()) {
            withheldWelcome.hold();
        }
        write(Promoted.of(welcome).encode());
        StatePage.encode(job.id(), entries).forEach(this::write);
        if (withheldWelcome.isHeld()) {
            core.gate().pass(this::greet);
        }
    }

    @Override
    public void confirmed(List<TransferId> messages) {
        if (host.world().has(PlantedFault.EARLY_CONFIRMATION)) {
            confirm(messages);
        } else {
            whenSafe(() -> {
                if (follows) { // Else it was told with PROMOTED what is known.
                    confirm(messages);
                }
            });
        }
    }

    private void confirm(List<TransferId> messages) {
        for (int from = 0; from < messages.size(); from += Confirmed.MESSAGES_MAX) {
            List<TransferId> some = messages.subList(from, Math.min(messages.size(), from + Confirmed.MESSAGES_MAX));
            write(new Confirmed(
                    job.id(), some.stream().map(each -> new Confirmed.Message(each.context(), each.peer(), each.sequence())).toList()).encode());
        }
    }

    private void onState(StatePage page) {
        state.addAll(page.entries());
        if (page.left() == 0) {
            admit();
        }
    }

    private void admit() {
        follows = hello.kind() == Hello.FOLLOWER;
        try {
            if (follows) {
                core.core().follow(hello, state, this);
            } else {
                core.core().connect(hello, state, this);
            }
        } catch (Refusal e) {
            close(CloseNotice.closing(job.id(), e.reason(), e.getMessage()));
            return;
        }
        if (hello.kind() == Hello.FOLLOWER) {
            return;
        }
        if (withheldWelcome.isHeld()) {
            core.gate().pass(this::greet);
        } else if (rank.state() == RankState.REPLAYING) {
            host.world().onAnswer(host);
        }
    }

    private void greet() {
        if (withheldWelcome.isHeld()) {
            withheldWelcome.release(this::write);
            core.core().writable(rank);
            host.world().onAnswer(host);
        }
    }

    /** Asks the rank to connect again, if it is there. */
    void askMove() {
        if (closed || rank == null) {
            return;
        }
        if (follows) {
            core.core().disconnected(rank, this, CloseNotice.closing(job.id(), CloseReason.MOVED, "the relay changes its mode"));
            hangUp(CloseNotice.closing(job.id(), CloseReason.MOVED, "the relay changes its mode"));
        } else {
            core.core().move(rank);
        }
    }

    @Override
    public void onEnded() {
        hasEnded = true;
        if (parked.isEmpty()) {
            ended();
        }
    }

    private void ended() {
        host.gone(this);
        if (!closed && rank != null) {
            core.core().disconnected(rank, this, CloseNotice.closing(job.id(), CloseReason.NORMAL, "the connection ended"));
        }
        end();
    }

    private void end() {
        parked.clear();
        withheldWelcome.drop();
        closed = true;
        decoder.release();
    }

    @Override
    public void onRead() {
        if (wasUnwritable && writable()) {
            wasUnwritable = false;
            core.after(1, () -> {
                if (!closed && follows) {
                    core.core().writable(rank, this);
                } else if (!closed) {
                    core.core().writable(rank);
                }
            });
        }
    }

    // ---- what goes

    private void write(ByteBuf frame) {
        if (closed) {
            frame.release();
            return;
        }
        if (withheldWelcome.isHeld()) {
            withheldWelcome.add(frame);
            return;
        }
        host.world().trace(() -> "  relay " + host.number() + " -> " + who() + ": " + FrameWords.of(new FrameView().wrap(frame.nioBuffer(), 0)));
        cable.send(bytes(frame));
    }

    private void write(ByteBuffer frame) {
        write(Unpooled.wrappedBuffer(frame));
    }

    @Override
    public void deliver(Message message, Parcel head) {
        BufferParcel frame = (BufferParcel) head;
        frame.toDelivered(0, message.receive().request());
        write(frame.take());
    }

    @Override
    public void push(Message message, long ordinal, Parcel head) {
        BufferParcel frame = (BufferParcel) head;
        frame.toDelivered(FrameView.unasked(ordinal), (int) ordinal);
        write(frame.take());
    }

    @Override
    public void ended(int context, int round, PushWindow.End why, long pushedCost) {
        write(frames.ended(job.id(), context, round, rank.rank(), why, pushedCost));
    }

    @Override
    public void chunk(Parcel chunk) {
        write(((BufferParcel) chunk).take());
    }

    @Override
    public void clear(int context, int destination, long sequence, long upTo) {
        write(frames.clear(job.id(), context, rank.rank(), destination, sequence, upTo));
    }

    @Override
    public void credit(long bytes, int messages) {
        write(frames.credit(job.id(), rank.rank(), bytes, messages));
    }

    @Override
    public void probeAnswer(int request, Message found) {
        if (found == null && failuresHeld > 0) {
            whenSafe(() -> write(frames.probeAnswer(job.id(), request, null)));
        } else {
            write(frames.probeAnswer(job.id(), request, found));
        }
    }

    @Override
    public void cancelled(int request, boolean gone) {
        write(frames.cancelled(job.id(), request, gone));
    }

    @Override
    public void withdrawn(int context, int destination, long sequence, boolean gone) {
        if (gone) {
            whenSafe(() -> write(frames.withdrawn(job.id(), context, rank.rank(), destination, sequence, true)));
        } else {
            write(frames.withdrawn(job.id(), context, rank.rank(), destination, sequence, false));
        }
    }

    @Override
    public void failure(ByteBuffer frame) {
        if (host.world().has(earlyFault(new FrameView().wrap(frame, 0).type()))) {
            tells(frame);
            return;
        }
        failuresHeld++;
        whenSafe(() -> {
            failuresHeld--;
            tells(frame);
        });
    }

    private static PlantedFault earlyFault(FrameType failure) {
        return switch (failure) {
            case RANK_FAILED -> PlantedFault.EARLY_DEATH;
            case REVOKE -> PlantedFault.EARLY_REVOCATION;
            default -> PlantedFault.EARLY_AGREEMENT;
        };
    }

    private void tells(ByteBuffer frame) {
        host.tells(job.opening(), frame);
        write(frame);
    }

    @Override
    public void mismatch(BlockedReport blockedReport) {
        write(blockedReport.encode(FrameType.MISMATCH));
    }

    @Override
    public void events(long first, int count, int failedPolls, ByteBuffer items, boolean end) {
        write(frames.events(job.id(), first, count, failedPolls, items, end));
    }

    @Override
    public void point(CheckpointNotice checkpointNotice) {
        if (checkpointNotice.kind() == CheckpointNotice.Kind.JUMP || checkpointNotice.kind() == CheckpointNotice.Kind.READY) {
            host.world().onPrologueEnd(job.id(), rank.rank());
        }
        if (checkpointNotice.kind() == CheckpointNotice.Kind.SAVED) {
            whenSafe(() -> write(checkpointNotice.encode()));
        } else {
            write(checkpointNotice.encode());
        }
    }

    @Override
    public void image(HistoryStep.ImagePiece piece) {
        write(frames.image(job.id(), piece));
    }

    @Override
    public void ack(long safe, long handled, long[] firstUnsafe) {
        whenSafe(() -> write(frames.ack(job.id(), safe, handled, firstUnsafe)));
    }

    @Override
    public void finalized() {
        whenSafe(() -> write(frames.finalized(job.id())));
    }

    private void whenSafe(Runnable effect) {
        if (job.opening().survivesHost()) {
            core.gate().pass(effect);
        } else {
            effect.run();
        }
    }

    @Override
    public void move() {
        write(frames.move(job.id()));
    }

    @Override
    public void aborted(CloseNotice closeNotice) {
        throw new AssertionError(rank + " is aborted: " + closeNotice);
    }

    @Override
    public void close(CloseNotice why) {
        withheldWelcome.drop();
        if (why.reason() == CloseReason.MOVED && !follows) {
            int move = rank.moves();
            whenSafe(() -> {
                hangUp(why);
                awaitMove(move);
            });
        } else {
            hangUp(why);
        }
    }

    private void hangUp(CloseNotice why) {
        if (!closed) {
            write(why.encode(FrameType.CLOSE));
            closed = true;
            parked.clear();
            cable.closeByRelay();
            core.after(1, this::onEnded);
        }
    }

    private void awaitMove(int move) {
        CloseNotice late = CloseNotice.closing(job.id(), CloseReason.TIMEOUT, "did not connect again");
        core.after(MOVE_TICKS_MAX, () -> core.core().moveFailed(rank, move, late));
    }

    @Override
    public boolean writable() {
        boolean writable = !withheldWelcome.isHeld() && cable.unread() <= slowBytes;
        wasUnwritable |= !writable;
        return writable;
    }
}
