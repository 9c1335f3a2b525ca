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

    Completions(Progress progress, History history, Observed observed) {
        this.progress = progress;
        this.history = history;
        this.observed = observed;
    }

    /**
     * Waits until it is done.
     *
     * @throws DivergedException if it never will be: the process before has taken it back, and had not waited for it
     */
    void await(Operation operation) throws IOException {
        boolean errand = operation instanceof Errand;
        while (!operation.isDone()) {
            if (operation.isPassedOver()) {
                throw waitedInVain();
            }
            progress.await(!errand, errand);
        }
    }

    /** One thread at a time is inside a call of a program that is replayed: nobody takes back what this one waits for. */
    private DivergedException waitedInVain() {
        return observed.diverged("a wait for what it had taken back then,");
    }

    /** Waits until one of them is done, and throws as {@link #await}. @return its index; those that are null are no choice */
    int awaitAny(Operation[] operations) throws IOException {
        boolean choice = history.isLogged() && isChoice(operations);
        int index = choice && observed.replays() ? anyAgain(operations) : any(operations, choice);
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

    private int anyAgain(Operation[] operations) throws IOException {
        String call = "a wait for any of " + operations.length;
        long index = observed.again(History.ANY, call);
        if (index < 0 || index >= operations.length || operations[(int) index] == null) {
            throw observed.diverged(call + ", which has no " + index);
        }
        await(operations[(int) index]);
        return (int) index;
    }

    private int any(Operation[] operations, boolean choice) throws IOException {
        while (true) {
            boolean frame = false;
            boolean errand = false;
            for (int i = 0; i < operations.length; i++) {
                if (operations[i] != null && operations[i].isDone()) {
                    if (choice) {
                        observed.record(History.ANY, i);
                    }
                    return i;
                }
                frame |= operations[i] != null && !(operations[i] instanceof Errand) && !operations[i].isPassedOver();
                errand |= operations[i] instanceof Errand;
            }
            if (!frame && !errand) {
                throw waitedInVain();
            }
            progress.await(frame, errand);
        }
    }

    boolean test(Operation operation) throws IOException {
        if (operation.isSeen()) {
            return true;
        }
        boolean done = observed.replays() ? testAgain(operation) : testNow(operation);
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
        await(operation);
        return true;
    }

    private boolean testNow(Operation operation) throws IOException {
        if (!operation.isDone()) {
            progress.requireOpen();
            progress.poll();
        }
        if (operation.isDone()) {
            observed.record(History.DONE, 0);
        } else {
            observed.count(1);
        }
        return operation.isDone();
    }
}
