package org.posthouse.names;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Removes copies of a {@link CompoundChange} that its state does not point to. For one thread at a time.
 *
 * <p>A change that is under way has bound copies that nothing points to yet. So a copy must have been seen for ten minutes; and before it is removed the state
 * is given a new version, with which every change that began before fails. No clock of another process is believed.
 */
public final class CopyCollector {
    /** Milliseconds that a copy must have been seen by this collector. */
    static final long SEEN_MS = 600_000;

    private final NameService names;
    private final Name state;
    private final Alarm alarm;

    /** When each copy was first seen. */
    private Map<Name, Long> seen = new HashMap<>();

    public CopyCollector(NameService names, Name state, Alarm alarm) {
        this.names = names;
        this.state = state;
        this.alarm = alarm;
    }

    /**
     * Looks once. Whoever calls it does so every few minutes, one call after the other.
     *
     * @return how many copies were removed; fails with CONFLICT if the state changes meanwhile: the next call will do it
     */
    public CompletionStage<Integer> collect() {
        return list(Optional.empty(), new ArrayList<>()).thenCompose(copies -> names.lookup(state).thenCompose(now -> {
            note(copies);
            List<Name> old = copies.stream().filter(copy -> alarm.now() - seen.get(copy) >= SEEN_MS && !isPointedTo(copy, now)).toList();
            return old.isEmpty() ? CompletableFuture.completedFuture(0) : fence(now).thenCompose(fenced -> remove(old));
        }));
    }

    private CompletionStage<List<Name>> list(Optional<Name> after, List<Name> found) {
        return names.list(CompoundChange.copies(state), NameService.LIST_MAX, after).thenCompose(page -> {
            page.forEach(copy -> found.add(copy.name()));
            return page.size() < NameService.LIST_MAX ? CompletableFuture.completedFuture(found) : list(Optional.of(found.getLast()), found);
        });
    }

    private void note(List<Name> copies) {
        Map<Name, Long> now = new HashMap<>();
        copies.forEach(copy -> now.put(copy, seen.getOrDefault(copy, alarm.now())));
        seen = now;
    }

    private boolean isPointedTo(Name copy, Optional<BoundName> now) {
        return now.isPresent() && now.get().record().fields().containsValue(copy.parts().getLast());
    }

    /** The same state at a new version. */
    private CompletionStage<BoundName> fence(Optional<BoundName> now) {
        return names.swap(state, now.map(BoundName::version).orElse(0L), now.map(BoundName::record).orElseGet(() -> NameRecord.of(new TreeMap<>())));
    }

    private CompletionStage<Integer> remove(List<Name> copies) {
        CompletableFuture<?>[] removed = copies.stream()
                .map(copy -> names.unbind(copy, NameService.ANY_VERSION).toCompletableFuture())
                .toArray(CompletableFuture[]::new);
        return CompletableFuture.allOf(removed).thenApply(all -> copies.size());
    }
}
