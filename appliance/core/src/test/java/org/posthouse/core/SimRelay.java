package org.posthouse.core;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.CheckpointNotice;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** One core: a site's relay or a shard of it, its journal, its ways to the other cores and to its ranks; checks every effect. */
final class SimRelay {
    private final CoreWorld world;
    private final String name;
    private final int number;
    private final int shards;
    private final Map<Integer, Way> ways = new LinkedHashMap<>();
    private final Frames frames;
    private final ParcelLedger ledger = new ParcelLedger();
    private final SimJournal journal;
    private final RelayCore core;
    private long pollsDue;
    private int acting = -1;
    private long bytesHeldMax;
    private int aheadMax;
    private long timesWaited;
    private boolean alive = true;

    /** Whether it handles credit that another core gives back. */
    private boolean credited;

    /**
     * @param number the core's place among all cores of the grid
     * @param shards how many of them are its relay's
     */
    SimRelay(CoreWorld world, String relay, int number, int shards, Frames frames, SimJournal journal) {
        this.world = world;
        this.name = relay + "#" + number;
        this.number = number;
        this.shards = shards;
        this.frames = frames;
        this.journal = journal;
        journal.countIn(ledger);
        SimHistorySource historySource = new SimHistorySource(world.clock(), world.random(), journal, () -> alive);
        this.core = new RelayCore(relay, world.config(), shards, UnexpectedPool.own(world.config(), shards), world::nanos, historySource, new TableImages());
        historySource.of(core);
    }

    void open(JobOpen opening) {
        try {
            core.openJob(
                    opening,
                    rank -> world.coreOf(rank) == number ? null : way(world.coreOf(rank)),
                    this::onJobEvent,
                    opening.logged() ? journal : Journal.NONE);
        } catch (Refusal e) {
            throw new AssertionError(e);
        }
    }

    private void onJobEvent(JobEvent event) {
        boolean ofTrouble = event.kind() == JobEvent.AWAY || event.kind() == JobEvent.REPLAYING || event.kind() == JobEvent.CAUGHT_UP;
        boolean ofRoom = event.kind() == JobEvent.LOG_STATE && world.logged();
        if (event.kind() != JobEvent.CONNECTED && event.kind() != JobEvent.FINALIZED && !ofRoom && !(ofTrouble && world.troubled())) {
            throw new AssertionError("job event of relay " + name + ": " + event);
        }
    }

    RelayCore core() {
        return core;
    }

    /** A rank connects, over pipes that its line has made. */
    void connect(SimLine line, Hello hello, List<StatePage.Entry> state, int slowBytes) {
        Port port = new Port(line, slowBytes);
        try {
            core.connect(hello, state, port);
        } catch (Refusal e) {
            throw new AssertionError(e);
        }
    }

    /** Its process is killed. */
    void die() {
        alive = false;
    }

    boolean isAlive() {
        return alive;
    }

    SimJournal journal() {
        return journal;
    }

    /** Its log has no room, or room again. */
    void holds(boolean now) {
        journal.holds(now);
        if (alive) {
            core.roomChanged(now, "");
            checkBounds();
        }
    }

    /** P6: while a log has no room, nobody is let send more than he has been. */
    private void checkHolds(String what) {
        check(!journal.holds() || world.troubled(), what + " though the log of relay " + name + " has no room");
    }

    /** Another relay's core was started again. */
    void peerRestarted(int other, List<ByteBuffer> unacknowledged) {
        List<Frame> again = new ArrayList<>();
        unacknowledged.forEach(frame -> again.add(new TestFrame(frame, ledger)));
        core.peerRestarted(way(other), again);
        checkBounds();
    }

    void handled(int other, long frames) {
        core.handled(way(other), false, frames);
    }

    void fromPeer(int from, ByteBuffer frame) {
        noteArrival(frame);
        credited = new FrameView().wrap(frame, 0).type() == FrameType.CREDIT;
        core.fromPeer(way(from), new TestFrame(frame, ledger));
        credited = false;
        checkBounds();
    }

    private void noteArrival(ByteBuffer frame) {
        FrameView view = new FrameView().wrap(frame, 0);
        if (begins(frame) && world.coreOf(view.destination()) == number) {
            world.arrives(view);
        } else if (view.type() == FrameType.CHUNK && world.coreOf(view.destination()) == number) {
            long end = view.offset() + view.length() - Wire.CHUNK_HEADER_BYTES;
            world.arrivesUpTo(world.letter(view.context(), view.source(), view.destination(), view.sequence()), end);
        }
    }

    private Way way(int to) {
        return ways.computeIfAbsent(to, Way::new);
    }

    /** P6: what a relay holds of one rank's messages fits the rank's credit and what may wait beyond it; of a logged job it holds nothing at all. */
    private void checkBounds() {
        if (world.logged() && ledger.open() != 0) {
            throw new AssertionError("relay " + name + " holds " + ledger.open() + " parcels in memory that are in the log");
        }
        check(ledger.unsettled() == 0, "relay " + name + " keeps " + ledger.unsettled() + " parcels that share memory with others");
        checkAhead();
        checkUnderWay();
        for (int source = 0; source < world.ranks(); source++) {
            ParcelLedger.Held held = ledger.of(source);
            long unexpected = world.config().unexpectedBytesTotal();
            if (held.bytes > world.config().creditBytes() + unexpected
                    || held.messages > world.config().creditMessages() + unexpected / UnexpectedBudget.MESSAGE_BYTES) {
                throw new AssertionError("relay " + name + " holds " + held.bytes + " bytes in " + held.messages
                        + " messages of rank " + source + ", beyond its credit and what may wait");
            }
            bytesHeldMax = Math.max(bytesHeldMax, held.bytes);
        }
    }

    /** P6: nor does what waits beyond its senders' credit grow beyond its limits: envelopes of what is in the log, or memory. */
    private void checkAhead() {
        int all = 0;
        long bytes = 0;
        for (HomedRank rank : core.job(CoreWorld.JOB).homedRanks()) {
            boolean isOver = world.logged()
                    ? rank.receives().ahead() > world.config().storedMessagesMax()
                    : rank.receives().aheadBytes() > world.config().unexpectedBytesMax();
            if (rank.receives().ahead() < 0 || rank.receives().aheadBytes() < 0 || !world.troubled() && isOver) {
                throw new AssertionError(
                        rank.receives().ahead() + " messages for " + rank + " ahead of their credit, with " + rank.receives().aheadBytes() + " bytes");
            }
            all += rank.receives().ahead();
            bytes += rank.receives().aheadBytes();
        }
        boolean isOver = world.logged() ? all > world.config().storedMessagesMaxTotal() : bytes > world.config().unexpectedBytesTotal();
        if (!world.troubled() && isOver) {
            throw new AssertionError(all + " messages ahead of their credit at relay " + name + ", with " + bytes + " bytes");
        }
        aheadMax = Math.max(aheadMax, all);
    }

    /** P6: what senders of offers were told to send is a window each, and what this core may lend; and it is what the core counts. */
    private void checkUnderWay() {
        if (!world.troubled()) {
            long lent = 0;
            long all = 0;
            for (long underWay : world.underWay(number)) {
                all += underWay;
                lent += Math.max(underWay - world.config().windowBytes(), 0);
            }
            check(lent <= world.config().lentBytesTotal() / shards, lent + " bytes are lent at relay " + name);
            check(
                    core.underWayBytes() == all && core.lentBytes() == lent,
                    "relay " + name + " counts " + core.underWayBytes() + " bytes under way, " + core.lentBytes() + " lent, of " + all + " and " + lent);
        }
        timesWaited += core.sendersThatWait() > 0 ? 1 : 0;
    }

    /** After how many frames senders waited for a word, as there was no room for what would come. */
    long timesWaited() {
        return timesWaited;
    }

    long bytesHeldMax() {
        return bytesHeldMax;
    }

    int aheadMax() {
        return aheadMax;
    }

    int piecesReadBack() {
        return journal.piecesReadBack();
    }

    /** P3: failed polls that rode on a frame are in the journal before the frame has any effect. */
    private void checkPolls() {
        if (world.logged() && acting >= 0 && journal.polls(acting) < pollsDue) {
            throw new AssertionError("rank " + acting + " reported " + pollsDue + " failed polls, the journal has "
                    + journal.polls(acting) + " when the frame has an effect");
        }
    }

    void end() {
        core.closeJob(CoreWorld.JOB, new CloseNotice(CoreWorld.JOB, 0, -1, "the end"));
        if (core.lentBytes() != 0 || core.underWayBytes() != 0) {
            throw new AssertionError("relay " + name + " still lends " + core.lentBytes() + " bytes of " + core.underWayBytes());
        }
        if (ledger.open() != 0) {
            throw new AssertionError("relay " + name + " still holds " + ledger.open() + " parcels");
        }
    }

    /** The way to another core. */
    private final class Way implements Peer {
        private final int to;

        private Way(int to) {
            this.to = to;
        }

        @Override
        public boolean isFar() {
            return world.isFar(number, to);
        }

        @Override
        public boolean forward(Parcel frame, boolean kept) {
            checkPolls();
            world.toPeer(number, to, ((TestParcel) frame).take(), kept);
            return true;
        }

        @Override
        public void clear(long job, int context, int source, int destination, long sequence, long upTo) {
            checkHolds("cleared");
            world.checkGrant(world.letter(context, source, destination, sequence), upTo);
            world.toPeer(number, to, frames.clear(context, source, destination, sequence, upTo), false);
        }

        @Override
        public void offerAgain(long job, int context, int source, int destination, long sequence, long bytes) {
            ByteBuffer offer = frames.message(FrameType.OFFER, context, source, destination, 0, sequence, bytes);
            new FrameView().wrap(offer, 0).flags(FrameView.AGAIN);
            world.toPeer(number, to, offer, false);
        }

        @Override
        public void withdraw(long job, int context, int source, int destination, long sequence) {
            checkPolls();
            world.toPeer(number, to, frames.withdraw(context, source, destination, sequence, 0), false);
        }

        @Override
        public void withdrawn(long job, int context, int source, int destination, long sequence, boolean gone) {
            if (gone && !world.logged()) {
                world.withdrawn(world.letter(context, source, destination, sequence));
            }
            world.toPeer(number, to, frames.withdrawn(context, source, destination, sequence, gone), false);
        }

        @Override
        public void stall(FrameType type, BlockedReport blockedReport) {
            throw new AssertionError("nobody is blocked: " + blockedReport);
        }

        @Override
        public void failure(ByteBuffer frame, boolean behind) {
            throw new AssertionError("no rank fails");
        }

        @Override
        public void credit(long job, int rank, long bytes, int messages) {
            checkHolds("credit came back");
            world.toPeer(number, to, frames.credit(rank, bytes, messages), false);
        }
    }

    /** The relay's end of one rank's connection. */
    final class Port implements RankPort {
        private final SimLine line;
        private final SimPipe toRank;
        private final int slowBytes;
        private boolean wasUnwritable;
        private long timesFree;
        private HomedRank rank;
        private long pollsReported;

        private Port(SimLine line, int slowBytes) {
            this.line = line;
            this.toRank = line.toRank();
            this.slowBytes = slowBytes;
        }

        @Override
        public void welcome(HomedRank admitted, Welcome welcome, List<StatePage.Entry> state) {
            rank = admitted;
            line.port(this);
            toRank.send(0, () -> world.rank(rank.rank()).onWelcome(welcome, state));
        }

        /** The relay notices that the connection has ended. */
        void ended() {
            if (alive) {
                core.disconnected(rank, this, CloseNotice.closing(CoreWorld.JOB, CloseReason.NORMAL, "cut"));
            }
        }

        void fromRank(ByteBuffer frame) {
            FrameView view = new FrameView().wrap(frame, 0);
            pollsReported = switch (view.type()) {
                case SEND, EAGER, OFFER -> view.failedPolls();
                case POST, PROBE, CANCEL, WITHDRAW -> view.postFailedPolls();
                case FINALIZE, POLLS -> view.finalizeFailedPolls();
                default -> pollsReported;
            };
            acting = rank.rank();
            pollsDue = pollsReported;
            noteArrival(frame);
            try {
                core.fromRank(rank, new TestFrame(frame, ledger));
            } catch (WireException e) {
                throw new AssertionError(rank + " broke the protocol: " + e.reason(), e);
            } finally {
                acting = -1;
            }
            checkBounds();
        }

        private void toRank(ByteBuffer frame) {
            checkPolls();
            toRank.send(frame.capacity(), () -> {
                if (alive && wasUnwritable && writable()) {
                    wasUnwritable = false;
                    core.writable(rank);
                }
                world.rank(rank.rank()).onFrame(frame);
            });
        }

        @Override
        public void deliver(Message message, Parcel head) {
            check(message.receive() != null, "delivered without a receive");
            toRank(Frames.delivered(deliver(message, (TestParcel) head), 0, message.receive().request()));
        }

        @Override
        public void push(Message message, long ordinal, Parcel head) {
            check(
                    ordinal == 0 ? !world.logged() && writable() : rank.state() == RankState.REPLAYING,
                    "pushed to " + rank + ", which is " + rank.state() + ", for receive " + ordinal);
            toRank(Frames.delivered(deliver(message, (TestParcel) head), FrameView.unasked(ordinal), (int) ordinal));
        }

        private ByteBuffer deliver(Message message, TestParcel head) {
            check(message.destination() == rank.rank(), "delivered to " + rank);
            if (world.logged()) {
                check(journal.hasArrival(message) && journal.hasDelivery(message), "delivered before it was logged: " + message);
            }
            letter(message).passed(0, head.payloadBytes());
            letter(message).matched = true;
            letter(message).timesFree = timesFree;
            return head.take();
        }

        @Override
        public void ended(int context, int round, PushWindow.End why, long pushedCost) {
            toRank(frames.ended(context, round, rank.rank(), why.code(), pushedCost));
        }

        @Override
        public void chunk(Parcel chunk) {
            TestParcel parcel = (TestParcel) chunk;
            FrameView view = parcel.view();
            SimLetter letter = world.letter(view.context(), view.source(), view.destination(), view.sequence());
            letter.passed(view.offset(), parcel.payloadBytes());
            if (world.logged()) {
                check(letter.bytesPassed <= letter.bytesLogged, "passed on before it was logged: a chunk of " + letter);
            }
            toRank(parcel.take());
        }

        @Override
        public void clear(int context, int destination, long sequence, long upTo) {
            SimLetter letter = world.letter(context, rank.rank(), destination, sequence);
            if (core.job(CoreWorld.JOB).homed(destination) != null) {
                checkHolds("cleared");
                world.checkGrant(letter, upTo);
            }
            toRank(frames.clear(context, rank.rank(), destination, sequence, upTo));
        }

        @Override
        public void credit(long bytes, int messages) {
            if (!credited) {
                checkHolds("credit came back");
            }
            toRank(frames.credit(rank.rank(), bytes, messages));
        }

        @Override
        public void probeAnswer(int request, Message found) {
            if (found != null && world.logged()) {
                check(journal.hasArrival(found), "found before its arrival was logged: " + found);
            }
            toRank(frames.probeAnswer(request, found));
        }

        @Override
        public void cancelled(int request, boolean gone) {
            toRank(frames.cancelled(request, gone));
        }

        @Override
        public void withdrawn(int context, int destination, long sequence, boolean gone) {
            if (gone && !world.logged() && core.job(CoreWorld.JOB).homed(destination) != null) {
                world.withdrawn(world.letter(context, rank.rank(), destination, sequence));
            }
            toRank(frames.withdrawn(context, rank.rank(), destination, sequence, gone));
        }

        @Override
        public void failure(ByteBuffer frame) {
            throw new AssertionError("no rank fails");
        }

        @Override
        public void mismatch(BlockedReport blockedReport) {
            throw new AssertionError("nobody is blocked: " + blockedReport);
        }

        @Override
        public void point(CheckpointNotice checkpointNotice) {
            throw new AssertionError("nobody saves here");
        }

        @Override
        public void image(HistoryStep.ImagePiece piece) {
            throw new AssertionError("nobody is replayed here");
        }

        @Override
        public void events(long first, int count, int failedPolls, ByteBuffer items, boolean end) {
            ByteBuffer frame = frames.events(first, count);
            new FrameView().wrap(frame, 0).flags(end ? FrameView.END : 0);
            toRank(frame);
        }

        @Override
        public void ack(long safe, long handled, long[] firstUnsafe) {
            toRank(frames.ack(safe, handled, firstUnsafe));
        }

        @Override
        public void move() {
            throw new AssertionError("nobody moves " + rank);
        }

        @Override
        public void finalized() {
            check(!world.logged() || journal.isFinalized(rank.rank()), rank + " hears that it has finalized before it was logged");
            ByteBuffer frame = frames.finalizing(0);
            toRank(frame);
        }

        @Override
        public void aborted(CloseNotice closeNotice) {
            throw new AssertionError(rank + " aborted: " + closeNotice);
        }

        @Override
        public void close(CloseNotice why) {
            if (world.troubled() && why.reason() == CloseReason.FENCED) {
                return;
            }
            throw new AssertionError(rank + " closed: " + why);
        }

        @Override
        public boolean writable() {
            boolean writable = toRank.bytesUnderWay() <= slowBytes;
            wasUnwritable |= !writable;
            timesFree += writable ? 1 : 0;
            return writable;
        }

        /** How often the core has seen that it takes more. */
        long timesFree() {
            return timesFree;
        }

        private SimLetter letter(Message message) {
            return world.letter(message.context(), message.source(), message.destination(), message.sequence());
        }
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("\n").append(name);
        for (HomedRank rank : core.job(CoreWorld.JOB).homedRanks()) {
            text.append("\n  ").append(rank.rank()).append(' ').append(rank.state()).append(" posted ")
                    .append(rank.mailbox().posted()).append(", credit used ").append(rank.sends().creditBytesUsed()).append(" in ")
                    .append(rank.sends().creditMessagesUsed()).append(", unexpected");
            rank.mailbox().forEachUnexpected(message -> text.append(' ').append(message));
            text.append(", arriving ").append(rank.incoming().arriving());
        }
        return text.toString();
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    static boolean begins(ByteBuffer frame) {
        FrameType type = new FrameView().wrap(frame, 0).type();
        return type == FrameType.SEND || type == FrameType.EAGER || type == FrameType.OFFER;
    }
}
