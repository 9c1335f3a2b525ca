package org.posthouse.launch.place;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.posthouse.launch.job.JobFailure;

/** Lists that a relay answers in pages, in the order of the questions. Thread-safe: any thread asks, the one that reads the connection answers. */
final class PagedAnswers<T> {
    /** Pages of the list that is under way. */
    private final List<T> arrived = new ArrayList<>();

    private final List<CompletableFuture<List<T>>> asked = new ArrayList<>();

    /** The next list that the relay sends. To be called before the question is sent. */
    synchronized CompletableFuture<List<T>> next() {
        CompletableFuture<List<T>> answer = new CompletableFuture<>();
        asked.add(answer);
        return answer;
    }

    /** @param left pages of the list that follow */
    synchronized void onPage(List<T> page, int left) {
        arrived.addAll(page);
        if (left == 0 && !asked.isEmpty()) {
            asked.removeFirst().complete(List.copyOf(arrived));
            arrived.clear();
        }
    }

    /** The connection has ended: nothing is answered any more. */
    synchronized void lost(JobFailure why) {
        asked.forEach(answer -> answer.completeExceptionally(why));
        asked.clear();
    }
}
