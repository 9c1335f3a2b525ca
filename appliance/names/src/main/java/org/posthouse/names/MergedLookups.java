package org.posthouse.names;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * Lookups of one name at a time share one at the back end. Each is answered by a lookup that began after it was asked, so that nobody reads a record that was
 * replaced before he asked: those that come while one is under way share the next. Confined to the front end's executor.
 */
final class MergedLookups {
    private static final class Reading {
        private List<CompletableFuture<Optional<BoundName>>> asked = new ArrayList<>();
        private List<CompletableFuture<Optional<BoundName>>> next = new ArrayList<>();
    }

    private final Map<Name, Reading> readings = new HashMap<>();
    private final Function<Name, CompletionStage<Optional<BoundName>>> backEnd;
    private final Executor executor;
    private long merged;

    MergedLookups(Function<Name, CompletionStage<Optional<BoundName>>> backEnd, Executor executor) {
        this.backEnd = backEnd;
        this.executor = executor;
    }

    CompletableFuture<Optional<BoundName>> lookup(Name name) {
        CompletableFuture<Optional<BoundName>> answer = new CompletableFuture<>();
        Reading reading = readings.get(name);
        if (reading == null) {
            reading = new Reading();
            readings.put(name, reading);
            reading.asked.add(answer);
            read(name, reading);
        } else {
            merged += reading.next.isEmpty() ? 0 : 1;
            reading.next.add(answer);
        }
        return answer;
    }

    private void read(Name name, Reading reading) {
        backEnd.apply(name).whenCompleteAsync((bound, fault) -> {
            List<CompletableFuture<Optional<BoundName>>> told = reading.asked;
            reading.asked = reading.next;
            reading.next = new ArrayList<>();
            if (reading.asked.isEmpty()) {
                readings.remove(name);
            } else {
                read(name, reading);
            }
            told.forEach(each -> {
                if (fault == null) {
                    each.complete(bound);
                } else {
                    each.completeExceptionally(Faults.of(fault));
                }
            });
        }, executor);
    }

    /** Lookups that needed none of their own at the back end. */
    long merged() {
        return merged;
    }
}
