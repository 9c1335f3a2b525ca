package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.stream.Stream;
import org.posthouse.core.CoreConfig;
import org.posthouse.core.Frame;
import org.posthouse.core.HomedRank;
import org.posthouse.core.Job;
import org.posthouse.core.Parcel;
import org.posthouse.core.Peer;
import org.posthouse.core.RelayCore;
import org.posthouse.core.UnexpectedPool;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobOpen;

/**
 * One part of the relay's ranks: a core, and the strand that owns it. The shards of a relay know each other as peers
 * only, as they know other relays; how many there are never changes, so that a change of mode moves strands and no rank.
 */
final class Shard {
    /** Tells another core that frames of it were handled. */
    interface Teller {
        void tellHandled();
    }

    private final int number;
    private final RelayCore core;
    private final TurnClock clock = new TurnClock(System::nanoTime);
    private final FlushList written = new FlushList(new Flushing());
    private final Strand strand;
    private final IntSupplier connections;
    private final List<Way> ways = new ArrayList<>();
    private final Gate gate;
    private final Backlog backlog;

    private final FrameView gateView = new FrameView();

    /** Whether there was ever a job whose frames go through the gate. */
    private boolean gates;

    /** Other cores of whose frames some were handled in this turn. Confined to the strand. */
    private final List<Teller> toTell = new ArrayList<>();

    // What is looked at of a frame from another shard. Confined to the strand.
    private final ArrivedFrame taken = new ArrivedFrame();
    private final FrameView takenView = new FrameView();

    /** What the core has done, as it was last counted. Written inside the strand, read by any thread. */
    private volatile ShardStatus status = ShardStatus.NOTHING;

    /**
     * @param pool memory that the relay's shards share
     * @param histories where the histories of its ranks are, and the thread that reads them
     * @param gate what leaves the relay goes through it in jobs that survive its host
     * @param connections how many the relay has
     */
    Shard(
            int number, String relay, CoreConfig config, int shards, UnexpectedPool pool, Workplace home, Histories histories, Gate gate,
            IntSupplier connections) {
        this.connections = connections;
        this.gate = gate;
        this.backlog = new Backlog(histories.journal()::isFull, job -> histories.journal().room().waits(job));
        this.number = number;
        this.core = new RelayCore(relay, config, shards, pool, clock, new HistoryReader(this, histories), new ImageWriter(this, histories));
        this.strand = new Strand(home, this::endTurn);
    }

    private void endTurn() {
        written.endTurn();
        if (gate.keepsHandled()) {
            gate.forgo(job -> core.job(job) == null);
        }
        tellHandled();
        clock.endTurn();
    }

    /** Makes the shards of one relay known to each other. Called once, before anything else. */
    static void introduce(List<Shard> shards) {
        for (Shard shard : shards) {
            for (Shard other : shards) {
                shard.ways.add(shard.new Way(other));
            }
        }
    }

    int number() {
        return number;
    }

    Strand strand() {
        return strand;
    }

    /** Confined to the strand. */
    RelayCore core() {
        assert strand.isInside();
        return core;
    }

    /** The connections to flush. Confined to the strand, but for {@link FlushList#spread}. */
    FlushList written() {
        return written;
    }

    /** How this shard's core sees another shard, or itself as null. */
    Peer peer(int shard) {
        return shard == number ? null : ways.get(shard);
    }

    /**
     * A frame from another relay, for a rank of this shard: handled now if the caller is inside the strand, else held until then.
     *
     * @param number what the link calls it
     * @return whether it was handled; else {@link RelayPeer#handled} is told
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

    /** @param handled whether it was; else that is told when the job has ended */
    private void sayHandled(RelayPeer peer, long number, long job, boolean handled) {
        if (!handled) {
            gate.keepHandled(job, () -> peer.handled(number));
        } else if (isGated(job)) {
            gate.passHandled(job, () -> peer.handled(number));
        } else {
            peer.handled(number);
        }
    }

    /** The same of a frame that was held before; takes over the buffer, which is the frame's alone. */
    void heldFromLink(RelayPeer peer, long number, ByteBuf held) {
        strand.submit(() -> {
            if (!waits(peer, held, () -> takeHeld(peer, number, held))) {
                takeHeld(peer, number, held);
            }
        });
    }

    private void takeHeld(RelayPeer peer, long number, ByteBuf held) {
        long job = gateView.wrap(held.nioBuffer(), 0).job();
        boolean handled = true; // Also what breaks off: it would break off again.
        try {
            handled = take(peer, held, held.readerIndex(), held.readableBytes());
        } finally {
            sayHandled(peer, number, job, handled);
        }
    }

    // ---- without room in the log

    /** What waits for room in the log. Confined to the strand. */
    Backlog backlog() {
        assert strand.isInside();
        return backlog;
    }

    /** There is room in the log again. Confined to the strand. */
    void goOnWithRoom() {
        assert strand.isInside();
        backlog.goOn();
    }

    /**
     * Whether another core's frame must wait for room in the log. One of a job that has just ended waits behind others, though nothing of it is logged:
     * kept frames are counted in their order, whosever they are.
     */
    private boolean mustWait(FrameView view) {
        return mustWait(view.job(), view.type());
    }

    private boolean mustWait(long id, FrameType type) {
        if (backlog.isIdle()) {
            return false;
        }
        Job job = core.job(id);
        return job == null ? backlog.holdsFrames() : job.logged() && backlog.stops(type);
    }

    /** The same of a frame that is held; if it must, this work will handle it. */
    private boolean waits(Peer peer, ByteBuf held, Runnable work) {
        if (backlog.isIdle()) {
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
        backlog.add(peer, held, work);
        backlog.waits(job);
    }

    // ---- other cores

    /** What must wait for the log to be on its disk. Confined to the strand. */
    Gate gate() {
        assert strand.isInside();
        return gate;
    }

    /** Whether what leaves the relay for this job must. Confined to the strand. */
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

    /** A job that survives its relay's host is opened: from now on each frame's job is looked at. Confined to the strand. */
    void gate(JobOpen opening) {
        assert strand.isInside();
        if (opening.survivesHost()) {
            gates = true;
            gate.pass(() -> {}); // Nothing else may wait for the disk for long, and until it has what opened the job a power cut takes all of that.
        }
    }

    /** Has it told at the turn's end. Confined to the strand. */
    void tellAtEndOfTurn(Teller teller) {
        assert strand.isInside();
        toTell.add(teller);
    }

    /** Another relay was restarted. Confined to the strand. @param frames what it may not have handled; taken over */
    void peerRestarted(RelayPeer peer, List<ByteBuf> frames) {
        assert strand.isInside();
        backlog.drop(peer);
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

    /** A frame from another shard, with a reference to its buffer: handled now if nobody is inside. */
    private void fromShard(Way peer, ByteBuf buffer, int index, int length, boolean kept) {
        if (strand.tryEnter()) {
            try {
                if (backlog.isIdle()) {
                    take(peer, buffer, index, length, kept);
                } else {
                    takeOrWait(peer, BufferParcel.keep(buffer, index, length), kept);
                    buffer.release();
                }
            } catch (VirtualMachineError e) {
                Breakdown.report(e);
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

    /** What another shard says of a blocked rank overtakes nothing that the shard has passed on before. Confined to the strand. */
    private void stalled(Way peer, FrameType type, BlockedReport blockedReport) {
        assert strand.isInside();
        if (mustWait(blockedReport.job(), type)) {
            backlog.addWord(peer, () -> core.stalled(peer, type, blockedReport));
        } else {
            core.stalled(peer, type, blockedReport);
        }
    }

    private void take(Way peer, ByteBuf buffer, int index, int length, boolean kept) {
        take(peer, buffer, index, length);
        count(peer, kept);
    }

    /** A frame that a rank of another shard keeps was handled: that shard is told at the end of the turn. */
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

    /** Handles a whole frame and lets go of its buffer, at which others may be looking: so with a view of its own. @return {@link RelayCore#fromPeer} */
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

    /** Counts anew. Confined to the strand. */
    ShardStatus count(CoreConfig credit) {
        status = ShardStatus.of(core(), credit, strand.takeDeepest(), number == 0);
        return status;
    }

    /** The rank, if it is one of this shard's. Confined to the strand. */
    HomedRank rank(long job, int rank) {
        Job open = core().job(job);
        return open == null ? null : open.homed(rank);
    }

    /** How the job's ranks of this shard stand, as their launcher was told last. Confined to the strand. */
    List<JobEvent> standings(long job) {
        Job open = core().job(job);
        return open == null
                ? List.of()
                : open.homedRanks().stream()
                        .flatMap(rank -> Stream.of(
                                rank.outputNotesTold(),
                                standing(job, rank).stream().toList(),
                                rank.asking().stream().toList(),
                                core.standstill(rank).stream().toList()))
                        .flatMap(List::stream)
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

    /** From this shard to another of the same relay. Called inside this shard's strand. */
    private final class Way extends FramePeer implements Teller {
        private final Shard to;

        /** Kept frames of that shard's ranks that were handled here, and those that it was told of. */
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
        void send(ByteBuf frame) {
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
        public String toString() {
            return to.toString();
        }
    }
}
