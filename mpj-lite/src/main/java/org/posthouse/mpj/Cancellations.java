package org.posthouse.mpj;

import java.io.IOException;
import org.posthouse.mpj.determinant.DeterminantLog;
import org.posthouse.mpj.determinant.DeterminantRecorder;
import org.posthouse.mpj.match.Inbox;
import org.posthouse.mpj.operation.OfferedSend;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.PostedReceive;
import org.posthouse.mpj.progress.ProgressEngine;
import org.posthouse.mpj.progress.RelayConnection;
import org.posthouse.mpj.progress.WriteReadiness;
import org.posthouse.mpj.send.Outbox;

/**
 * Cancels operations: the relay tells whether the cancel was in time, and a restarted rank repeats the recorded
 * outcome. Guarded by the endpoint's lock.
 */
final class Cancellations {
    private final RelayConnection line;
    private final ProgressEngine progressEngine;
    private final DeterminantLog determinantLog;
    private final DeterminantRecorder determinantRecorder;
    private final Inbox inbox;
    private final Outbox outbox;
    private final WriteReadiness writeReadiness;

    Cancellations(
            RelayConnection line, ProgressEngine progressEngine, DeterminantLog determinantLog, DeterminantRecorder determinantRecorder, Inbox inbox,
            Outbox outbox, WriteReadiness writeReadiness) {
        this.line = line;
        this.progressEngine = progressEngine;
        this.determinantLog = determinantLog;
        this.determinantRecorder = determinantRecorder;
        this.inbox = inbox;
        this.outbox = outbox;
        this.writeReadiness = writeReadiness;
    }

    /**
     * Blocks until the outcome is known.
     *
     * @return whether the operation will never take place
     */
    boolean cancel(Operation operation) throws IOException {
        writeReadiness.await();
        if (determinantRecorder.replays()) {
            return cancelAgain(operation);
        }
        takeBack(operation);
        determinantRecorder.taken(operation);
        return operation.isCancelled();
    }

    private boolean cancelAgain(Operation operation) throws IOException {
        boolean gone = determinantLog.next(DeterminantLog.TAKEN, "a cancel") != 0;
        if (gone && operation instanceof OfferedSend offeredSend) {
            writeReadiness.await();
            while (offeredSend.isWaiting) {
                progressEngine.await(); // It had begun, so there is room for it.
            }
        }
        if (gone) {
            takeBack(operation); // Before LIVE, because a receive is posted behind LIVE.
        }
        determinantRecorder.sayLive();
        if (gone != operation.isCancelled()) {
            throw determinantRecorder.diverged("a cancel of what was " + (operation.isDone() ? "done" : "matched"));
        }
        return gone;
    }

    private void takeBack(Operation operation) throws IOException {
        if (operation instanceof PostedReceive postedReceive) {
            awaitAsked(postedReceive);
        }
        if (!operation.isBeingCancelled() && ask(operation)) {
            line.flush();
        }
        while (operation.isBeingCancelled()) {
            progressEngine.await();
        }
    }

    /**
     * Waits until the receive is posted or done, so that only one place decides whether its cancel precedes a message.
     */
    private void awaitAsked(PostedReceive postedReceive) throws IOException {
        while (!postedReceive.isDone() && inbox.isAhead(postedReceive.context)) {
            inbox.endAhead(postedReceive.context);
            line.flush();
            progressEngine.await();
            writeReadiness.await();
        }
    }

    /** Asks the relay to cancel the operation; false if it is known to be too late. */
    private boolean ask(Operation operation) throws IOException {
        if (operation instanceof OfferedSend offeredSend) {
            return outbox.withdraw(offeredSend);
        }
        return operation instanceof PostedReceive postedReceive && inbox.cancel(postedReceive);
    }
}
