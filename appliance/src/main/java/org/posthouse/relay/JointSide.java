package org.posthouse.relay;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.posthouse.core.Job;
import org.posthouse.wire.JobJoin;

/** One of the two jobs of a joint job, as its relay sees it by the names that it binds. Confined to the relay's control strand. */
final class JointSide {
    /** Looks in which the name of a logged job was not there, before that counts: the relay of a job that is there binds it again. */
    private static final int MISSED_MAX = 3;

    private final long joint;
    private final long job;
    private final boolean isHere;
    private final long beginMsMax;
    private final long beganNanos = System.nanoTime();

    /** Whether its name was found: without it from then on, it takes part no more. */
    private boolean begun;

    /** Looks in a row in which its name was not there. */
    private int missed;

    private boolean hasEnded;

    /**
     * @param isHere whether the job has ranks at this relay, which then knows by itself when it ends
     * @param beginMsMax milliseconds in which it must have begun to take part
     */
    JointSide(long joint, JobJoin.Part part, boolean isHere, long beginMsMax) {
        this.joint = joint;
        this.job = part.job();
        this.isHere = isHere;
        this.beginMsMax = beginMsMax;
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
     * Takes the result of a look.
     *
     * @return why it takes part no more; empty if it does
     */
    Optional<String> found(boolean isBound, boolean isLogged) {
        begun |= isBound;
        missed = isBound ? 0 : missed + 1;
        boolean isLate = !begun && System.nanoTime() - beganNanos > TimeUnit.MILLISECONDS.toNanos(beginMsMax);
        if (isBound || !begun && !isLate || isLogged && missed < MISSED_MAX) {
            return Optional.empty();
        }
        return Optional.of("job " + Job.hexId(job) + (begun ? " has left it or has ended" : " has not come within " + beginMsMax + " ms"));
    }
}
