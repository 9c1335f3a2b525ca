package org.posthouse.mpj;

import java.io.IOException;
import org.posthouse.mpj.progress.ProgressEngine;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.ReplayLimit;

/**
 * The end of a joint job for one of its ranks. The process goes on: it belongs to a job of its own, and its calls in the joint job
 * fail from then on. Only if the job is logged, and the relay cannot continue with this process or is away for too long, does the process end, for the
 * next one. Guarded by the lock of the joint job's endpoint.
 */
final class JointExit extends ProcessExit {
    private final RelayEndpoint own;
    private ProgressEngine progressEngine;

    /** Whether the process has joined, or one before it had. */
    private boolean hasJoined;

    private String why = "";

    /**
     * @param own the process's end in its own job
     * @param isAgain whether a process before this one may have joined
     */
    JointExit(RelayEndpoint own, boolean isAgain) {
        super(own.rank());
        this.own = own;
        this.hasJoined = isAgain;
    }

    /** Sets the waits that end. Called once, before any frame is read. */
    void ends(ProgressEngine waits) {
        progressEngine = waits;
    }

    /** What the process did in the joint job cannot be replayed: that is in the history of its own job before it leaves, so that a later image of it counts. */
    void leaves(ReplayLimit limit) {
        own.limit(limit);
    }

    /** The relay has admitted the process. */
    void joined() {
        hasJoined = true;
    }

    @Override
    void aborted(CloseNotice closeNotice) {
        progressEngine.end(closeNotice.text());
    }

    @Override
    void refused(String relay, CloseNotice notice) {
        if (isForNext() && notice.reason() != CloseReason.UNKNOWN_JOB) {
            own.processExit().refused(relay, notice);
        }
        progressEngine.end("the relay at " + relay + " closed the connection of the joint job: " + notice.words());
    }

    @Override
    void lost(String relay, IOException cause) {
        if (isForNext()) {
            own.processExit().lost(relay, cause);
        }
        progressEngine.end("the connection of the joint job to the relay at " + relay + " broke: " + cause.getMessage());
    }

    /** Whether another process can be started, which does again what this one has done. */
    private boolean isForNext() {
        return hasJoined && own.isLogged();
    }

    @Override
    void gaveUp(String reason) {
        why = reason;
    }

    @Override
    void diverged(String how) {
        why = how;
    }

    /** Nothing ends later than the job's own end, which has its own limit of time. */
    @Override
    void exitLater(int status, long ms) {
        why = why.isEmpty() ? "it has aborted the joint job with status " + status : why;
    }

    @Override
    void exitAlone(int status) {
        own.processExit().exitAlone(status);
    }

    @Override
    void exit(int status) {
        own.abort(status, why);
    }
}
