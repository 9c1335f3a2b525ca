package org.posthouse.relay;

import io.netty.util.concurrent.ScheduledFuture;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import org.posthouse.core.Job;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobOpen;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A job that is open at this relay, with the events for its launcher. Confined to the relay's control strand;
 * {@link Jobs} decides.
 */
final class OpenJob {
    private static final Logger LOG = LoggerFactory.getLogger(OpenJob.class);

    /**
     * Limit of events kept for a launcher that is away. Rank states are not among them, because they are sent anew;
     * other events are few. At the limit the oldest event goes, except that of the job's end.
     */
    static final int UNTOLD_MAX = 256;

    /**
     * Limit of divergences reported to the launcher, because a rank may send millions of diverging messages. Also the
     * limit for processes that came as a rank with a wrong token.
     */
    static final int TOLD_MAX = 16;

    /** The job's state towards its launcher. Ranks may connect in all states but CLOSED. */
    enum State {
        /** Its launcher is connected. */
        OPEN,
        /** The launcher's connection has ended. It may reconnect for a while, because the job is logged. */
        ORPHANED,
        /** The relay has recovered the job from its log, and the launcher may connect for a while. */
        RECOVERED,
        /** The job has ended, or is about to. */
        CLOSED;

        private boolean mayBecome(State next) {
            return switch (next) {
                case OPEN -> this != CLOSED;
                case ORPHANED -> this == OPEN;
                case RECOVERED -> false;
                case CLOSED -> this != CLOSED;
            };
        }
    }

    private final JobOpen opening;
    private final long startMs;
    private final List<JobEvent> untold = new ArrayList<>();
    private final boolean isOfThisProcess;
    private State state;

    /** Time since which the job stands still. */
    private Instant standingSince;

    /** Why the job stands still, whoever launches it; null if it continues or its launcher is to end it. */
    private JobEvent standing;

    /**
     * Whether it was reported to the present launcher, or is kept for the next, that the job cannot continue. Until the
     * job ends, a faulty relay may send a million bad frames.
     */
    private boolean endTold;

    private long divergences;
    private String divergence = "";

    /** Number of processes that came as one of its ranks without its token. */
    private long strangers;

    /** Ranks at home here that have connected, also to earlier processes of the relay. */
    private final BitSet came = new BitSet();

    /** User who opened the job or came back to it last; empty until it is known. */
    private String owner = "";

    /** Whether ranks that have not connected are no longer awaited; no room is reserved for them then. */
    private boolean ranksOverdue;

    /** Null unless the job is OPEN, or was when it was closed. */
    private LauncherSession launcher;

    /** Timer that ends the wait for a launcher; null if none is awaited. */
    private ScheduledFuture<?> patience;

    /** Time at which the wait ends, in milliseconds since 1970; 0 if no launcher is awaited. */
    private long patienceUntilMs;

    /** @param launcher null if the job comes from the log */
    OpenJob(JobOpen opening, LauncherSession launcher, long startMs) {
        this(opening, launcher, startMs, launcher != null);
    }

    private OpenJob(JobOpen opening, LauncherSession launcher, long startMs, boolean isOfThisProcess) {
        this.opening = opening;
        this.launcher = launcher;
        this.startMs = startMs;
        this.isOfThisProcess = isOfThisProcess;
        this.state = isOfThisProcess || opening.isJoint() ? State.OPEN : State.RECOVERED;
    }

    /** A job that its ranks open, and that never has a launcher. */
    static OpenJob joint(JobOpen opening, long startMs) {
        return new OpenJob(opening, null, startMs, true);
    }

    long id() {
        return opening.job();
    }

    JobOpen opening() {
        return opening;
    }

    /** Whether the job was opened since the relay's process started; false if it is from the log. */
    boolean isOfThisProcess() {
        return isOfThisProcess;
    }

    long startMs() {
        return startMs;
    }

    String owner() {
        return owner;
    }

    void owner(String user) {
        owner = user;
    }

    /**
     * Records that a rank has connected.
     *
     * @return whether it is the first time
     */
    boolean rankCame(int rank) {
        boolean first = !came.get(rank);
        came.set(rank);
        return first;
    }

    /** Number of ranks at home here that have connected. */
    int ranksThatCame() {
        return came.cardinality();
    }

    void ranksAreOverdue() {
        ranksOverdue = true;
    }

    /**
     * Number of ranks that may have messages under way. Once the others are overdue, ranks at home here count only if
     * they have connected.
     *
     * @param here number of ranks at home here
     */
    int ranksExpected(int here) {
        return !ranksOverdue ? opening.size() : came.isEmpty() ? 0 : opening.size() - here + ranksThatCame();
    }

    /** Restores the divergences that the relay's previous process had counted. */
    void recall(long counted, String first) {
        divergences = counted;
        divergence = first;
    }

    /**
     * Number of messages that restarted ranks sent otherwise than before. After a restart of this relay it is at least
     * half of the true number.
     */
    long divergences() {
        return divergences;
    }

    /** Description of the first divergence; empty if there was none. */
    String divergence() {
        return divergence;
    }

    State state() {
        return state;
    }

    /** Null if none is connected. */
    LauncherSession launcher() {
        return launcher;
    }

    /**
     * Changes the state.
     *
     * @throws IllegalStateException if the state may not follow the present one
     */
    private void transition(State next, String reason) {
        if (!state.mayBecome(next)) {
            throw new IllegalStateException(this + " is " + state + " and cannot be " + next + ": " + reason);
        }
        LOG.info("{}: {} is {} now: {}", this, state, next, reason);
        state = next;
        endTold = false;
        awaitNobody();
    }

    /** Cancels the wait for a launcher. */
    void awaitNobody() {
        if (patience != null) {
            patience.cancel(false);
            patience = null;
            patienceUntilMs = 0;
        }
    }

    /**
     * Attaches a launcher, which receives all later events. {@link #tellMissed} sends it the earlier ones, and {@link
     * Jobs#tellStandings} the states of the ranks.
     */
    void attach(LauncherSession session) {
        transition(State.OPEN, "its launcher has come");
        if (launcher != null && launcher != session) {
            launcher.forget(id());
        }
        launcher = session;
    }

    /**
     * Marks a job that cannot continue in this process of the relay. It stays in the log until somebody orders its end.
     * Each launcher is notified once.
     */
    void standStill(JobEvent why) {
        if (standing == null) {
            standing = why;
            standingSince = Instant.now().truncatedTo(ChronoUnit.SECONDS);
            LOG.warn("{}", standing().orElseThrow());
            awaitNobody();
            if (launcher != null) {
                launcher.onJobEvent(why);
            }
        }
    }

    /** Whether an event says that the job stands still. */
    static boolean stands(JobEvent event) {
        return event.kind() == JobEvent.ABORTED && event.rank() < 0 && event.code() == JobEvent.STANDS;
    }

    /**
     * Whether an event repeats an earlier report that the job cannot continue. Until somebody ends the job, each frame
     * of a rank may cause such an event.
     */
    boolean isTold(JobEvent event) {
        return stands(event) ? standing != null : event.kind() == JobEvent.ABORTED && endTold;
    }

    boolean standsStill() {
        return standing != null;
    }

    /** Why the job stands still, in words; empty if it does not. */
    Optional<String> standing() {
        return Optional.ofNullable(standing).map(why -> this + " stands still since " + standingSince + ": " + why.text());
    }

    /** Tells the attached launcher the events that it has missed. */
    void tellMissed() {
        if (standing != null) {
            launcher.onJobEvent(standing);
        }
        untold.forEach(launcher::onJobEvent);
        untold.clear();
    }

    /** Called when the launcher has disconnected without closing the job. */
    void orphan() {
        transition(State.ORPHANED, "its launcher's connection has ended");
        launcher = null;
    }

    /** Stores the timer that ends the job if no launcher comes in time, and the time at which it fires. */
    void await(ScheduledFuture<?> end, long untilMs) {
        patience = end;
        patienceUntilMs = untilMs;
    }

    /**
     * Time until which the launcher is awaited, in milliseconds since 1970; 0 if it is connected or the job has ended.
     */
    long launcherAwaitedUntilMs() {
        return patienceUntilMs;
    }

    /**
     * Closes the job; no further event follows.
     *
     * @return false if it was closed before
     */
    boolean close(String why) {
        if (state == State.CLOSED) {
            return false;
        }
        transition(State.CLOSED, why);
        return true;
    }

    /**
     * Tells the launcher an event; the job's end only once. Without a launcher, keeps the event unless the states of
     * the ranks will show it.
     */
    void tell(JobEvent event) {
        if (event.kind() == JobEvent.DIVERGED) {
            tellDivergence(event);
        } else if (event.kind() == JobEvent.REFUSED && event.code() == CloseReason.WRONG_TOKEN.code()) {
            tellFirst(++strangers, event, "; of more with a wrong token only its relay tells (its log, posthouse_refusals_total)");
        } else if (event.kind() != JobEvent.ABORTED || !endTold) {
            endTold |= event.kind() == JobEvent.ABORTED;
            tellOrKeep(event);
        }
    }

    private void tellDivergence(JobEvent event) {
        divergences++;
        if (divergences == 1) {
            divergence = "rank " + event.rank() + " " + event.text();
        }
        tellFirst(divergences, event, "; what else differs is counted by its relay (posthouse status)");
    }

    private void tellFirst(long number, JobEvent event, String ofMore) {
        if (number < TOLD_MAX) {
            tellOrKeep(event);
        } else if (number == TOLD_MAX) {
            tellOrKeep(new JobEvent(event.job(), event.kind(), event.rank(), event.code(), event.a(), event.b(), event.text() + ofMore));
        }
    }

    private void tellOrKeep(JobEvent event) {
        if (launcher != null) {
            launcher.onJobEvent(event);
        } else if (!isStanding(event)) {
            if (untold.size() == UNTOLD_MAX) {
                forgetOldest();
            }
            untold.add(event);
        }
    }

    /** Discards the oldest event, but not the job's end, because the first cause is the one that counts. */
    private void forgetOldest() {
        untold.remove(untold.getFirst().kind() == JobEvent.ABORTED ? 1 : 0);
    }

    /** Whether the event gives the state of a rank; a launcher receives that when it connects. */
    private static boolean isStanding(JobEvent event) {
        return switch (event.kind()) {
            case JobEvent.CONNECTED, JobEvent.FINALIZED, JobEvent.LOST, JobEvent.AWAY, JobEvent.REPLAYING, JobEvent.CAUGHT_UP, JobEvent.CHECKPOINTED,
                    JobEvent.LIMITED,
                    JobEvent.SAVES, JobEvent.BLOCKED, JobEvent.SENDS_BEHIND -> true;
            default -> false;
        };
    }

    /** The job's name for people. */
    @Override
    public String toString() {
        return "job " + Job.hexId(id()) + " (" + opening.name() + ")";
    }
}
