package org.posthouse.mpj;

import java.io.IOException;
import org.posthouse.mpj.blocked.CallTracker;
import org.posthouse.mpj.determinant.DeterminantRecorder;
import org.posthouse.mpj.failure.RankFailures;
import org.posthouse.mpj.match.Inbox;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.FailedProbeException;
import org.posthouse.mpj.operation.PendingProbe;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.progress.ProgressEngine;
import org.posthouse.mpj.progress.RelayConnection;
import org.posthouse.mpj.progress.WriteReadiness;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

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
    private final RankFailures failures;
    private final WriteReadiness writeReadiness;

    ProbeMatcher(RelayConnection line, ProgressEngine progressEngine, DeterminantRecorder determinantRecorder, Inbox inbox, CallTracker callTracker,
            RankFailures failures, WriteReadiness writeReadiness) {
        this.line = line;
        this.progressEngine = progressEngine;
        this.determinantRecorder = determinantRecorder;
        this.inbox = inbox;
        this.callTracker = callTracker;
        this.failures = failures;
        this.writeReadiness = writeReadiness;
    }

    /**
     * Blocks until a matching message is there.
     *
     * @param call as {@link Endpoint#probe}
     */
    Envelope probe(int context, int source, int tag, String call) throws IOException {
        if (determinantRecorder.replays()) {
            return foundAgain(context);
        }
        PendingProbe what = new PendingProbe(FrameView.BLOCKING, context, source, tag);
        callTracker.begin(call, what);
        try {
            return determinantRecorder.found(askAndRecord(what));
        } finally {
            callTracker.end(call, what);
        }
    }

    /** The message that matches now. Null if there is none, which counts as a failed poll. */
    Envelope tryProbe(int context, int source, int tag) throws IOException {
        if (determinantRecorder.replays()) {
            return determinantRecorder.failsAgain() ? null : foundAgain(context);
        }
        Envelope found = askAndRecord(new PendingProbe(0, context, source, tag));
        if (found == null) {
            progressEngine.requireGoing();
            progressEngine.blocked();
            determinantRecorder.count(1);
            return null;
        }
        return determinantRecorder.found(found);
    }

    private Envelope foundAgain(int context) throws IOException {
        ReceiveException failure = failures.probeFailedAgain(context);
        if (failure != null) {
            throw new FailedProbeException(failure);
        }
        return determinantRecorder.foundAgain();
    }

    /** A failure is an event. */
    private Envelope askAndRecord(PendingProbe probe) throws IOException {
        try {
            return ask(probe);
        } catch (FailedProbeException e) {
            failures.probeFailed(e.failure());
            throw e;
        }
    }

    private Envelope ask(PendingProbe pendingProbe) throws IOException {
        writeReadiness.await();
        for (boolean asked = false;; asked = true) {
            Envelope came = inbox.find(pendingProbe.context, pendingProbe.source, pendingProbe.tag);
            boolean blocks = (pendingProbe.flags & FrameView.BLOCKING) != 0;
            ReceiveException refusal = came == null ? refusal(pendingProbe) : null;
            if (refusal != null) {
                return lastLook(pendingProbe, refusal);
            }
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
        boolean blocks = (pendingProbe.flags & FrameView.BLOCKING) != 0;
        if (blocks) {
            progressEngine.moved();
        }
        inbox.probe(pendingProbe);
        line.flush();
        while (!pendingProbe.isDone()) {
            if (blocks) {
                progressEngine.awaitInCall(true, false);
            } else {
                progressEngine.await(); // The relay answers at once.
            }
            ReceiveException refusal = blocks && pendingProbe.source == Wire.ANY && !pendingProbe.isDone() ? refusal(pendingProbe) : null;
            if (refusal != null) {
                return lastLook(pendingProbe, refusal);
            }
        }
        Envelope found = outcome(pendingProbe);
        if (found == null && blocks) {
            throw new FailedProbeException(refusal(pendingProbe));
        }
        return found;
    }

    private static Envelope outcome(PendingProbe pendingProbe) {
        if (pendingProbe.failure() != null) {
            throw new FailedProbeException(pendingProbe.failure());
        }
        return pendingProbe.envelope();
    }

    /** Why nothing more may come for a probe; null if something may. */
    private ReceiveException refusal(PendingProbe probe) {
        ReceiveException refusal = failures.refusal(probe.context, probe.source);
        return refusal == null && probe.source == Wire.ANY ? failures.pending(probe.context) : refusal;
    }

    /**
     * Looks for a message that has come already: only the relay knows once nothing is pushed any more.
     *
     * @param probe not asked yet, or asked and not answered
     */
    private Envelope lastLook(PendingProbe probe, ReceiveException why) throws IOException {
        if (why.kind() == ReceiveException.Kind.REVOKED) {
            throw new FailedProbeException(why);
        }
        while (inbox.isAhead(probe.context)) {
            inbox.endAhead(probe.context);
            line.flush();
            awaitMore(true);
        }
        Envelope came = inbox.find(probe.context, probe.source, probe.tag);
        if (came != null) {
            return came;
        }
        PendingProbe last = new PendingProbe(0, probe.context, probe.source, probe.tag);
        inbox.probe(last);
        line.flush();
        while (!last.isDone()) {
            progressEngine.await();
        }
        Envelope found = outcome(probe.isDone() ? probe : last); // The relay answers in the order of the questions.
        if (found == null) {
            probe.abandon(why);
            throw new FailedProbeException(why);
        }
        return found;
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
