package org.posthouse.relay.shard;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.posthouse.core.CoreConfig;
import org.posthouse.core.Frame;
import org.posthouse.core.HomedRank;
import org.posthouse.core.Job;
import org.posthouse.core.Journal;
import org.posthouse.core.Parcel;
import org.posthouse.core.Peer;
import org.posthouse.core.RelayCore;
import org.posthouse.core.SourceCounters;
import org.posthouse.core.UnexpectedPool;
import org.posthouse.relay.io.ArrivedFrame;
import org.posthouse.relay.io.BufferParcel;
import org.posthouse.relay.io.FlushList;
import org.posthouse.relay.log.HistoryThreads;
import org.posthouse.relay.log.LogBacklog;
import org.posthouse.relay.memory.HistoryBudget;
import org.posthouse.relay.memory.MemoryHistorySource;
import org.posthouse.relay.threads.FatalErrorExit;
import org.posthouse.relay.threads.Strand;
import org.posthouse.relay.threads.StrandClock;
import org.posthouse.relay.threads.StrandExecutor;
import org.posthouse.status.PairTraffic;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobOpen;

/**
 * A fixed part of the relay's ranks: a core, and the strand that owns it. The shards of a relay know each other only as
 * peers, as they know other relays. Their number never changes, so a change of mode moves strands and no rank.
 */
public final class Shard {
    /** Frames of ranks that may be forwarded to another relay, which must then handle them. */
    private static final Set<FrameType> FORWARDED =
            EnumSet.of(FrameType.SEND, FrameType.EAGER, FrameType.OFFER, FrameType.CHUNK, FrameType.RESENT);

    /** Acknowledges handled frames to another core. */
    interface Teller {
        void tellHandled();
    }

    private final int number;
    private final RelayCore core;
    private final StrandClock clock = new StrandClock(System::nanoTime);
    private final FlushList written = new FlushList(new Flushing());
    private final Strand strand;
    private final IntSupplier connections;
    private final List<Way> ways = new ArrayList<>();
    private final OutputGate outputGate;
    private final MemoryHistorySource memoryHistorySource;
    private final LogBacklog logBacklog;

    private final FrameView gateView = new FrameView();

    /** Whether there was ever a job whose frames pass the gate. */
    private boolean gates;

    /** Cores whose frames were handled in this turn, to acknowledge at its end. Confined to the strand. */
    private final List<Teller> toTell = new ArrayList<>();

    // Reused views of a frame from another shard. Confined to the strand.
    private final ArrivedFrame taken = new ArrivedFrame();
    private final FrameView takenView = new FrameView();

    /** The core's last counters. Written inside the strand, read by any thread. */
    private volatile ShardStatus status = ShardStatus.NOTHING;

    /**
     * @param pool memory that the relay's shards share
     * @param histories the histories of its ranks, and the thread that reads them
     * @param budget for histories of jobs without a log, which the relay's shards share
     * @param gate delays what leaves the relay, in jobs with durability {@code host}
     * @param connections number of the relay's connections
     */
    Shard(
            int number, String relay, CoreConfig config, int shards, UnexpectedPool pool, StrandExecutor home, HistoryThreads historyThreads,
            HistoryBudget budget, OutputGate outputGate, IntSupplier connections) {
        this.connections = connections;
        this.outputGate = outputGate;
        this.logBacklog = new LogBacklog(historyThreads.log()::isFull, job -> historyThreads.log().room().waits(job));
        this.number = number;
        this.memoryHistorySource = new MemoryHistorySource(new HistoryReader(this, historyThreads), budget, clock, work -> strand().post(work), this::core);
        this.core = new RelayCore(relay, config, shards, pool, clock, memoryHistorySource, new ImageWriter(this, historyThreads));
        this.strand = new Strand(home, this::endTurn);
    }

    private void endTurn() {
        feedFollowers();
        written.endTurn();
        if (outputGate.keepsHandled()) {
            outputGate.forgo(job -> core.job(job) == null);
        }
        tellHandled();
        clock.endTurn();
    }

    /** Followers get what was logged in this turn, or a sync of the log that they need for it. */
    private void feedFollowers() {
        if (core.hasFollowers()) {
            core.logSafe(outputGate.safe());
            if (core.waitsForSync()) {
                outputGate.sync();
            }
        }
    }

    /** The log is synced further. Confined to the strand. */
    public void synced() {
        assert strand.isInside();
        outputGate.open(); // Followers get what is safe at the end of this turn.
    }

    /** Drops followers that are too far behind, and promotes others. Confined to the strand. @param bytesFrom bytes that the log has from a position on */
    public void lookAtFollowers(LongUnaryOperator bytesFrom) {
        memoryHistorySource.look();
        if (core.hasFollowers()) {
            core.lookAtFollowers(bytesFrom);
        }
    }

    /** Makes the shards of one relay known to each other. Called once, before anything else. */
    static void introduce(List<Shard> shards) {
        for (Shard shard : shards) {
            for (Shard other : shards) {
                shard.ways.add(shard.new Way(other));
            }
        }
    }

    public int number() {
        return number;
    }

    public Strand strand() {
        return strand;
    }

    /** Confined to the strand. */
    public RelayCore core() {
        assert strand.isInside();
        return core;
    }

    /** The connections to flush. Confined to the strand, except {@link FlushList#spread}. */
    public FlushList written() {
        return written;
    }

    /** The peer by which this shard's core knows another shard; null for itself. */
    Peer peer(int shard) {
        return shard == number ? null : ways.get(shard);
    }

    /**
     * Handles a frame from another relay for a rank of this shard: at once if the caller is inside the strand,
     * otherwise later.
     *
     * @param number the frame's number on the link
     * @return whether it was handled; otherwise {@link RelayPeer#handled} is called later
     */
    boolean fromLink(
            RelayPeer peer, long number, ArrivedFrame arrived, ByteBuf buffer, int index, int length, FrameView view) {
        if (!strand.isInside()) {
            heldFromLink(peer, number, BufferParcel.keep(buffer, index, length));
            return false;
        }
        if (mustWait(view)) {
            ByteBuf held = BufferParcel.keep(buffer, index, length);
            park(peer, view.job(), held, () -> takeHeld(peer, number, held));
            return false;
        }
        boolean handled = core.fromPeer(peer, arrived.set(buffer, index, length, view));
        if (handled && !isGated(view.job())) {
            return true;
        }
        sayHandled(peer, number, view.job(), handled);
        return false;
    }

    /**
     * Acknowledges a frame, behind the gate if its job needs that.
     *
     * @param handled false if the log did not take the frame; it is then acknowledged when its job has ended
     */
    private void sayHandled(RelayPeer peer, long number, long job, boolean handled) {
        if (!handled) {
            outputGate.keepHandled(job, () -> peer.handled(number));
        } else if (isGated(job)) {
            outputGate.passHandled(job, () -> peer.handled(number));
        } else {
            peer.handled(number);
        }
    }

    /** Handles a frame from another relay later. Takes over the buffer, which holds this frame alone. */
    void heldFromLink(RelayPeer peer, long number, ByteBuf held) {
        strand.submit(() -> {
            if (!waits(peer, held, () -> takeHeld(peer, number, held))) {
                takeHeld(peer, number, held);
            }
        });
    }

    private void takeHeld(RelayPeer peer, long number, ByteBuf held) {
        long job = gateView.wrap(held.nioBuffer(), 0).job();
        boolean handled = true; // Also if it throws, because it would throw again.
        try {
            handled = take(peer, held, held.readerIndex(), held.readableBytes());
        } finally {
            sayHandled(peer, number, job, handled);
        }
    }

    // ---- without room in the log

    /** Whether a rank's frame must wait for room in the log, or for other relays to handle more of its frames. */
    public boolean mustWait(HomedRank rank, FrameType type) {
        return rank.job().isInLog() && backlog().stopsFirst(type) || rank.job().logged() && FORWARDED.contains(type) && rank.sends().isHeavy();
    }

    /**
     * Calls back when the rank's frames need not wait any more for one of the two. The caller asks again then: the other
     * may hold them.
     */
    public void whenRoom(HomedRank rank, Runnable goOn) {
        if (rank.sends().isHeavy()) {
            rank.sends().whenLighter(() -> strand.post(goOn));
        } else {
            backlog().add(goOn);
            logBacklog.waits(rank.job().id());
        }
    }

    /** Frames and connections that wait for room in the log. Confined to the strand. */
    LogBacklog backlog() {
        assert strand.isInside();
        return logBacklog;
    }

    /** Continues with what waited, once the log has room again. Confined to the strand. */
    public void goOnWithRoom() {
        assert strand.isInside();
        logBacklog.goOn();
    }

    /**
     * Whether another core's frame must wait for room in the log. A frame of a job that has just ended waits behind
     * others, although nothing of it is logged: kept frames are counted in order across all jobs.
     */
    private boolean mustWait(FrameView view) {
        return mustWait(view.job(), view.type());
    }

    private boolean mustWait(long id, FrameType type) {
        if (logBacklog.isIdle()) {
            return false;
        }
        Job job = core.job(id);
        return job == null ? logBacklog.holdsFrames() : job.isInLog() && logBacklog.stops(type);
    }

    /** The same for a frame that is held. If it must wait, {@code work} will handle it. */
    private boolean waits(Peer peer, ByteBuf held, Runnable work) {
        if (logBacklog.isIdle()) {
            return false;
        }
        FrameView view = takenView.wrap(held.nioBuffer(), 0);
        boolean waits = mustWait(view);
        if (waits) {
            park(peer, view.job(), held, work);
        }
        return waits;
    }

    private void park(Peer peer, long job, ByteBuf held, Runnable work) {
        logBacklog.add(peer, held, work);
        logBacklog.waits(job);
    }

    // ---- other cores

    /** The output gate for effects that need a synced log. Confined to the strand. */
    public OutputGate gate() {
        assert strand.isInside();
        return outputGate;
    }

    /** Whether output of this job must pass the gate. Confined to the strand. */
    boolean isGated(long job) {
        assert strand.isInside();
        if (!gates) {
            return false;
        }
        Job open = core().job(job);
        return open != null && open.survivesHost();
    }

    /** The same for the job of this frame. */
    boolean isGated(ByteBuf frame) {
        return gates && isGated(gateView.wrap(frame.nioBuffer(), 0).job());
    }

    /**
     * Called when a job is opened. If it has durability {@code host}, each frame's job is checked from then on.
     * Confined to the strand.
     */
    public void gate(JobOpen opening) {
        assert strand.isInside();
        if (opening.survivesHost()) {
            gates = true;
            outputGate.pass(() -> {}); // Starts a sync now: until the job's opening is on the disk, a power cut loses all of the job.
        }
    }

    /** The journal of a job at this shard that is not logged. Called before the job is opened, inside the strand. */
    Journal journal(JobOpen opening) {
        return opening.remembers() ? memoryHistorySource.journal(opening) : Journal.NONE;
    }

    /** Registers an acknowledgement for the end of the turn. Confined to the strand. */
    void tellAtEndOfTurn(Teller teller) {
        assert strand.isInside();
        toTell.add(teller);
    }

    /**
     * Called when another relay was restarted. Confined to the strand.
     *
     * @param frames frames that it may not have handled; taken over
     */
    void peerRestarted(RelayPeer peer, List<ByteBuf> frames) {
        assert strand.isInside();
        logBacklog.drop(peer);
        List<Frame> unacknowledged = new ArrayList<>();
        for (ByteBuf frame : frames) {
            int bytes = frame.readableBytes();
            FrameView view = new FrameView().wrap(frame.nioBuffer(), 0);
            unacknowledged.add(new ArrivedFrame().set(frame, frame.readerIndex(), bytes, view));
        }
        try {
            core.peerRestarted(peer, unacknowledged);
        } finally {
            frames.forEach(ByteBuf::release);
        }
    }

    /**
     * Handles a frame from another shard, now if nobody is inside the strand. Takes over one reference to its buffer.
     */
    private void fromShard(Way peer, ByteBuf buffer, int index, int length, boolean kept) {
        if (strand.tryEnter()) {
            try {
                if (logBacklog.isIdle()) {
                    take(peer, buffer, index, length, kept);
                } else {
                    takeOrWait(peer, BufferParcel.keep(buffer, index, length), kept);
                    buffer.release();
                }
            } catch (VirtualMachineError e) {
                FatalErrorExit.report(e);
                throw e;
            } finally {
                strand.leave();
            }
        } else {
            ByteBuf held = BufferParcel.keep(buffer, index, length);
            strand.submit(() -> takeOrWait(peer, held, kept));
            buffer.release();
        }
    }

    private void takeOrWait(Way peer, ByteBuf held, boolean kept) {
        if (!waits(peer, held, () -> take(peer, held, held.readerIndex(), held.readableBytes(), kept))) {
            take(peer, held, held.readerIndex(), held.readableBytes(), kept);
        }
    }

    /**
     * Handles another shard's report of a blocked rank, behind all frames that the shard forwarded before. Confined to
     * the strand.
     */
    private void stalled(Way peer, FrameType type, BlockedReport blockedReport) {
        assert strand.isInside();
        if (mustWait(blockedReport.job(), type)) {
            logBacklog.addWord(peer, () -> core.stalled(peer, type, blockedReport));
        } else {
            core.stalled(peer, type, blockedReport);
        }
    }

    /** Handles another core's frame about failures, behind all frames that it forwarded before. Confined to the strand. */
    public void failure(Peer peer, ByteBuf frame) {
        assert strand.isInside();
        takenView.wrap(frame.nioBuffer(), 0);
        core.failure(peer, taken.set(frame, frame.readerIndex(), frame.readableBytes(), takenView));
    }

    private void take(Way peer, ByteBuf buffer, int index, int length, boolean kept) {
        take(peer, buffer, index, length);
        count(peer, kept);
    }

    /**
     * Counts a handled frame that a rank of another shard keeps; the count is sent to that shard at the end of the
     * turn.
     */
    private void count(Way peer, boolean kept) {
        if (kept) {
            if (peer.keptHandled == peer.keptTold) {
                tellAtEndOfTurn(peer);
            }
            peer.keptHandled++;
        }
    }

    private void tellHandled() {
        if (!toTell.isEmpty()) {
            toTell.forEach(Teller::tellHandled);
            toTell.clear();
        }
    }

    /**
     * Handles a whole frame and releases its buffer. Uses a view of its own, because others may be reading the buffer.
     *
     * @return the result of {@link RelayCore#fromPeer}
     */
    private boolean take(Peer peer, ByteBuf buffer, int index, int length) {
        try {
            takenView.wrap(buffer.nioBuffer(index, length), 0);
            return core.fromPeer(peer, taken.set(buffer, index, length, takenView));
        } finally {
            buffer.release();
        }
    }

    ShardStatus status() {
        return status;
    }

    /** Updates the counters. Confined to the strand. */
    ShardStatus count(CoreConfig credit) {
        status = ShardStatus.of(core(), credit, strand.takeDeepest(), number == 0);
        return status;
    }

    /** The rank, or null if it is not one of this shard's. Confined to the strand. */
    HomedRank rank(long job, int rank) {
        Job open = core().job(job);
        return open == null ? null : open.homed(rank);
    }

    /** By rank of the job in this shard, the counters of its deliveries. Confined to the strand. */
    Map<Integer, SourceCounters> deliveries(long job) {
        Job open = core().job(job);
        return open == null ? Map.of() : open.homedRanks().stream().collect(Collectors.toMap(HomedRank::rank, rank -> rank.counters().sources()));
    }

    /** The deliveries to the job's ranks in this shard, by source and destination. Confined to the strand. */
    public List<PairTraffic> traffic(long job) {
        Job open = core().job(job);
        List<PairTraffic> pairs = new ArrayList<>();
        if (open != null) {
            for (HomedRank rank : open.homedRanks()) {
                rank.counters().sources().forEach((source, messages, bytes) -> pairs.add(new PairTraffic(source, rank.rank(), messages, bytes)));
            }
        }
        return pairs;
    }

    /** The states of the job's ranks in this shard, as last told to their launcher. Confined to the strand. */
    public List<JobEvent> standings(long job) {
        Job open = core().job(job);
        return open == null
                ? List.of()
                : open.homedRanks().stream()
                        .flatMap(rank -> Stream.of(
                                rank.checkpoints().outputNotesTold(),
                                standing(job, rank).stream().toList(),
                                following(job, rank),
                                rank.checkpoints().asking().stream().toList(),
                                rank.standstill().stream().toList()))
                        .flatMap(List::stream)
                        .toList();
    }

    /** The process that leads the rank, and those that follow it, if any ever did. */
    private static List<JobEvent> following(long job, HomedRank rank) {
        return Stream.concat(
                rank.leader().stream(),
                rank.followerStates().stream().map(state -> new JobEvent(job, JobEvent.FOLLOWS, rank.rank(), state.incarnation(), "")))
                .toList();
    }

    private static Optional<JobEvent> standing(long job, HomedRank rank) {
        int kind = switch (rank.state()) {
            case WAITING -> 0;
            case CONNECTED, MOVING -> JobEvent.CONNECTED;
            case REPLAYING -> JobEvent.REPLAYING;
            case AWAY -> JobEvent.AWAY;
            case FINALIZED -> JobEvent.FINALIZED;
            case LOST -> JobEvent.LOST;
        };
        return kind == 0 ? Optional.empty() : Optional.of(new JobEvent(job, kind, rank.rank(), 0, "as it stands"));
    }

    @Override
    public String toString() {
        return "shard " + number;
    }

    private final class Flushing implements FlushList.Owner {
        @Override
        public boolean passes() {
            return strand.passes();
        }

        @Override
        public int connections() {
            return connections.getAsInt();
        }

        @Override
        public void afterPass(Runnable work) {
            strand.afterPass(work);
        }

        @Override
        public void submit(Runnable work) {
            strand.submit(work);
        }
    }

    /** The peer that leads from this shard to another of the same relay. Called inside this shard's strand. */
    private final class Way extends FramePeer implements Teller {
        private final Shard to;

        /** Number of that shard's kept frames that were handled here, and the number reported to it. */
        private long keptHandled;

        private long keptTold;

        private Way(Shard to) {
            this.to = to;
        }

        @Override
        public boolean isFar() {
            return false;
        }

        @Override
        public void send(ByteBuf frame) {
            to.fromShard(to.ways.get(number), frame, frame.readerIndex(), frame.readableBytes(), false);
        }

        @Override
        public void tellHandled() {
            long handled = keptHandled;
            keptTold = handled;
            to.strand.post(() -> to.core.handled(to.ways.get(number), false, handled));
        }

        @Override
        public boolean forward(Parcel frame, boolean kept) {
            BufferParcel parcel = (BufferParcel) frame;
            to.fromShard(to.ways.get(number), parcel.takeBuffer(), parcel.index(), parcel.bytes(), kept);
            return true;
        }

        @Override
        public void stall(FrameType type, BlockedReport blockedReport) {
            to.strand.submit(() -> to.stalled(to.ways.get(number), type, blockedReport));
        }

        @Override
        public void failure(ByteBuffer frame, boolean behind) {
            Way back = to.ways.get(number);
            to.strand.submit(() -> to.failure(back, Unpooled.wrappedBuffer(frame)));
        }

        @Override
        public String toString() {
            return to.toString();
        }
    }
}
