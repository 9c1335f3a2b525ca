package mpi;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.posthouse.mpj.Endpoint;
import org.posthouse.wire.ReplayLimit;

/** The joint jobs that the calling process takes part in. Thread-safe. */
final class JointJobs {
    private final Endpoint own;
    private final List<JointJob> open = new ArrayList<>();

    /** @param own the process's end in its own job */
    JointJobs(Endpoint own) {
        this.own = own;
    }

    synchronized void add(JointJob joint) {
        open.add(joint);
    }

    /** Whether the process takes part in any. */
    synchronized boolean isAny() {
        return !open.isEmpty();
    }

    /** The program is told that a joint job has ended. No history has that: another process might be told later. */
    void observeEnd() {
        own.limit(ReplayLimit.JOINT_ENDED);
    }

    /**
     * Leaves the joint job of this process, if it is one and the program has no communicator of it any more in any process. Called by all of its
     * processes together.
     */
    void leaveIdle(OwnProcess inJoint) {
        JointJob joint = of(inJoint.endpoint());
        if (joint != null && joint.isIdle(inJoint.contexts().isIdle())) {
            synchronized (this) {
                open.remove(joint);
            }
            joint.leave();
        }
    }

    private synchronized JointJob of(Endpoint endpoint) {
        return open.stream().filter(each -> each.endpoint() == endpoint).findFirst().orElse(null);
    }

    /** Leaves all, in one order at all processes of all jobs: each waits for the other job of its joint job. */
    void leaveAll() {
        List<JointJob> left;
        synchronized (this) {
            left = new ArrayList<>(open);
            open.clear();
        }
        left.sort(Comparator.comparingLong(JointJob::id));
        left.forEach(JointJob::leave);
    }
}
