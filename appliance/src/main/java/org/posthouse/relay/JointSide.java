package org.posthouse.relay;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.posthouse.core.Job;
import org.posthouse.names.BoundName;
import org.posthouse.names.NameRecord;
import org.posthouse.wire.JobJoin;

/** One of the two jobs of a joint job, as its relay sees it by the names that it binds. Confined to the relay's control strand. */
final class JointSide {
    /**
     * Looks in a row in which the name of a logged job was not there, before that counts. The relay of a job that is there needs one look of its own
     * to bind it again.
     */
    static final int MISSED_MAX = 8;

    private static final int JOINED_MIN = 2;

    private final long joint;
    private final long job;
    private final boolean isHere;
    private final long beginMsMax;

    /** When the names first answered; 0 before. */
    private long beganNanos;

    /** Whether its name was found: without it from then on, it takes part no more. */
    private boolean begun;

    /** Whether all of its group have joined, as far as looks know: its name is to be there while its job is. */
    private boolean isKept;

    /** Looks in a row that have found that all have joined. A join that fails may show it at one look. */
    private int joined;

    /** Looks in a row in which its name was not there. */
    private int missed;

    private boolean hasEnded;

    /** What a look has found. */
    enum Sight {
        NOTHING,
        /** All of its group have joined. */
        JOINED,
        /** Its group comes, or has failed to. */
        UNDECIDED,
        /** What a relay has bound again. */
        BOUND_AGAIN;

        /** @param found what its name has, or the one that it has before it has joined */
        static Sight of(Optional<BoundName> found, String name) {
            if (found.isEmpty()) {
                return NOTHING;
            }
            NameRecord record = found.get().record();
            if (record.fields().containsKey(JobJoin.JOINED_FIELD)) {
                return JOINED;
            }
            return found.get().name().toString().equals(name) && !record.fields().containsKey(JobJoin.REFUSED_FIELD) ? BOUND_AGAIN : UNDECIDED;
        }
    }

    /** What is to be done after a look. */
    enum Step {
        /** Nothing: it takes part, or that is not known yet. */
        STAYS,
        /** Its job is open here and the names are lost: its name is to be bound again. */
        BIND_AGAIN,
        /** It takes part no more. */
        GONE
    }

    /**
     * @param isHere whether the job has ranks at this relay, which then knows by itself when it ends
     * @param beginMsMax milliseconds in which it must have begun to take part
     * @param isRecovered whether it took part before the relay was started
     */
    JointSide(long joint, JobJoin.Part part, boolean isHere, long beginMsMax, boolean isRecovered) {
        this.joint = joint;
        this.job = part.job();
        this.isHere = isHere;
        this.beginMsMax = beginMsMax;
        this.isKept = isRecovered;
    }

    long job() {
        return job;
    }

    boolean isHere() {
        return isHere;
    }

    String name() {
        return JobJoin.sideName(joint, job);
    }

    String comingName() {
        return JobJoin.comingName(joint, job);
    }

    boolean hasEnded() {
        return hasEnded;
    }

    void end() {
        hasEnded = true;
    }

    /**
     * Takes the result of a look that the names have answered.
     *
     * @param isOpen whether the job is open at this relay
     */
    Step found(Sight sight, boolean isLogged, boolean isOpen) {
        boolean isBound = sight != Sight.NOTHING;
        beganNanos = beganNanos == 0 ? System.nanoTime() | 1 : beganNanos;
        begun |= isBound;
        joined = sight == Sight.JOINED ? joined + 1 : 0;
        isKept = sight != Sight.UNDECIDED && (isKept || joined >= JOINED_MIN);
        missed = isBound ? 0 : missed + 1;
        if (isBound) {
            return Step.STAYS;
        }
        if (isLogged && isHere && isOpen && isKept) {
            return Step.BIND_AGAIN;
        }
        boolean isLate = !begun && System.nanoTime() - beganNanos > TimeUnit.MILLISECONDS.toNanos(beginMsMax);
        return !begun && !isLate || isLogged && missed < MISSED_MAX ? Step.STAYS : Step.GONE;
    }

    /** Why it takes part no more, when it is gone. */
    String why() {
        return "job " + Job.hexId(job) + (begun ? " has left it or has ended" : " has not come within " + beginMsMax + " ms");
    }
}
