package org.posthouse.mpj;

import java.io.IOException;
import org.posthouse.mpj.blocked.CallTracker;
import org.posthouse.mpj.determinant.DeterminantLog;
import org.posthouse.mpj.determinant.DeterminantRecorder;
import org.posthouse.mpj.determinant.DivergedException;
import org.posthouse.mpj.failure.RankFailures;
import org.posthouse.mpj.operation.BackgroundOperation;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.progress.ProgressEngine;

/**
 * Waits for operations and tests them. The choice among several operations, and the result of a test, depend on time. A
 * logged job records them, and repeats them after a restart. Guarded by the endpoint's lock.
 */
final class Completions {
    private final ProgressEngine progressEngine;
    private final DeterminantLog determinantLog;
    private final DeterminantRecorder determinantRecorder;
    private final CallTracker callTracker;
    private final RankFailures failures;

    Completions(
            ProgressEngine progressEngine, DeterminantLog determinantLog, DeterminantRecorder determinantRecorder, CallTracker callTracker,
            RankFailures failures) {
        this.progressEngine = progressEngine;
        this.determinantLog = determinantLog;
        this.determinantRecorder = determinantRecorder;
        this.callTracker = callTracker;
        this.failures = failures;
    }

    /**
     * Waits until the operation is done.
     *
     * @param call as {@link Endpoint#await}
     * @throws DivergedException if it never ends: the earlier process has cancelled it, and had not waited for it
     */
    void await(Operation operation, String call) throws IOException {
        requireAcknowledgedAgain(operation);
        if (!operation.isDone()) {
            callTracker.begin(call, operation);
            try {
                awaitNow(operation);
            } finally {
                callTracker.end(call, operation);
            }
        }
    }

    private void awaitNow(Operation operation) throws IOException {
        while (!operation.isDone()) {
            requireAcknowledged(operation);
            awaitOnce(operation);
        }
        requireAcknowledgedAgain(operation); // What the earlier process threw, and what ends the operation, may come in one read.
    }

    /** Throws if a receive of any source waits that may wait for a rank that has died unacknowledged. */
    private void requireAcknowledged(Operation operation) throws IOException {
        if (determinantLog.isReplaying()) {
            failures.requireAcknowledgedAgain(operation); // What is undecided is decided by what the wait reads.
        } else {
            failures.requireAcknowledged(operation);
        }
    }

    /** Throws as {@link #requireAcknowledged} if the earlier process did so here, although the message may have come by now. Reads on until that is known. */
    private void requireAcknowledgedAgain(Operation operation) throws IOException {
        while (determinantLog.isReplaying() && failures.requireAcknowledgedAgain(operation)) {
            progressEngine.await();
        }
    }

    private void requireAcknowledgedAgain(Operation[] operations) throws IOException {
        for (int i = 0; i < operations.length && determinantLog.isReplaying(); i++) {
            requireAcknowledgedAgain(operations[i]);
        }
    }

    /** @param wanted all that the call waits for: none of them may wait for a rank that has died */
    private void awaitNow(Operation operation, Operation[] wanted) throws IOException {
        while (!operation.isDone()) {
            requireAcknowledged(wanted);
            awaitOnce(operation);
        }
    }

    private void awaitOnce(Operation operation) throws IOException {
        if (operation.isPassedOver() && !failures.mayStillFail(operation)) {
            throw waitedInVain();
        }
        boolean errand = operation instanceof BackgroundOperation;
        progressEngine.awaitInCall(!errand, errand);
    }

    private void requireAcknowledged(Operation[] operations) throws IOException {
        if (failures.areNone()) {
            return; // At each turn of the wait, so that many operations must not cost more where nobody has died.
        }
        for (Operation operation : operations) {
            if (operation != null && !operation.isDone()) {
                requireAcknowledged(operation);
            }
        }
    }

    /** Waits until all of the operations are done, and throws as {@link #await}; nulls are skipped. */
    void awaitAll(Operation[] operations, String call) throws IOException {
        requireAcknowledgedAgain(operations);
        if (!areDone(operations)) {
            callTracker.begin(call, operations);
            try {
                for (Operation operation : operations) {
                    if (operation != null) {
                        awaitNow(operation, operations);
                    }
                }
                requireAcknowledgedAgain(operations);
            } finally {
                callTracker.end(call, operations);
            }
        }
        for (Operation operation : operations) {
            if (operation != null) {
                operation.seen();
            }
        }
    }

    private static boolean areDone(Operation[] operations) {
        for (Operation operation : operations) {
            if (operation != null && !operation.isDone()) {
                return false;
            }
        }
        return true;
    }

    /** A replayed program is inside one call at a time, so no other thread cancels the operation of this wait. */
    private DivergedException waitedInVain() {
        return determinantRecorder.diverged("a wait for what it had taken back then,");
    }

    /**
     * Waits until one of the operations is done, and throws as {@link #await}; nulls are skipped.
     *
     * @return its index
     */
    int awaitAny(Operation[] operations, String call) throws IOException {
        boolean choice = determinantLog.isLogged() && isChoice(operations);
        if (!choice) {
            requireAcknowledgedAgain(operations);
        }
        int index = choice && determinantRecorder.replays() ? anyAgain(operations, call) : any(operations, choice, call);
        operations[index].seen();
        return index;
    }

    private static boolean isChoice(Operation[] operations) {
        int count = 0;
        for (Operation operation : operations) {
            count += operation == null ? 0 : 1;
        }
        return count > 1;
    }

    private int anyAgain(Operation[] operations, String call) throws IOException {
        requireAcknowledgedAgain(operations);
        String what = "a wait for any of " + operations.length;
        long index = determinantRecorder.again(DeterminantLog.ANY, what);
        if (index < 0 || index >= operations.length || operations[(int) index] == null) {
            throw determinantRecorder.diverged(what + ", which has no " + index);
        }
        await(operations[(int) index], call);
        return (int) index;
    }

    private int any(Operation[] operations, boolean choice, String call) throws IOException {
        int done = firstDone(operations);
        if (done < 0) {
            callTracker.begin(call, operations);
            try {
                for (; done < 0; done = firstDone(operations)) {
                    awaitChange(operations);
                }
                requireAcknowledgedAgain(operations);
            } finally {
                callTracker.end(call, operations);
            }
        }
        if (choice) {
            determinantRecorder.record(DeterminantLog.ANY, done);
        }
        return done;
    }

    /** The lowest index of those that are done, or -1. */
    private static int firstDone(Operation[] operations) {
        for (int i = 0; i < operations.length; i++) {
            if (operations[i] != null && operations[i].isDone()) {
                return i;
            }
        }
        return -1;
    }

    private void awaitChange(Operation[] operations) throws IOException {
        boolean frame = false;
        boolean errand = false;
        for (Operation operation : operations) {
            if (operation != null) {
                requireAcknowledged(operation);
            }
            frame |= operation != null && !(operation instanceof BackgroundOperation) && (!operation.isPassedOver() || failures.mayStillFail(operation));
            errand |= operation instanceof BackgroundOperation;
        }
        if (!frame && !errand) {
            throw waitedInVain();
        }
        progressEngine.awaitInCall(frame, errand);
    }

    /** As {@link Endpoint#test(Operation, boolean)}. */
    boolean test(Operation operation, boolean move) throws IOException {
        if (operation.isSeen()) {
            return true;
        }
        boolean done = determinantRecorder.replays() ? testAgain(operation) : testNow(operation, move);
        if (done) {
            operation.seen();
        }
        return done;
    }

    private boolean testAgain(Operation operation) throws IOException {
        if (determinantRecorder.failsAgain()) {
            return false;
        }
        requireAcknowledgedAgain(operation);
        determinantRecorder.again(DeterminantLog.DONE, "a test");
        await(operation, null);
        return true;
    }

    private boolean testNow(Operation operation, boolean move) throws IOException {
        if (!operation.isDone()) {
            progressEngine.requireOpen();
            if (move || progressEngine.hasFound()) {
                progressEngine.poll();
            }
        }
        if (!operation.isDone()) {
            failures.requireAcknowledged(operation);
        }
        if (operation.isDone()) {
            determinantRecorder.record(DeterminantLog.DONE, 0);
        } else {
            progressEngine.requireGoing();
            progressEngine.blocked();
            determinantRecorder.count(1);
        }
        return operation.isDone();
    }
}
