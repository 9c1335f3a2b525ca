package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.posthouse.core.HistoryStep;
import org.posthouse.core.HomedRank;
import org.posthouse.core.Job;
import org.posthouse.core.Message;
import org.posthouse.core.Parcel;
import org.posthouse.core.PushWindow;
import org.posthouse.core.RankPort;
import org.posthouse.core.RankState;
import org.posthouse.core.Refusal;
import org.posthouse.core.RelayCore;
import org.posthouse.relay.io.ArrivedFrame;
import org.posthouse.relay.io.BufferParcel;
import org.posthouse.relay.io.FrameBuilder;
import org.posthouse.relay.io.OutboundChannel;
import org.posthouse.relay.names.NameCaller;
import org.posthouse.relay.names.NameRequests;
import org.posthouse.relay.shard.Shard;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.CheckpointNotice;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.JobJoin;
import org.posthouse.wire.JobJoined;
import org.posthouse.wire.JointEnded;
import org.posthouse.wire.NamePage;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Token;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.WireException;

/**
 * The session of a connected rank: passes its frames to the core, and the core's effects to its connection. Confined to
 * its shard's strand.
 */
sealed class RankSession implements Session, RankPort permits FollowerSession {
    /** Milliseconds in which a rank must reconnect after it has left a connection for a change of mode. */
    private static final int MOVE_MS_MAX = 30_000;

    /**
     * Limit of frames that wait for a rank that does not read, twice as many as it may have receives posted. As many
     * more may wait until this is noticed: 64 MiB without their payload, which credit bounds.
     */
    static final int UNREAD_MAX = 512 * 1_024;

    /** Limit of bytes about names that wait for a rank that does not read. */
    private static final int NAME_BYTES_UNREAD_MAX = 8 << 20;

    private final RelayCore core;
    private final Shard shard;
    private final Connection connection;
    private final OutboundChannel outboundChannel;
    private final long job;
    private final ArrivedFrame arrived = new ArrivedFrame();
    private final FrameBuilder frames = new FrameBuilder();
    private final WithheldWelcome withheldWelcome = new WithheldWelcome();
    private final Hello hello;

    private final NameRequests names;

    /** Entries of the rank's STATE pages, until it is admitted. */
    private List<StatePage.Entry> state = new ArrayList<>();

    private int pages;

    /** Frames and bytes that were written, and the bytes that had been written at the last check of the connection. */
    private long framesWritten;

    private long bytesWritten;
    private long bytesBefore;

    /** Bytes about names that may not have left yet. */
    private int nameBytesUnread;

    /** Frames about failures that wait for their records to be safe. */
    private int failuresHeld;

    /**
     * Whether the connection was still there when the rank had proven its identity; it may have made room for another.
     */
    private boolean mayCome;

    /** Null until it is admitted. */
    private HomedRank rank;

    /** Whether it came from another connection of this relay. */
    private boolean moved;

    RankSession(Shard shard, Connection connection, Hello hello) {
        this.core = shard.core();
        this.shard = shard;
        this.connection = connection;
        this.outboundChannel = connection.line();
        this.job = hello.job();
        this.hello = hello;
        this.names = connection.relay().names().requests(
                new NameCaller.Rank(Job.hexId(job), hello.rank()), frame -> shard.strand().submit(() -> writeNames(frame)));
    }

    /**
     * Admits the rank when all its STATE pages have arrived. The answer waits until the log is safe up to what it
     * tells.
     */
    @Override
    public void begin() throws Refusal {
        mayCome = connection.tryAdmit();
        if (hello.pages() == 0) {
            admit();
        }
    }

    private void admit() throws Refusal {
        if (!mayCome) {
            return;
        }
        connect(core, hello, state);
        state = List.of();
        if (moved) {
            connection.relay().moves().came(rank);
        }
        if (withheldWelcome.isHeld()) {
            shard.gate().pass(this::greet);
        }
        connection.movedBy().ifPresent(this::askMove);
    }

    /** Has the core admit the process, which greets it. */
    void connect(RelayCore core, Hello hello, List<StatePage.Entry> state) throws Refusal {
        core.connect(hello, state, this);
    }

    @Override
    public void welcome(HomedRank admitted, Welcome welcome, List<StatePage.Entry> entries) {
        moved = admitted.state() == RankState.MOVING;
        if (admitted.state() == RankState.REPLAYING && admitted.job().survivesHost()) {
            withheldWelcome.hold();
        }
        greet(admitted, welcome.encode(), entries);
    }

    /** Answers a process that is admitted. */
    final void greet(HomedRank admitted, ByteBuffer answer, List<StatePage.Entry> entries) {
        rank = admitted;
        connection.greeted();
        write(answer);
        StatePage.encode(job, entries).forEach(this::write);
    }

    /** Holds all frames from now on until the log is safe up to where it stands, for a job that survives its host. */
    final void withhold() {
        if (rank.job().survivesHost()) {
            withheldWelcome.hold();
            shard.strand().post(() -> shard.gate().pass(this::greet)); // The core is at work now.
        }
    }

    /** The rank of the process; null until it is admitted. */
    final HomedRank rank() {
        return rank;
    }

    final RelayCore core() {
        return core;
    }

    /** Sends the held answer, because the log is safe now. Does nothing if the answer was dropped meanwhile. */
    private void greet() {
        if (withheldWelcome.isHeld()) {
            withheldWelcome.release(this::write);
            core.writable(rank);
        }
    }

    /** Handles a page of the rank's state. */
    private void onState(StatePage page) throws WireException {
        pages++;
        if (page.left() != hello.pages() - pages) {
            throw new WireException(
                    CloseReason.NOT_EXPECTED, "STATE with " + page.left() + " pages left as page " + pages + " of " + hello.pages());
        }
        state.addAll(page.entries());
        if (page.left() == 0) {
            try {
                admit();
            } catch (Refusal e) {
                connection.close(CloseNotice.closing(job, e.reason(), e.getMessage()));
            }
        }
    }

    @Override
    public boolean comesAgain() {
        return rank != null && rank.job().isInLog();
    }

    /** Asks the rank to reconnect, unless it has gone. A rank that is not admitted yet is asked on admission. */
    void askMove(ModeSwitch change) {
        if (rank != null && core.move(rank)) {
            change.asked(rank);
        }
    }

    @Override
    public void onFrame(ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        if (rank == null) {
            onFrameBeforeAdmission(buffer, index, length, view);
            return;
        }
        switch (view.type()) {
            case CLOSE -> outboundChannel.cut(CloseNotice.decode(ArrivedFrame.copy(buffer, index, length)));
            case NAME_ASK -> names.onPage(NamePage.decode(ArrivedFrame.copy(buffer, index, length)));
            case JOB_JOIN -> join(JobJoin.decode(ArrivedFrame.copy(buffer, index, length)));
            case HELLO, STATE -> throw new WireException(CloseReason.NOT_EXPECTED, view.type() + " from " + rank + ", which was admitted");
            default -> take(arrived.set(buffer, index, length, view));
        }
    }

    /** Passes a frame to the core. */
    void take(ArrivedFrame frame) throws WireException {
        core.fromRank(rank, frame);
    }

    /** Answers in the shard's strand when the joint job is open. */
    private void join(JobJoin join) throws WireException {
        if (join.job() != job) {
            throw new WireException(CloseReason.UNKNOWN_JOB, "JOB_JOIN of job " + Job.hexId(join.job()) + " from " + rank);
        }
        Relay relay = connection.relay();
        int number = rank.rank();
        JointJobs.Member member = why -> shard.strand().submit(() -> write(new JointEnded(job, join.joint(), why).encode()));
        relay.control().submit(() -> relay.joints().join(join, number).onComplete((token, fault) -> {
            OpenJob own = relay.jobs().job(job);
            JobJoined answer = fault != null || own == null
                    ? new JobJoined(job, join.joint(), Token.NONE, fault == null ? "its own job has ended" : String.valueOf(fault.getMessage()))
                    : new JobJoined(job, join.joint(), JobJoined.seal(token, own.opening().token().ofRank(number), join.joint()), "");
            shard.strand().submit(() -> write(answer.encode()));
            if (answer.refusal().isEmpty()) {
                relay.joints().answered(join, member);
            }
        }));
    }

    @Override
    public boolean mustWait(FrameView view) {
        return rank != null && shard.mustWait(rank, view.type());
    }

    @Override
    public void whenRoom(Runnable goOn) {
        shard.whenRoom(rank, goOn);
    }

    private void onFrameBeforeAdmission(ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        switch (view.type()) {
            case STATE -> onState(StatePage.decode(ArrivedFrame.copy(buffer, index, length)));
            case CLOSE -> outboundChannel.cut(CloseNotice.decode(ArrivedFrame.copy(buffer, index, length)));
            default -> throw new WireException(
                    CloseReason.NOT_EXPECTED, view.type() + " after " + pages + " of " + hello.pages() + " pages of STATE");
        }
    }

    private void write(ByteBuf frame) {
        if (withheldWelcome.isHeld()) {
            withheldWelcome.add(frame);
            return;
        }
        int bytes = frame.readableBytes();
        outboundChannel.write(frame);
        wrote(bytes);
    }

    private void write(BufferParcel frame) {
        assert !withheldWelcome.isHeld() : rank + " is sent a message before it is greeted";
        int bytes = frame.bytes();
        frame.writeTo(outboundChannel);
        wrote(bytes);
    }

    /** Writes a page about names, which no credit bounds. */
    private void writeNames(ByteBuffer page) {
        nameBytesUnread = Math.min(nameBytesUnread, outboundChannel.waitingBytes()) + page.remaining();
        write(page);
        if (nameBytesUnread > NAME_BYTES_UNREAD_MAX) {
            connection.close(CloseNotice.closing(job, CloseReason.LIMIT, "it does not read: " + nameBytesUnread + " bytes about names wait for it, expected "
                    + NAME_BYTES_UNREAD_MAX + " at most"));
        }
    }

    private void wrote(int bytes) {
        shard.written().add(outboundChannel, bytes);
        bytesWritten += bytes;
        if (++framesWritten % UNREAD_MAX == 0) {
            if (bytesWritten - outboundChannel.waitingBytes() < bytesBefore) {
                connection.close(
                        CloseNotice.closing(job, CloseReason.LIMIT, "it does not read: more than " + UNREAD_MAX + " frames wait for it, the most that may"));
            }
            bytesBefore = bytesWritten;
        }
    }

    final void write(ByteBuffer frame) {
        write(Unpooled.wrappedBuffer(frame));
    }

    @Override
    public void onWritable() {
        if (rank == null) {
            return;
        }
        core.writable(rank);
    }

    @Override
    public void onClosed(CloseNotice why) {
        withheldWelcome.drop();
        names.close();
        if (rank == null) {
            return;
        }
        core.disconnected(rank, this, why);
        if (rank.state() == RankState.FINALIZED || rank.state() == RankState.LOST || rank.state() == RankState.AWAY) {
            connection.relay().moves().gone(rank);
        }
    }

    @Override
    public void deliver(Message message, Parcel head) {
        BufferParcel frame = (BufferParcel) head;
        frame.toDelivered(0, message.receive().request());
        write(frame);
    }

    @Override
    public void push(Message message, long ordinal, Parcel head) {
        BufferParcel frame = (BufferParcel) head;
        frame.toDelivered(FrameView.unasked(ordinal), (int) ordinal);
        write(frame);
    }

    @Override
    public void ended(int context, int round, PushWindow.End why, long pushedCost) {
        write(frames.ended(job, context, round, rank.rank(), why, pushedCost));
    }

    @Override
    public void chunk(Parcel chunk) {
        write((BufferParcel) chunk);
    }

    @Override
    public void clear(int context, int destination, long sequence, long upTo) {
        write(frames.clear(job, context, rank.rank(), destination, sequence, upTo));
    }

    @Override
    public void credit(long bytes, int messages) {
        write(frames.credit(job, rank.rank(), bytes, messages));
    }

    @Override
    public void probeAnswer(int request, Message found) {
        if (found == null && failuresHeld > 0) {
            whenSafe(() -> write(frames.probeAnswer(job, request, null))); // Its source may be dead: the rank hears that first.
        } else {
            write(frames.probeAnswer(job, request, found));
        }
    }

    @Override
    public void cancelled(int request, boolean gone) {
        write(frames.cancelled(job, request, gone));
    }

    @Override
    public void withdrawn(int context, int destination, long sequence, boolean gone) {
        if (gone) {
            // The rank keeps a copy of the offer until this is safe, but none of its withdrawal.
            whenSafe(() -> write(frames.withdrawn(job, context, rank.rank(), destination, sequence, true)));
        } else {
            write(frames.withdrawn(job, context, rank.rank(), destination, sequence, false));
        }
    }

    @Override
    public void failure(ByteBuffer frame) {
        failuresHeld++;
        whenSafe(() -> { // Nobody acts on what the relay's host may forget.
            failuresHeld--;
            write(frame);
        });
    }

    @Override
    public void mismatch(BlockedReport blockedReport) {
        write(blockedReport.encode(FrameType.MISMATCH));
    }

    @Override
    public void events(long first, int count, int failedPolls, ByteBuffer items, boolean end) {
        write(frames.events(job, first, count, failedPolls, items, end));
    }

    @Override
    public void point(CheckpointNotice checkpointNotice) {
        if (checkpointNotice.kind() == CheckpointNotice.Kind.SAVED) {
            whenSafe(() -> write(checkpointNotice.encode())); // The rank then relies on a restart from there.
        } else {
            write(checkpointNotice.encode());
        }
    }

    @Override
    public void image(HistoryStep.ImagePiece piece) {
        write(frames.image(job, piece));
    }

    @Override
    public void ack(long safe, long handled, long[] firstUnsafe) {
        whenSafe(() -> write(frames.ack(job, safe, handled, firstUnsafe)));
    }

    /** Runs the effect: now, or for a job with durability {@code host} when the log is safe. */
    final void whenSafe(Runnable effect) {
        if (rank.job().survivesHost()) {
            shard.gate().pass(effect);
        } else {
            effect.run();
        }
    }

    @Override
    public void move() {
        write(frames.move(job));
    }

    @Override
    public void finalized() {
        whenSafe(() -> write(frames.finalized(job)));
    }

    @Override
    public void aborted(CloseNotice closeNotice) {
        withheldWelcome.drop();
        write(closeNotice.encode(FrameType.ABORT));
        connection.close(CloseNotice.closing(job, CloseReason.JOB_ABORTED, closeNotice.text()));
    }

    @Override
    public void close(CloseNotice why) {
        withheldWelcome.drop();
        if (why.reason() == CloseReason.MOVED) {
            int move = rank.moves();
            connection.relay().moves().left(rank);
            whenSafe(() -> leave(why, move)); // Behind earlier frames that wait at the gate, which cannot be sent once the connection is closed.
        } else {
            connection.close(why);
        }
    }

    private void leave(CloseNotice why, int move) {
        connection.close(why);
        CloseNotice late = CloseNotice.closing(job, CloseReason.TIMEOUT, "did not connect again within " + MOVE_MS_MAX + " ms");
        connection.relay()
                .loop()
                .schedule(
                        () -> shard.strand().post(() -> core.moveFailed(rank, move, late)),
                        MOVE_MS_MAX,
                        TimeUnit.MILLISECONDS);
    }

    @Override
    public boolean writable() {
        return !withheldWelcome.isHeld() && outboundChannel.writable();
    }

    @Override
    public String toString() {
        return rank == null ? "rank " + hello.rank() + " before its admission" : rank + (rank.state() == RankState.FINALIZED ? " (finalized)" : "");
    }
}
