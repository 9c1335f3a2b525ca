package org.posthouse.core;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;
import org.posthouse.core.ReplicaProcess.Call;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.CheckpointNotice;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Durability;
import org.posthouse.wire.FollowedRanks;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Token;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.WireException;

/**
 * One relay core with two ranks of two processes each, and all that can happen next. Rank 1 sends, receives, and sends
 * what depends on that; rank 0 polls, receives, answers with what it has observed, and receives. So three messages pass,
 * and their content depends on when the first arrived.
 *
 * <p>Actions are: the relay handles the next frame of a process, a history is read, the disk is synced, a process dies
 * or only seems dead, and the relay sees the end of its connection. A failed promise is an {@link AssertionError}.
 */
final class ReplicaModel {
    /**
     * What one run of the model is about.
     *
     * @param focus the rank of which a process may die. The other rank's follower keeps up with it: nothing of it depends
     *         on when it does, except for its own leader
     * @param followerFault what becomes of the payload of followers' messages
     * @param planted what the relay does wrong
     */
    record Setup(Durability durability, int focus, IntUnaryOperator followerFault, Planted planted) {
        static Setup of(Durability durability, int focus) {
            return new Setup(durability, focus, payload -> payload, Planted.NOTHING);
        }

        static Setup planted(Durability durability, Planted fault) {
            return new Setup(durability, 0, payload -> payload, fault);
        }

        /** Whether followers differ, and are dropped: then a rank may be left without a process. */
        boolean isDivergent() {
            return followerFault.applyAsInt(0) != 0;
        }
    }

    /** A fault that a relay could have. */
    enum Planted {
        NOTHING,
        /** Followers are told what the disk does not have. */
        UNSAFE_ITEM,
        /** A process is told that it leads, and nothing is logged. */
        UNLOGGED_PROMOTION,
        /** One that leads is told the end of its history where more follows. */
        EARLY_END,
        /** What followers claim is not compared. */
        NO_COMPARISON
    }

    private static final long JOB = 0xbeef;

    private static final CloseNotice GONE = CloseNotice.closing(JOB, CloseReason.NORMAL, "the connection ended");
    private static final List<List<Call>> PROGRAMS = List.of(
            List.of(Call.POLL, Call.RECEIVE, Call.SEND, Call.RECEIVE, Call.FINALIZE),
            List.of(Call.SEND, Call.RECEIVE, Call.SEND, Call.FINALIZE));

    private final Setup setup;
    private final Frames frames = new Frames(JOB);
    private final ParcelLedger ledger = new ParcelLedger();
    private final ReplicaJournal journal = new ReplicaJournal(frames, ledger);
    private final List<Port> ports = new ArrayList<>();

    /** The process that led each rank last. */
    private final Port[] leaders = new Port[2];

    private final TreeMap<Integer, Reading> readings = new TreeMap<>();
    private final List<String> lost = new ArrayList<>();
    private final RelayCore core;
    private long synced;
    private boolean crashed;

    /** A history that is read; {@code wanted} is below zero while no answer is awaited. */
    private static final class Reading {
        private HomedRank rank;
        private int number;
        private long read;
        private long wanted;
    }

    ReplicaModel(Setup setup) throws Refusal, WireException {
        this.setup = setup;
        if (setup.planted == Planted.UNLOGGED_PROMOTION) {
            journal.forgetPromotions();
        }
        CoreConfig config = new CoreConfig(CoreConfig.CREDIT_BYTES_MIN, 16, 128 * 1024, 64 * 1024, 128 * 1024, 20, 30, 0);
        core = new RelayCore("relay", config, 1, UnexpectedPool.own(config, 1), () -> 0, new Histories(), new TableImages());
        JobOpen opening = new JobOpen(
                JOB, new Token(7, 9), setup.durability, false, "model", List.of(new HomeRelay("here", "relay", "127.0.0.1:1")), new int[] {0, 0});
        JobOpen followed = setup.durability == Durability.NONE ? opening.with(FollowedRanks.of(2, 2)) : opening;
        core.openJob(followed, rank -> null, this::hears, journal);
        for (int rank = 0; rank < 2; rank++) {
            Port leader = new Port(new ReplicaProcess(frames, rank, 1, false, PROGRAMS.get(rank), payload -> payload, false));
            leaders[rank] = leader;
            core.connect(Hello.firstStart(JOB, rank), List.of(), leader);
            Port follower =
                    new Port(new ReplicaProcess(frames, rank, 2, true, PROGRAMS.get(rank), setup.followerFault, setup.planted == Planted.NO_COMPARISON));
            core.follow(Hello.start(JOB, rank, 2), List.of(), follower);
        }
        synced = journal.position();
        turnEnds();
        ports.forEach(port -> port.process.run());
    }

    private void hears(JobEvent event) {
        if (event.kind() == JobEvent.ABORTED) {
            throw new AssertionError("the job ends: " + event.text());
        }
        if (event.kind() == JobEvent.FOLLOWER_LOST) {
            lost.add(event.text());
        }
    }

    // ---- what can happen

    private static boolean runs(Port port) {
        return !port.process.dead && port.process.end == null;
    }

    /** The actions that are possible now, each by its number. */
    List<Integer> actions() {
        List<Integer> actions = new ArrayList<>();
        for (int i = 0; i < ports.size(); i++) {
            Port port = ports.get(i);
            if (port.open && !port.process.out.isEmpty() && !keepsUp(port)) {
                actions.add(i);
            }
            if (port.open && port.process.dead) {
                actions.add(10 + i);
            }
            if (!crashed && runs(port) && port.process.rank() == setup.focus) {
                actions.add(20 + i);
            }
            if (!crashed && port.process.rank() == setup.focus && port == leaders[port.process.rank()] && port.open && port.rank.followers() != null
                    && port.rank.followers().best() != null
                    && port.rank.state() != RankState.FINALIZED) {
                actions.add(30 + i);
            }
        }
        readings.values().stream().filter(reading -> reading.wanted >= 0 && reading.rank.rank() == setup.focus)
                .forEach(reading -> actions.add(100 + 10 * reading.rank.rank() + reading.number));
        if (setup.durability == Durability.HOST && synced < journal.position()) {
            actions.add(99);
        }
        return actions;
    }

    /** Does one of them. */
    void act(int action) throws WireException {
        int index = action % 10;
        switch (action / 10) {
            case 0 -> ports.get(index).handle();
            case 1 -> ports.get(index).disconnect();
            case 2 -> {
                crashed = true;
                ports.get(index).process.dead = true;
            }
            case 3 -> {
                crashed = true; // It only seems to be dead.
                core.depose(ports.get(index).rank, CloseNotice.closing(JOB, CloseReason.TIMEOUT, "it is silent"));
            }
            case 9 -> {
                synced = journal.position();
                ports.forEach(Port::release);
            }
            default -> read(readings.get(action));
        }
        turnEnds();
    }

    private void turnEnds() throws WireException {
        core.logSafe(setup.planted == Planted.UNSAFE_ITEM ? journal.position() : synced);
        for (Reading reading : List.copyOf(readings.values())) {
            if (reading.rank.rank() != setup.focus && reading.wanted >= 0) {
                read(reading);
            }
        }
        for (Port port : ports) {
            while (keepsUp(port) && port.open && !port.process.out.isEmpty()) {
                port.handle();
            }
        }
        ports.forEach(this::check);
    }

    private boolean keepsUp(Port port) {
        return port.process.follows && port.process.rank() != setup.focus;
    }

    private long safe() {
        return setup.durability == Durability.HOST ? synced : journal.position();
    }

    private void read(Reading reading) {
        long from = reading.read;
        long upTo = Math.min(reading.wanted, journal.position());
        boolean isCutShort = setup.planted == Planted.EARLY_END && reading.wanted == Long.MAX_VALUE;
        reading.wanted = -1;
        reading.read = upTo;
        core.storage().historyRead(
                reading.rank, reading.number,
                isCutShort ? List.of(new HistoryStep.End(Long.MAX_VALUE)) : journal.history(reading.rank.rank(), from, upTo));
    }

    // ---- what must hold

    /**
     * A follower has observed a prefix of what the process has that leads, or has led last. Where that one died, it may
     * have left unread what is in the history.
     */
    private void check(Port port) {
        ReplicaProcess leader = leaders[port.process.rank()].process;
        List<String> observed = port.process.observed;
        if (port.process.follows && port.open) {
            int common = leader.dead ? Math.min(leader.observed.size(), observed.size()) : observed.size();
            require(common <= leader.observed.size() && leader.observed.subList(0, common).equals(observed.subList(0, common)),
                    "the follower of rank " + port.process.rank() + " has observed " + observed + ", the leader " + leader.observed);
        }
    }

    private void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what + "\n" + this);
        }
    }

    /** Nothing can happen any more: all must have come to their ends. */
    void checkEnd() {
        for (int rank = 0; rank < 2; rank++) {
            boolean isLeft = setup.isDivergent() && leaders[rank].process.dead;
            require(isLeft || core.job(JOB).homed(rank).state() == RankState.FINALIZED, "rank " + rank + " is " + core.job(JOB).homed(rank).state());
        }
        for (Port port : ports) {
            ReplicaProcess process = port.process;
            boolean isLeader = port == leaders[process.rank()];
            boolean isFenced = ("closed " + CloseReason.FENCED).equals(process.end);
            boolean isDropped = ("closed " + CloseReason.DIVERGED).equals(process.end) && process.follows;
            require(process.dead || isFenced || isDropped || setup.isDivergent() || "finalized".equals(process.end), "a process did not end: " + process);
            require(!isFenced || !isLeader, "the leader was fenced: " + process);
            if (isFenced) {
                isRefused(process);
            }
        }
        require(ledger.open() == 0, "parcels are held: " + ledger.open());
    }

    /** A process that was replaced while it lived comes again: it is refused, and nothing is changed. */
    private void isRefused(ReplicaProcess process) {
        long position = journal.position();
        Hello hello = new Hello(Hello.RANK, JOB, process.rank(), process.incarnation, Hello.AGAIN, 0, 0, 0, 1, 0, 0);
        try {
            core.connect(hello, List.of(), new Port(process));
            throw new AssertionError("a process that was replaced is let in: " + process);
        } catch (Refusal refusal) {
            require(refusal.reason() == CloseReason.FENCED, "refused with " + refusal.getMessage());
        }
        require(journal.position() == position, "a process that was refused has changed the log");
    }

    /** The followers that were dropped, with the reasons. */
    List<String> lost() {
        return lost;
    }

    /**
     * All that the further run follows from. The core's state follows from the log and from the frames that it has
     * handled, which are those that its processes have written and that are not under way.
     */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        text.append(journal.entries()).append(synced).append(crashed).append(lost);
        ports.forEach(port -> text.append('\n').append(port));
        readings.forEach((key, reading) -> text.append('\n').append(key).append(' ').append(reading.read).append(' ').append(reading.wanted));
        for (int rank = 0; rank < 2; rank++) {
            text.append(core.job(JOB).homed(rank).state()).append(core.job(JOB).homed(rank).incarnation());
        }
        return text.toString();
    }

    private final class Histories implements HistorySource {
        @Override
        public void reached(HomedRank rank, int replay, long position) {}

        @Override
        public void begin(HomedRank rank, int replay, long deliveries, long events, boolean originKnown, boolean follows, long upTo) {
            Reading reading = new Reading();
            reading.rank = rank;
            reading.number = replay;
            reading.wanted = upTo;
            readings.put(100 + 10 * rank.rank() + replay, reading);
        }

        @Override
        public void more(HomedRank rank, int replay, long upTo) {
            readings.get(100 + 10 * rank.rank() + replay).wanted = upTo;
        }

        @Override
        public void end(HomedRank rank, int replay) {
            readings.remove(100 + 10 * rank.rank() + replay);
        }

        /** Compares with the log, as the relay does. */
        @Override
        public void resent(long job, int source, ResendClaim claim) {
            // The model's claims of a promoted process are compared at the end, by what its rank's partner got.
        }

        @Override
        public void forget(long job) {}
    }

    /** The connection of one process; with durability {@code host} it holds back what must not leave before the disk has it. */
    private final class Port implements FollowerPort {
        private final ReplicaProcess process;
        private final ArrayDeque<Runnable> held = new ArrayDeque<>();
        private final ArrayDeque<Long> heldUpTo = new ArrayDeque<>();
        private HomedRank rank;
        private boolean open = true;

        /** Whether the relay has made it the leader. */
        private boolean leads;

        private final boolean wasFollower;
        private int deliveries;
        private int events;

        private Port(ReplicaProcess process) {
            this.process = process;
            this.leads = !process.follows;
            this.wasFollower = process.follows;
            if (ports.size() < 4) {
                ports.add(this);
            }
        }

        private void handle() throws WireException {
            TestFrame frame = new TestFrame(process.out.remove(), ledger);
            if (leads) {
                core.fromRank(rank, frame);
            } else {
                core.fromFollower(rank, this, frame);
            }
        }

        private void disconnect() {
            open = false;
            process.out.clear();
            core.disconnected(rank, this, GONE);
        }

        /** It leaves when the log is safe up to where it is now, and all before it has left. */
        private void gated(Runnable effect) {
            long position = journal.position();
            if (held.isEmpty() && safe() >= position) {
                reads(effect);
            } else {
                held.add(effect);
                heldUpTo.add(position);
            }
        }

        private void direct(Runnable effect) {
            if (held.isEmpty()) {
                reads(effect);
            } else {
                held.add(effect);
                heldUpTo.add(0L);
            }
        }

        private void reads(Runnable effect) {
            if (!process.dead && process.end == null) {
                effect.run();
            }
        }

        private void release() {
            while (!held.isEmpty() && heldUpTo.peek() <= safe()) {
                heldUpTo.remove();
                reads(held.remove());
            }
        }

        @Override
        public void welcome(HomedRank admitted, Welcome welcome, List<StatePage.Entry> state) {
            rank = admitted;
        }

        @Override
        public void promoted(Welcome welcome, List<StatePage.Entry> state) {
            ReplicaJournal.Entry fence = journal.entries().getLast();
            require(fence.kind().equals("promoted") && fence.rank() == rank.rank() && fence.value() == welcome.incarnation(),
                    "a follower leads before that is logged, behind " + fence);
            Port before = leaders[rank.rank()];
            require(!before.open || before == this || before.process.end != null, "promoted beside " + before);
            for (int sequence = 1; journal.payload(rank.rank(), 1 - rank.rank(), sequence) != null; sequence++) {
                int claimed = process.sentAs(sequence);
                require(claimed < 0 || process.isUnderWay(sequence) || claimed == journal.payload(rank.rank(), 1 - rank.rank(), sequence),
                        "a follower leads that has sent something else as message " + sequence);
            }
            leads = true;
            leaders[rank.rank()] = this;
            long accepted = state.stream().filter(entry -> entry.kind() == StatePage.ACCEPTED).mapToLong(StatePage.Entry::a).findFirst().orElse(0);
            gated(() -> process.promoted(welcome.incarnation(), accepted));
        }

        @Override
        public void confirmed(List<TransferId> messages) {}

        private void delivers(long ordinal, Parcel head) {
            int payload = ((TestParcel) head).payload().get(0);
            head.release();
            if (wasFollower && !leads) {
                require(++deliveries <= journal.count("delivery", rank.rank(), safe()), "a follower is given a delivery that is not safe");
            }
            direct(() -> process.delivered(ordinal, payload));
        }

        @Override
        public void deliver(Message message, Parcel head) {
            delivers(message.receive().ordinal(), head);
        }

        @Override
        public void push(Message message, long ordinal, Parcel head) {
            delivers(ordinal, head);
        }

        @Override
        public void events(long first, int count, int failedPolls, ByteBuffer items, boolean end) {
            require(!end || leads, "a follower is told that its history ends");
            events += count;
            require(leads || events <= journal.count("events", rank.rank(), safe()), "a follower is told an event that is not safe");
            direct(() -> process.history(count, failedPolls, end));
        }

        @Override
        public void probeAnswer(int request, Message found) {
            direct(() -> process.answered(found != null));
        }

        @Override
        public void finalized() {
            gated(() -> {
                process.ends("finalized");
                process.out.clear();
                open = false;
            });
        }

        @Override
        public void close(CloseNotice why) {
            open = false;
            process.out.clear();
            direct(() -> process.ends("closed " + why.reason()));
        }

        @Override
        public boolean writable() {
            return true;
        }

        @Override
        public void credit(long bytes, int messages) {}

        @Override
        public void ack(long safe, long handled, long[] firstUnsafe) {}

        @Override
        public void ended(int context, int round, PushWindow.End why, long pushedCost) {
            throw new AssertionError("nobody runs ahead");
        }

        @Override
        public void chunk(Parcel chunk) {
            throw new AssertionError("all messages are short");
        }

        @Override
        public void clear(int context, int destination, long sequence, long upTo) {
            throw new AssertionError("nobody offers");
        }

        @Override
        public void cancelled(int request, boolean gone) {
            throw new AssertionError("nobody cancels");
        }

        @Override
        public void withdrawn(int context, int destination, long sequence, boolean gone) {
            throw new AssertionError("nobody takes back");
        }

        @Override
        public void failure(ByteBuffer frame) {
            throw new AssertionError("a rank of a logged job is told of a failure");
        }

        @Override
        public void mismatch(BlockedReport blockedReport) {
            throw new AssertionError("nobody reports");
        }

        @Override
        public void point(CheckpointNotice checkpointNotice) {
            throw new AssertionError("nobody saves");
        }

        @Override
        public void image(HistoryStep.ImagePiece piece) {
            throw new AssertionError("nobody has an image");
        }

        @Override
        public void move() {
            throw new AssertionError("nobody moves");
        }

        @Override
        public void aborted(CloseNotice closeNotice) {
            throw new AssertionError("the job is aborted: " + closeNotice);
        }

        @Override
        public String toString() {
            return process + (open ? "" : " closed") + (leads ? " leads " : " ") + heldUpTo;
        }
    }
}
