package org.posthouse.mpj;

import java.io.IOException;
import org.posthouse.mpj.blocked.CallTracker;
import org.posthouse.mpj.determinant.DeterminantRecorder;
import org.posthouse.mpj.match.Inbox;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.PendingProbe;
import org.posthouse.mpj.progress.ProgressEngine;
import org.posthouse.mpj.progress.RelayConnection;
import org.posthouse.mpj.progress.WriteReadiness;
import org.posthouse.wire.FrameView;

/**
 * Answers a rank's probes: from the recorded history, from a context that runs ahead, or by asking the relay. Guarded
 * by the endpoint's lock.
 */
final class ProbeMatcher {
    private final RelayConnection line;
    private final ProgressEngine progressEngine;
    private final DeterminantRecorder determinantRecorder;
    private final Inbox inbox;
    private final CallTracker callTracker;
    private final WriteReadiness writeReadiness;

    ProbeMatcher(RelayConnection line, ProgressEngine progressEngine, DeterminantRecorder determinantRecorder, Inbox inbox, CallTracker callTracker,
            WriteReadiness writeReadiness) {
        this.line = line;
        this.progressEngine = progressEngine;
        this.determinantRecorder = determinantRecorder;
        this.inbox = inbox;
        this.callTracker = callTracker;
        this.writeReadiness = writeReadiness;
    }

    /**
     * Blocks until a matching message is there.
     *
     * @param call as {@link Endpoint#probe}
     */
    Envelope probe(int context, int source, int tag, String call) throws IOException {
        if (determinantRecorder.replays()) {
            return determinantRecorder.foundAgain();
        }
        PendingProbe what = new PendingProbe(FrameView.BLOCKING, context, source, tag);
        callTracker.begin(call, what);
        try {
            return determinantRecorder.found(ask(what));
        } finally {
            callTracker.end(call, what);
        }
    }

    /** The message that matches now. Null if there is none, which counts as a failed poll. */
    Envelope tryProbe(int context, int source, int tag) throws IOException {
        if (determinantRecorder.replays()) {
            return determinantRecorder.failsAgain() ? null : determinantRecorder.foundAgain();
        }
        Envelope found = ask(new PendingProbe(0, context, source, tag));
        if (found == null) {
            progressEngine.requireGoing();
            determinantRecorder.count(1);
            return null;
        }
        return determinantRecorder.found(found);
    }

    private Envelope ask(PendingProbe pendingProbe) throws IOException {
        writeReadiness.await();
        for (boolean asked = false;; asked = true) {
            Envelope came = inbox.find(pendingProbe.context, pendingProbe.source, pendingProbe.tag);
            boolean blocks = (pendingProbe.flags & FrameView.BLOCKING) != 0;
            if (came != null || inbox.isAhead(pendingProbe.context) && asked && !blocks) {
                return came;
            }
            if (inbox.postsLater(pendingProbe.context)) {
                if (!blocks) {
                    progressEngine.poll();
                    return null; // The message may be for a receive before the probe.
                }
            } else if (!inbox.isAhead(pendingProbe.context)) {
                break;
            }
            awaitMore(blocks);
        }
        inbox.probe(pendingProbe);
        line.flush();
        while (!pendingProbe.isDone()) {
            progressEngine.awaitInCall(true, false);
        }
        return pendingProbe.envelope();
    }

    /** Handles the frames that are there, and waits for more if it must block. */
    private void awaitMore(boolean blocks) throws IOException {
        if (blocks) {
            progressEngine.awaitInCall(true, false);
        } else {
            progressEngine.poll();
        }
        writeReadiness.await();
    }
}
