package org.posthouse.names.raft;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Makes reads linearizable: a read waits for an empty entry of the log that was appended after the read had come. Then this judge was the leader in between,
 * and has applied all that was answered before. Reads that come while one entry is on its way share the next. Thread-safe.
 *
 * <p>Ratis' own linearizable reads are not used: a leader that was confirmed once for its newest entry answers further reads without asking again
 * (ReadIndexHeartbeats of 3.2.2), so one that was cut off answers what is no longer true.
 */
final class ReadBarrier {
    private final Supplier<CompletableFuture<JudgeReply>> append;

    /** Guarded by this; null if there is none. */
    private CompletableFuture<JudgeReply> running;
    private CompletableFuture<JudgeReply> next;

    /** @param append appends an empty entry, and completes when this judge has applied it */
    ReadBarrier(Supplier<CompletableFuture<JudgeReply>> append) {
        this.append = append;
    }

    CompletableFuture<JudgeReply> pass() {
        CompletableFuture<JudgeReply> first;
        synchronized (this) {
            if (running != null) {
                if (next == null) {
                    next = new CompletableFuture<>();
                }
                return next;
            }
            first = new CompletableFuture<>();
            running = first;
        }
        start(first);
        return first;
    }

    private void start(CompletableFuture<JudgeReply> entry) {
        append.get().whenComplete((reply, fault) -> {
            CompletableFuture<JudgeReply> following;
            synchronized (this) {
                following = next;
                next = null;
                running = following;
            }
            if (fault == null) {
                entry.complete(reply);
            } else {
                entry.completeExceptionally(fault);
            }
            if (following != null) {
                start(following);
            }
        });
    }
}
