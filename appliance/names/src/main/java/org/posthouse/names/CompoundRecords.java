package org.posthouse.names;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Records that a leader keeps as they are to be, all together ({@link CompoundChange}). For one thread at a time. */
public final class CompoundRecords {
    private final NameService names;
    private final Name state;
    private final Supplier<String> ids;
    private final Alarm alarm;

    /** @param ids as {@link CompoundChange#begin} */
    public CompoundRecords(NameService names, Name state, Supplier<String> ids, Alarm alarm) {
        this.names = names;
        this.state = state;
        this.ids = ids;
        this.alarm = alarm;
    }

    /**
     * Changes what differs.
     *
     * @param wanted the records' fields by their keys
     * @param epoch the count of the election that the caller has won
     * @return the new state; empty if nothing differs, and the epoch is no later one. Fails with CONFLICT if somebody else changes it: the next call will do it
     */
    public CompletionStage<Optional<BoundName>> keep(Map<String, Map<String, String>> wanted, long epoch) {
        return CompoundState.read(names, state).thenCompose(now -> {
            Map<String, NameRecord> records = now.records();
            // A new leader writes what is the same, too: from then on an earlier one replaces nothing.
            boolean isSame = now.epoch() >= epoch && records.size() == wanted.size() && wanted.entrySet().stream().allMatch(
                    each -> records.containsKey(each.getKey()) && records.get(each.getKey()).fields().equals(each.getValue()));
            if (isSame) {
                return CompletableFuture.completedFuture(Optional.empty());
            }
            return CompoundChange.begin(names, state, ids, alarm).thenCompose(change -> {
                wanted.forEach((key, fields) -> {
                    if (!records.containsKey(key) || !records.get(key).fields().equals(fields)) {
                        change.put(key, fields);
                    }
                });
                records.keySet().stream().filter(key -> !wanted.containsKey(key)).forEach(change::remove);
                return change.commit(epoch).thenApply(Optional::of);
            });
        });
    }
}
