package mpi;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The joint jobs that the calling process takes part in. Thread-safe. */
final class JointJobs {
    private final List<JointJob> open = new ArrayList<>();

    synchronized void add(JointJob joint) {
        open.add(joint);
    }

    /** Leaves the joint job of this process, if it is one and the program has no communicator of it any more. */
    void leaveIdle(OwnProcess inJoint) {
        JointJob idle = take(inJoint);
        if (idle != null) {
            idle.leave();
        }
    }

    private synchronized JointJob take(OwnProcess inJoint) {
        for (JointJob each : open) {
            if (each.endpoint() == inJoint.endpoint() && inJoint.contexts().isIdle()) {
                open.remove(each);
                return each;
            }
        }
        return null;
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
