package org.posthouse.core;

import java.util.List;
import java.util.function.Consumer;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Hello;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Welcome;

/**
 * Decides which process may connect as a rank, and answers it: one handshake for a first start, a move and a restart
 * (docs/wire.md, conversations). Part of {@link RelayCore}.
 */
final class RankAdmission {
    /** Limit of the processes that follow one rank: {@code -r} allows 15, and one may be on its way out. */
    static final int FOLLOWERS_MAX = 16;

    /** Limit of a process's number, so that there are higher ones for those that are promoted. */
    static final int INCARNATION_MAX = 1 << 30;

    private final String relay;
    private final CoreConfig config;
    private final HistorySource historySource;
    private final Consumer<HomedRank> departures;
    private final RankReconnection rankReconnection;

    /** @param departures handles a rank's departure and the frames that it had under way; the rank is away then */
    RankAdmission(String relay, CoreConfig config, HistorySource historySource, Consumer<HomedRank> departures) {
        this.relay = relay;
        this.config = config;
        this.historySource = historySource;
        this.departures = departures;
        this.rankReconnection = new RankReconnection(historySource, departures);
    }

    /** Connects the rank that sent {@code hello}, and notifies the job's launcher. */
    HomedRank admit(Job job, Hello hello, List<StatePage.Entry> state, RankPort port, long nanos) throws Refusal {
        HomedRank rank = homed(job, hello);
        if (hello.start() == Hello.AGAIN) {
            rankReconnection.admit(rank, hello, state, port, nanos);
        } else if (rank.state() == RankState.MOVING && hello.incarnation() == rank.incarnation()) {
            checkCounters(rank, hello, state);
        } else {
            requireFresh(rank, hello, state);
            start(rank, hello, port, nanos);
        }
        requireTellable(rank);
        return rank;
    }

    /** Lets a process follow a rank. It has no effects, so that nothing but its own connection is replaced for it. */
    RankFollower follow(Job job, Hello hello, List<StatePage.Entry> state, FollowerPort port, long nanos) throws Refusal {
        HomedRank rank = homed(job, hello);
        String who = "follower " + hello.incarnation() + " of " + rank;
        if (!job.logged() || rank.state() == RankState.LOST) {
            throw new Refusal(CloseReason.CANNOT_RESUME, who + (job.logged() ? ", which was given up" : ", whose job is not logged"));
        }
        if (hello.deliveries() > rank.counters().messagesDelivered() || hello.events() > rank.counters().events()) {
            throw new Refusal(
                    CloseReason.CANNOT_RESUME,
                    "restart: " + who + " has observed " + hello.deliveries() + " deliveries and " + hello.events() + " events, known here: "
                            + rank.counters().messagesDelivered() + " and " + rank.counters().events());
        }
        boolean again = hello.start() == Hello.AGAIN;
        if (!again && rank.state() != RankState.WAITING && hello.incarnation() <= rank.incarnation()) {
            throw new Refusal(
                    CloseReason.FENCED, who + " has a number that is not above that of its leader, " + rank.incarnation() + ": start it with a higher one");
        }
        if (rank.checkpoints().outputNotes().isLimited()) {
            throw new Refusal(CloseReason.CANNOT_RESUME, who + ", which did what cannot be replayed");
        }
        RankFollower before = rank.followers() == null ? null : rank.followers().numbered(hello.incarnation());
        if (before != null && !again) {
            throw new Refusal(CloseReason.FENCED, who + " is connected already");
        }
        if (before == null && rank.followers() != null && rank.followers().all().size() >= FOLLOWERS_MAX) {
            throw new Refusal(CloseReason.LIMIT, who + ", which " + FOLLOWERS_MAX + " processes follow already, the most that may: end one first");
        }
        ResumePoint from = again ? ResumePoint.of(hello, state) : ResumePoint.NONE;
        boolean hasHistory = job.journal().hasHistory(rank.rank(), from.readFrom(), from.events());
        if (before != null) {
            before.port().close(CloseNotice.closing(job.id(), CloseReason.FENCED, who + " has come over another connection"));
            rank.followers().remove(before);
        }
        if (!hasHistory) {
            if (before != null) {
                before.replay().stop();
            }
            throw new Refusal(CloseReason.CANNOT_RESUME, who + ", of whose history the beginning was cut for want of memory, or never kept");
        }
        RankFollower follower = rank.follow(port, hello.incarnation(), again, from, historySource, nanos);
        if (before != null) {
            follower.replay().takesOverFrom(before.replay());
        }
        return follower;
    }

    /** The answer to a process that follows. It gets credit when it leads. */
    Welcome welcomeFollower(HomedRank rank, int incarnation) {
        Job job = rank.job();
        return new Welcome(
                job.id(),
                rank.rank(),
                incarnation,
                0,
                0,
                job.durability(),
                rank.counters().messagesDelivered(),
                rank.counters().events(),
                0,
                0,
                0,
                job.self(),
                job.homes(),
                job.homeOf(),
                new int[0]);
    }

    /**
     * Makes a follower the process of its rank, which is away. Nothing of the rank's state is told to it yet.
     *
     * @throws JournalFailure if that cannot be logged; the process follows on
     */
    void promote(HomedRank rank, RankFollower follower) throws Refusal {
        int next = rank.followers().nextIncarnation();
        rank.job().journal().promoted(rank.job().id(), rank.rank(), next, follower.incarnation());
        rank.followers().remove(follower);
        rank.safety().connect(1, true);
        OpenChannels.await(rank);
        rank.promote(follower, next);
        rank.followers().leaderChanged();
        requireTellable(rank);
    }

    /** Refuses a rank whose channel state exceeds the limit. The state is known only after the rank was admitted. */
    private void requireTellable(HomedRank rank) throws Refusal {
        int entries = OpenChannels.state(rank).size();
        if (entries > OpenChannels.STATE_MAX) {
            String why = rank + " cannot come again: it would have to be told of " + entries + " channels, messages on their way, and sends that it took back ("
                    + rank.repeats().gone().size() + " of them), expected " + OpenChannels.STATE_MAX + " at most";
            departures.accept(rank);
            rank.job().report(JobEvent.AWAY, rank.rank(), CloseReason.LIMIT.code(), why);
            throw new Refusal(CloseReason.LIMIT, why);
        }
    }

    private HomedRank homed(Job job, Hello hello) throws Refusal {
        HomedRank rank = job.homed(hello.rank());
        if (rank == null) {
            String who = "rank " + hello.rank() + " of job " + job.hexId();
            throw new Refusal(
                    CloseReason.WRONG_RANK,
                    hello.rank() >= 0 && hello.rank() < job.size()
                            ? who + " is at home at relay " + job.home(hello.rank()).relay() + ", not at " + relay
                            : who + ", which has ranks 0 to " + (job.size() - 1));
        }
        if (hello.incarnation() > INCARNATION_MAX) {
            throw new Refusal(
                    CloseReason.LIMIT,
                    rank + " comes with incarnation " + hello.incarnation() + ", at most " + INCARNATION_MAX + " may be: launchers count from 1");
        }
        return rank;
    }

    private static void requireFresh(HomedRank rank, Hello hello, List<StatePage.Entry> state) throws Refusal {
        boolean first = rank.state() == RankState.WAITING;
        if (!first && hello.incarnation() <= rank.incarnation()) {
            throw new Refusal(
                    CloseReason.FENCED,
                    rank + " with incarnation " + hello.incarnation() + ", but incarnation " + rank.incarnation() + " is "
                            + rank.state());
        }
        boolean fresh = hello.start() == Hello.FRESH && hello.deliveries() == 0 && hello.failedPolls() == 0 && state.isEmpty();
        boolean mayStart = first || rank.job().logged() && rank.state() != RankState.LOST;
        if (!mayStart || !fresh) {
            throw new Refusal(
                    CloseReason.CANNOT_RESUME,
                    rank + " is " + rank.state() + " after " + rank.counters().messagesDelivered() + " deliveries and comes with "
                            + hello.deliveries()
                            + (mayStart ? "; a process that starts has none" : rank.job().logged() ? "; it was given up" : "; its job is not logged"));
        }
    }

    private void start(HomedRank rank, Hello hello, RankPort port, long nanos) {
        Job job = rank.job();
        replaceLiving(rank, hello);
        job.journal().incarnation(job.id(), rank.rank(), hello.incarnation());
        if (job.logged()) {
            rank.safety().connect(1, true);
        }
        if (rank.followers() != null) {
            rank.followers().leaderChanged();
        }
        if (hello.incarnation() > 1 && job.logged()) {
            OpenChannels.await(rank);
            rank.beginReplay(port, hello.incarnation(), ResumePoint.NONE, historySource, nanos);
            job.report(new JobEvent(
                    job.id(), JobEvent.REPLAYING, rank.rank(), 0, rank.counters().messagesDelivered(), rank.counters().events(), ""));
        } else {
            rank.connect(port, hello.incarnation());
            job.report(JobEvent.CONNECTED, rank.rank(), 0, "");
        }
    }

    /** Ends the connection of the rank's earlier process, which may not have noticed that it is replaced. */
    private void replaceLiving(HomedRank rank, Hello hello) {
        RankPort port = rank.port();
        if (port != null) {
            port.close(CloseNotice.closing(
                    rank.job().id(),
                    CloseReason.FENCED,
                    "incarnation " + hello.incarnation() + " has come, this is " + rank.incarnation()));
            departures.accept(rank);
        }
    }

    /** A rank that was asked to move has seen all frames sent to it, and the relay all that the rank sent. */
    private static void checkCounters(HomedRank rank, Hello hello, List<StatePage.Entry> state) throws Refusal {
        int channels = 0;
        for (StatePage.Entry channel : state) {
            int to = channel.peer();
            if (to < 0 || to >= rank.job().size()) {
                throw new Refusal(CloseReason.CANNOT_RESUME, rank + " has sent to rank " + to + ", which the job has not");
            }
            HomedRank local = rank.job().homed(to);
            long known = local == null
                    ? rank.outgoing().lastSequence(channel.context(), to)
                    : local.mailbox().lastSequence(channel.context(), rank.rank());
            boolean forgotten = local == null && rank.outgoing().isForgotten(channel.context(), to);
            boolean counted = !rank.job().logged()
                    || !rank.job().failures().mayDrop(channel.context(), to) && !rank.job().failures().mayDrop(channel.context(), rank.rank());
            if (channel.kind() != StatePage.SENT || channel.a() != known && !forgotten && counted) {
                throw new Refusal(
                        CloseReason.CANNOT_RESUME,
                        rank + " has sent up to sequence " + channel.a() + " to rank " + to + " in context "
                                + channel.context() + ", known here: " + known);
            }
            channels++;
        }
        if (channels < OpenChannels.count(rank) || hello.deliveries() != rank.deliveriesSent()) {
            throw new Refusal(
                    CloseReason.CANNOT_RESUME,
                    rank + " comes with " + hello.deliveries() + " deliveries and " + channels + " channels, known here: "
                            + rank.deliveriesSent() + " and " + OpenChannels.count(rank));
        }
    }

    /** The answer to a rank that was admitted. */
    Welcome welcome(HomedRank rank) {
        Job job = rank.job();
        return new Welcome(
                job.id(),
                rank.rank(),
                rank.incarnation(),
                config.creditBytes() - rank.sends().creditBytesUsed(),
                config.creditMessages() - rank.sends().creditMessagesUsed(),
                job.durability(),
                rank.deliveriesSent(),
                rank.counters().events(),
                StatePage.pages(OpenChannels.state(rank).size()),
                0,
                0,
                job.self(),
                job.homes(),
                job.homeOf(),
                new int[0]);
    }
}
