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

/** A job that is open at this relay, and who hears of it. Confined to the relay's control strand; {@link Jobs} decides. */
final class OpenJob {
    private static final Logger LOG = LoggerFactory.getLogger(OpenJob.class);

    /** Most events that are kept for a launcher that is away; beside how ranks stand, which is told anew, they are few: the oldest of others than the job's end goes. */
    static final int UNTOLD_MAX = 256;

    /** Most divergences of which its launcher is told, as a rank may send millions of messages otherwise than before; and most strangers that came as a rank. */
    static final int TOLD_MAX = 16;

    /** Where a job stands with its launcher. Ranks may come in all states but CLOSED. */
    enum State {
        /** Its launcher is connected. */
        OPEN,
        /** Its launcher's connection has ended, and may be made again for a while: the job is logged. */
        ORPHANED,
        /** The relay has it from its log, and its launcher may come for a while. */
        RECOVERED,
        /** It has ended, or is about to. */
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
    private State state;

    /** Since when it stands still. */
    private Instant standingSince;

    /** Why it stands still, whoever launches it; null if it goes on, or its launcher is to end it. */
    private JobEvent standing;

    /** Whether the launcher that there is, or the next, was told that the job cannot go on: another relay that lies may say a million bad frames until it ends. */
    private boolean endTold;

    private long divergences;
    private String divergence = "";

    /** How many came as one of its ranks without its token. */
    private long strangers;

    /** Ranks at home here that have come, be it before this process of the relay. */
    private final BitSet came = new BitSet();

    /** Who opened it, or has come back to it; empty as long as that is not known. */
    private String owner = "";

    /** Whether ranks that have not come are waited for no more: no room is reserved for them. */
    private boolean ranksOverdue;

    /** Null unless it is OPEN, or was when it was closed. */
    private LauncherSession launcher;

    /** Ends the wait for a launcher; null if none is awaited. */
    private ScheduledFuture<?> patience;

    /** When that is, in milliseconds since 1970; 0 if none is awaited. */
    private long patienceUntilMs;

    /** @param launcher null if the job comes from the log */
    OpenJob(JobOpen opening, LauncherSession launcher, long startMs) {
        this.opening = opening;
        this.launcher = launcher;
        this.startMs = startMs;
        this.state = launcher == null ? State.RECOVERED : State.OPEN;
    }

    long id() {
        return opening.job();
    }

    JobOpen opening() {
        return opening;
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

    /** @return whether it is the first time */
    boolean rankCame(int rank) {
        boolean first = !came.get(rank);
        came.set(rank);
        return first;
    }

    /** Of those at home here. */
    int ranksThatCame() {
        return came.cardinality();
    }

    void ranksAreOverdue() {
        ranksOverdue = true;
    }

    /** How many of its ranks may have something under way: of those that are at home here only who came, when the others were waited for long enough. */
    int ranksExpected(int here) {
        return !ranksOverdue ? opening.size() : came.isEmpty() ? 0 : opening.size() - here + ranksThatCame();
    }

    /** What the relay's process before had counted. */
    void recall(long counted, String first) {
        divergences = counted;
        divergence = first;
    }

    /** Messages that ranks which were started again would have sent otherwise than before; after a restart of this relay, half of them at least. */
    long divergences() {
        return divergences;
    }

    /** The first of them, in words; empty if there was none. */
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

    /** Goes to another state. @throws IllegalStateException if that cannot be */
    private void transition(State next, String reason) {
        if (!state.mayBecome(next)) {
            throw new IllegalStateException(this + " is " + state + " and cannot be " + next + ": " + reason);
        }
        LOG.info("{}: {} is {} now: {}", this, state, next, reason);
        state = next;
        endTold = false;
        awaitNobody();
    }

    /** Nothing ends it for want of a launcher any more. */
    void awaitNobody() {
        if (patience != null) {
            patience.cancel(false);
            patience = null;
            patienceUntilMs = 0;
        }
    }

    /** This launcher hears of it from now on, beginning with what nobody was there to hear; how ranks stand is not in that. */
    void attach(LauncherSession session) {
        transition(State.OPEN, "its launcher has come");
        if (launcher != null && launcher != session) {
            launcher.forget(id());
        }
        launcher = session;
    }

    /** It cannot go on at this process of the relay, and stays in the log until it is ended by somebody's word: each launcher is told, once. */
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

    /** Whether an event says that. */
    static boolean stands(JobEvent event) {
        return event.kind() == JobEvent.ABORTED && event.rank() < 0 && event.code() == JobEvent.STANDS;
    }

    /** Whether an event says that the job cannot go on, of which all was told: as long as nobody ends it each frame of a rank may say so again. */
    boolean isTold(JobEvent event) {
        return stands(event) ? standing != null : event.kind() == JobEvent.ABORTED && endTold;
    }

    boolean standsStill() {
        return standing != null;
    }

    /** Why it stands still, in words; empty if it does not. */
    Optional<String> standing() {
        return Optional.ofNullable(standing).map(why -> this + " stands still since " + standingSince + ": " + why.text());
    }

    /** Tells the launcher that was attached what it has missed. */
    void tellMissed() {
        if (standing != null) {
            launcher.onJobEvent(standing);
        }
        untold.forEach(launcher::onJobEvent);
        untold.clear();
    }

    /** Its launcher has gone without closing it. */
    void orphan() {
        transition(State.ORPHANED, "its launcher's connection has ended");
        launcher = null;
    }

    /** What ends it if its launcher does not come in time, which is by then. */
    void await(ScheduledFuture<?> end, long untilMs) {
        patience = end;
        patienceUntilMs = untilMs;
    }

    /** Until when its launcher is awaited, in milliseconds since 1970; 0 if it is there, or the job has ended. */
    long launcherAwaitedUntilMs() {
        return patienceUntilMs;
    }

    /** Nothing more is to happen to it. @return false if that was so before */
    boolean close(String why) {
        if (state == State.CLOSED) {
            return false;
        }
        transition(State.CLOSED, why);
        return true;
    }

    /** Tells the launcher, of the job's end once, or keeps what one that comes later would not see from how the ranks stand. */
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

    /** Not the job's end, of which the first word is what counts. */
    private void forgetOldest() {
        untold.remove(untold.getFirst().kind() == JobEvent.ABORTED ? 1 : 0);
    }

    /** Whether the event says how a rank stands, which a launcher is told when it comes. */
    private static boolean isStanding(JobEvent event) {
        return switch (event.kind()) {
            case JobEvent.CONNECTED, JobEvent.FINALIZED, JobEvent.LOST, JobEvent.AWAY, JobEvent.REPLAYING, JobEvent.CAUGHT_UP, JobEvent.CHECKPOINTED,
                    JobEvent.LIMITED,
                    JobEvent.SAVES, JobEvent.BLOCKED, JobEvent.SENDS_BEHIND -> true;
            default -> false;
        };
    }

    /** As people know it. */
    @Override
    public String toString() {
        return "job " + Job.hexId(id()) + " (" + opening.name() + ")";
    }
}
