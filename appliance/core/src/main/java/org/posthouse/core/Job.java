package org.posthouse.core;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Durability;
import org.posthouse.wire.ExitStatuses;
import org.posthouse.wire.FailureMode;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;

/** One job as one core sees it: the home of every rank, and the ranks that are at home here. Confined to the core. */
public final class Job {
    private final JobOpen opening;
    private final String hexId;
    private final int self;
    private final int cores;
    private final HomedRank[] homed;
    private final Peer[] peerOf;
    private final ForwardCount[] crossingOf;
    private final Set<Peer> peers = new LinkedHashSet<>();
    private final JobOwner owner;
    private final Journal journal;

    /** Followers of its ranks here for which senders wait. */
    private int lagging;

    private final long[] owedBytes;
    private final int[] owedMessages;
    private final OfferingSender[] senders;
    private final CollectiveCalls collectiveCalls = new CollectiveCalls();
    private final BlockedRanks blocked = new BlockedRanks();
    private final JobFailures failures;

    /**
     * @param self index of this relay in the job's homes
     * @param peerOf the core that a rank is at home at, or null if that is this one
     * @param crossings the frames that each of the other cores has handled
     * @param cores how many cores hold the job's ranks at most, this one included: each may hold back some credit
     */
    Job(
            JobOpen opening,
            int self,
            IntFunction<Peer> peerOf,
            Function<Peer, ForwardCount> crossings,
            int cores,
            JobOwner owner,
            Journal journal) {
        this.opening = opening;
        this.hexId = hexId(opening.job());
        this.owner = owner;
        this.journal = journal;
        this.homed = new HomedRank[opening.size()];
        this.peerOf = new Peer[opening.size()];
        this.crossingOf = new ForwardCount[opening.size()];
        this.cores = cores;
        this.owedBytes = new long[opening.size()];
        this.owedMessages = new int[opening.size()];
        this.senders = new OfferingSender[opening.size()];
        this.self = self;
        this.failures = new JobFailures(opening.ranks());
        for (int rank = 0; rank < homed.length; rank++) {
            Peer peer = peerOf.apply(rank);
            this.peerOf[rank] = peer;
            if (peer == null) {
                homed[rank] = new HomedRank(this, rank);
            } else {
                peers.add(peer);
                crossingOf[rank] = crossings.apply(peer);
            }
        }
    }

    /** The place of {@code relay} in {@code homes}, or -1. */
    public static int indexOf(String relay, List<HomeRelay> homes) {
        for (int i = 0; i < homes.size(); i++) {
            if (homes.get(i).relay().equals(relay)) {
                return i;
            }
        }
        return -1;
    }

    /** As above, for a job that is to be opened there. Refuses a job without a rank at the relay. */
    public static int requireHome(String relay, JobOpen opening) throws Refusal {
        int self = indexOf(relay, opening.homes());
        if (self < 0) {
            throw new Refusal(
                    CloseReason.WRONG_SITE,
                    "job " + hexId(opening.job()) + " has no rank at relay " + relay + "; its homes: " + opening.homes());
        }
        return self;
    }

    /** The job's id as it is shown to people. */
    public static String hexId(long id) {
        return String.format("%016x", id);
    }

    public long id() {
        return opening.job();
    }

    public String hexId() {
        return hexId;
    }

    public String name() {
        return opening.name();
    }

    public int size() {
        return opening.size();
    }

    /** Whether what its ranks are given and observe is recorded: in the relay's log, or only in its memory. */
    public boolean logged() {
        return opening.logged() || opening.remembers();
    }

    /** Whether that is in the relay's log, and thus outlives the relay. */
    public boolean isInLog() {
        return opening.logged();
    }

    /** Whether it is only in memory, for processes that follow its ranks. */
    public boolean isInMemory() {
        return opening.remembers();
    }

    /** Number of processes that are to follow the rank; of a job in the log, 0. */
    int followersOf(int rank) {
        return opening.followed().of(rank);
    }

    /** Whether the launcher keeps the ranks' output, and is asked before an image counts. */
    boolean keepsOutput() {
        return opening.keepsOutput();
    }

    /** Whether output of the relay waits until the log is synced to its disk. */
    public boolean survivesHost() {
        return opening.survivesHost();
    }

    /** As the job's ranks are told: those of a job in memory record what they observe, too. */
    Durability durability() {
        return isInMemory() ? Durability.PROCESS : opening.durability();
    }

    /** The job's relays. */
    public List<HomeRelay> homes() {
        return opening.homes();
    }

    /** The relay that {@code rank} is connected to. */
    public HomeRelay home(int rank) {
        return opening.homes().get(opening.homeOf()[rank]);
    }

    /** The core that {@code rank} of the job is at home at; null if that is this one. */
    Peer peer(int rank) {
        return peerOf[rank];
    }

    /** The frames that that core has handled; null if it is this one. */
    ForwardCount crossing(int rank) {
        return crossingOf[rank];
    }

    /** The other cores that hold ranks of the job. */
    Set<Peer> peers() {
        return peers;
    }

    /** The ranks whose home is this core. */
    public List<HomedRank> homedRanks() {
        List<HomedRank> ranks = new ArrayList<>();
        for (HomedRank rank : homed) {
            if (rank != null) {
                ranks.add(rank);
            }
        }
        return ranks;
    }

    Token token() {
        return opening.token();
    }

    int self() {
        return self;
    }

    int[] homeOf() {
        return opening.homeOf();
    }

    Journal journal() {
        return journal;
    }

    /** Whether no sender may be cleared to send more or get credit: its log has too little room, or followers are too far behind. */
    boolean holdsSenders() {
        return lagging > 0 || journal.holds();
    }

    /** Whether senders may run ahead of their receivers. */
    boolean hasAmpleRoom() {
        return lagging == 0 && journal.hasAmpleRoom();
    }

    /** One more follower of its ranks here is so far behind that senders wait for it, or one less. */
    void countLagging(int change) {
        lagging += change;
    }

    /** The rank if this core is its home, else null. */
    public HomedRank homed(int rank) {
        return rank >= 0 && rank < homed.length ? homed[rank] : null;
    }

    /** A rank of the job, at any home, as the sender of offers that are matched here. */
    OfferingSender sender(int rank) {
        if (senders[rank] == null) {
            senders[rank] = new OfferingSender(this, rank);
        }
        return senders[rank];
    }

    /**
     * A rank at another core whose messages wait here in memory, since the job is not logged; null if there is none.
     * The other core may report paid credit falsely.
     */
    OfferingSender guest(int rank) {
        return logged() || homed[rank] != null ? null : sender(rank);
    }

    CollectiveCalls stalls() {
        return collectiveCalls;
    }

    BlockedRanks blocked() {
        return blocked;
    }

    /** The failures that its ranks are told of. */
    JobFailures failures() {
        return failures;
    }

    /** Whether ranks are told of a rank that has died, and go on; in a logged job of one that its launcher does not start again. */
    boolean tellsFailures() {
        return opening.tellsFailures();
    }

    /** Whether a process of the rank has come or is expected: a further one, for a rank that may die, is not. */
    public boolean isShown(HomedRank rank) {
        return rank.rank() < opening.ranks() || rank.state() != RankState.WAITING;
    }

    /** Whether ranks that have died get new processes, which are ranks of their own here. */
    boolean rebuilds() {
        return opening.onFailure() == FailureMode.REBUILD;
    }

    /** The call that a rank of the job, at any home, is blocked in, as far as is known here. */
    Optional<BlockedCall> blockedIn(int rank) {
        return blocked.of(rank);
    }

    /**
     * The blocked calls of all ranks whose home is this core.
     *
     * @param far includes those of other relays
     */
    public Map<Integer, BlockedCall> blocked(boolean far) {
        Map<Integer, BlockedCall> all = blocked.all();
        all.keySet().removeIf(rank -> homed[rank] == null && !(far && peerOf[rank].isFar()));
        return all;
    }

    /** The ranks at home here with a posted receive that names one of these sources. */
    public BitSet waitingFor(IntPredicate sources) {
        BitSet waiting = new BitSet();
        homedRanks().stream().filter(rank -> rank.mailbox().waitsForAny(sources)).forEach(rank -> waiting.set(rank.rank()));
        return waiting;
    }

    /** Tells the launcher what happened, as a {@link JobEvent}. */
    void report(int kind, int rank, int code, String text) {
        owner.onJobEvent(new JobEvent(id(), kind, rank, code, text));
    }

    void report(JobEvent event) {
        owner.onJobEvent(event);
    }

    /**
     * Reports to the launcher that the job cannot continue. The launcher ends it, or leaves it to another launcher if
     * the relay's next process may continue it.
     */
    void fail(CloseReason closeReason, String detail) {
        boolean mayBeMended = closeReason == CloseReason.LOG_BROKEN || closeReason == CloseReason.LOG_DAMAGED;
        int code = mayBeMended && opening.keepsOutput() ? JobEvent.STANDS : 1;
        report(JobEvent.ABORTED, -1, code, closeReason + ": " + detail + "; " + closeReason.advice());
    }

    /** As above, because the log failed. */
    void fail(JournalFailure log) {
        journal.giveUp(id(), log.getMessage());
        fail(log.reason(), log.getMessage());
    }

    /** Whether the log accepts nothing more of the job, as this core of the relay or another one has found. */
    boolean isUnloggable() {
        return journal.isBroken(id());
    }

    /**
     * Runs a step of the job. If the log fails in it, the job cannot continue. Not for steps that happen for each
     * message.
     */
    void guarded(Runnable step) {
        try {
            step.run();
        } catch (JournalFailure e) {
            fail(e);
        }
    }

    /** A restarted rank's sends differ from those of its earlier process. */
    void diverged(int source, int context, int destination, long sequence, String difference) {
        String text = "was restarted and does not send what it sent before: message " + sequence + " to rank " + destination
                + " in context " + context + " has " + difference;
        report(new JobEvent(id(), JobEvent.DIVERGED, source, 0, sequence, destination, text));
    }

    /**
     * Handles a restarted rank that begins a message again of which a part, or the offer, is here. If its length was
     * different, the rest of the earlier message is lost, and the launcher ends the job.
     *
     * @param bytes of the message that was begun before
     * @return whether the lengths are equal, so that the message continues
     */
    boolean goesOn(FrameView again, long bytes) {
        if (again.messageBytes() == bytes) {
            return true;
        }
        diverged(again.source(), again.context(), again.destination(), again.sequence(),
                "bytes " + again.messageBytes() + " instead of " + bytes);
        report(JobEvent.ABORTED, again.source(), ExitStatuses.DIVERGED, "has diverged in message " + again.sequence() + " to rank "
                + again.destination() + " in context " + again.context() + ", which it had begun to send with " + bytes
                + " bytes and now has with " + again.messageBytes() + ": nobody has the rest");
        return false;
    }

    /** Adds to the credit that is owed to {@code rank}. True if it is worth a frame now. */
    boolean owe(int rank, long bytes, CoreConfig config) {
        owedBytes[rank] += bytes;
        owedMessages[rank]++;
        return owedBytes[rank] >= config.creditPortionBytes(cores)
                || owedMessages[rank] >= config.creditPortionMessages(cores);
    }

    long takeOwedBytes(int rank) {
        long owed = owedBytes[rank];
        owedBytes[rank] = 0;
        return owed;
    }

    int takeOwedMessages(int rank) {
        int owed = owedMessages[rank];
        owedMessages[rank] = 0;
        return owed;
    }

    @Override
    public String toString() {
        return "job " + hexId + " (" + name() + ")";
    }
}
