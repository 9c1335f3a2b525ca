package org.posthouse.mpj;

import java.io.IOException;
import org.posthouse.mpj.progress.ProgressEngine;
import org.posthouse.wire.CloseNotice;

/**
 * The end of a joint job for one of its ranks. The process goes on: it belongs to a job of its own, and its calls in the joint job
 * fail from then on. Guarded by the lock of the joint job's endpoint.
 */
final class JointExit extends ProcessExit {
    private final Endpoint own;
    private ProgressEngine progressEngine;
    private String why = "";

    /** @param own the process's end in its own job */
    JointExit(Endpoint own) {
        super(own.rank());
        this.own = own;
    }

    /** Sets the waits that end. Called once, before any frame is read. */
    void ends(ProgressEngine waits) {
        progressEngine = waits;
    }

    @Override
    void aborted(CloseNotice closeNotice) {
        progressEngine.end(closeNotice.text());
    }

    @Override
    void refused(String relay, CloseNotice notice) {
        progressEngine.end("the relay at " + relay + " closed the connection of the joint job: " + notice.words());
    }

    @Override
    void lost(String relay, IOException cause) {
        progressEngine.end("the connection of the joint job to the relay at " + relay + " broke: " + cause.getMessage());
    }

    @Override
    void gaveUp(String reason) {
        why = reason;
    }

    /** Nothing ends later than the job's own end, which has its own limit of time. */
    @Override
    void exitLater(int status, long ms) {
        why = "it has aborted the joint job with status " + status;
    }

    @Override
    void exit(int status) {
        own.abort(status, why);
    }
}
