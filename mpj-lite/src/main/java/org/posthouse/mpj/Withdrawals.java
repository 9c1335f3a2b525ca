package org.posthouse.mpj;

import java.io.IOException;

/**
 * How operations are taken back: the relay says whether that was in time, and after a restart it is as it was. Guarded by the
 * endpoint's lock.
 */
final class Withdrawals {
    private final HomeLine line;
    private final Progress progress;
    private final History history;
    private final Observed observed;
    private final Inbox inbox;
    private final Outbox outbox;
    private final LineWait lineWait;

    Withdrawals(
            HomeLine line, Progress progress, History history, Observed observed, Inbox inbox, Outbox outbox, LineWait lineWait) {
        this.line = line;
        this.progress = progress;
        this.history = history;
        this.observed = observed;
        this.inbox = inbox;
        this.outbox = outbox;
        this.lineWait = lineWait;
    }

    /** Blocks until it is known. @return whether the operation will never take place */
    boolean cancel(Operation operation) throws IOException {
        lineWait.await();
        if (observed.replays()) {
            return cancelAgain(operation);
        }
        takeBack(operation);
        observed.taken(operation);
        return operation.isCancelled();
    }

    private boolean cancelAgain(Operation operation) throws IOException {
        boolean gone = history.next(History.TAKEN, "a cancel") != 0;
        if (gone && operation instanceof Sending sending) {
            lineWait.await();
            while (sending.isWaiting) {
                progress.await(); // It had begun, so that there is room for it.
            }
        }
        if (gone) {
            takeBack(operation); // Before LIVE, behind which a receive is posted.
        }
        observed.sayLive();
        if (gone != operation.isCancelled()) {
            throw observed.diverged("a cancel of what was " + (operation.isDone() ? "done" : "matched"));
        }
        return gone;
    }

    private void takeBack(Operation operation) throws IOException {
        if (operation instanceof Receiving receiving) {
            awaitAsked(receiving);
        }
        if (!operation.isBeingCancelled() && ask(operation)) {
            line.flush();
        }
        while (operation.isBeingCancelled()) {
            progress.await();
        }
    }

    /** Returns when the receive is posted, or done: one place says whether it is taken back before a message comes. */
    private void awaitAsked(Receiving receiving) throws IOException {
        while (!receiving.isDone() && inbox.isAhead(receiving.context)) {
            inbox.endAhead(receiving.context);
            line.flush();
            progress.await();
            lineWait.await();
        }
    }

    /** Asks the relay to take the operation back; false if it is known to be too late. */
    private boolean ask(Operation operation) throws IOException {
        if (operation instanceof Sending sending) {
            return outbox.withdraw(sending);
        }
        return operation instanceof Receiving receiving && inbox.cancel(receiving);
    }
}
