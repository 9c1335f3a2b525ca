package org.posthouse.mpj;

import java.io.IOException;

/**
 * Waits for operations, and tests them. Which of several a wait finds done and what a test finds depends on time: in a job that is
 * logged it is recorded, and found again after a restart. Guarded by the endpoint's lock.
 */
final class Completions {
    private final Progress progress;
    private final History history;
    private final Observed observed;
    private final Presences presences;

    Completions(Progress progress, History history, Observed observed, Presences presences) {
        this.progress = progress;
        this.history = history;
        this.observed = observed;
        this.presences = presences;
    }

    /**
     * Waits until it is done.
     *
     * @param call as {@link Endpoint#await}
     * @throws DivergedException if it never will be: the process before has taken it back, and had not waited for it
     */
    void await(Operation operation, String call) throws IOException {
        if (!operation.isDone()) {
            presences.begin(call, operation);
            try {
                awaitNow(operation);
            } finally {
                presences.end(call, operation);
            }
        }
    }

    private void awaitNow(Operation operation) throws IOException {
        boolean errand = operation instanceof Errand;
        while (!operation.isDone()) {
            if (operation.isPassedOver()) {
                throw waitedInVain();
            }
            progress.await(!errand, errand);
        }
    }

    /** Waits until all of them are done, and throws as {@link #await}. Those that are null are none. */
    void awaitAll(Operation[] operations, String call) throws IOException {
        if (!areDone(operations)) {
            presences.begin(call, operations);
            try {
                for (Operation operation : operations) {
                    if (operation != null) {
                        awaitNow(operation);
                    }
                }
            } finally {
                presences.end(call, operations);
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

    /** One thread at a time is inside a call of a program that is replayed: nobody takes back what this one waits for. */
    private DivergedException waitedInVain() {
        return observed.diverged("a wait for what it had taken back then,");
    }

    /** Waits until one of them is done, and throws as {@link #await}. @return its index; those that are null are no choice */
    int awaitAny(Operation[] operations, String call) throws IOException {
        boolean choice = history.isLogged() && isChoice(operations);
        int index = choice && observed.replays() ? anyAgain(operations, call) : any(operations, choice, call);
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
        String what = "a wait for any of " + operations.length;
        long index = observed.again(History.ANY, what);
        if (index < 0 || index >= operations.length || operations[(int) index] == null) {
            throw observed.diverged(what + ", which has no " + index);
        }
        await(operations[(int) index], call);
        return (int) index;
    }

    private int any(Operation[] operations, boolean choice, String call) throws IOException {
        int done = firstDone(operations);
        if (done < 0) {
            presences.begin(call, operations);
            try {
                for (; done < 0; done = firstDone(operations)) {
                    awaitChange(operations);
                }
            } finally {
                presences.end(call, operations);
            }
        }
        if (choice) {
            observed.record(History.ANY, done);
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
            frame |= operation != null && !(operation instanceof Errand) && !operation.isPassedOver();
            errand |= operation instanceof Errand;
        }
        if (!frame && !errand) {
            throw waitedInVain();
        }
        progress.await(frame, errand);
    }

    /** As {@link Endpoint#test(Operation, boolean)}. */
    boolean test(Operation operation, boolean move) throws IOException {
        if (operation.isSeen()) {
            return true;
        }
        boolean done = observed.replays() ? testAgain(operation) : testNow(operation, move);
        if (done) {
            operation.seen();
        }
        return done;
    }

    private boolean testAgain(Operation operation) throws IOException {
        if (observed.failsAgain()) {
            return false;
        }
        observed.again(History.DONE, "a test");
        await(operation, null);
        return true;
    }

    private boolean testNow(Operation operation, boolean move) throws IOException {
        if (!operation.isDone()) {
            progress.requireOpen();
            if (move || progress.hasFound()) {
                progress.poll();
            }
        }
        if (operation.isDone()) {
            observed.record(History.DONE, 0);
        } else {
            observed.count(1);
        }
        return operation.isDone();
    }
}
