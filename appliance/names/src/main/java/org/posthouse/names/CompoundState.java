package org.posthouse.names;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The records that a state points to, as they were together. Immutable.
 *
 * @param version of the state; 0 if it was never bound
 * @param epoch of who wrote it last; 0 without an election
 * @param records by their keys, without what copies have besides
 */
public record CompoundState(long version, long epoch, Map<String, NameRecord> records) {
    /** Reads of a state that changes meanwhile; each time somebody else has made a change. */
    private static final int READS_MAX = 16;

    /** Copies the map. */
    public CompoundState {
        records = Map.copyOf(records);
    }

    /** Reads a state. It fails with CONFLICT if it changes all the time. */
    public static CompletionStage<CompoundState> read(NameService names, Name state) {
        return read(names, state, READS_MAX);
    }

    private static CompletionStage<CompoundState> read(NameService names, Name state, int reads) {
        return names.lookup(state).thenCompose(bound -> bound.isEmpty()
                ? CompletableFuture.completedFuture(new CompoundState(0, 0, Map.of()))
                : copies(names, bound.get()).thenCompose(found -> found
                        .<CompletionStage<CompoundState>>map(CompletableFuture::completedFuture)
                        .orElseGet(() -> reads == 1
                                ? CompletableFuture.failedFuture(NameException.conflict(state, bound.get().version(), bound.get()))
                                : read(names, state, reads - 1))));
    }

    /** Empty if a copy is gone, as the state points to another by now. */
    private static CompletionStage<Optional<CompoundState>> copies(NameService names, BoundName state) {
        Map<String, CompletableFuture<Optional<BoundName>>> asked = new TreeMap<>();
        state.record().fields().forEach((key, id) -> asked.put(key, names.lookup(CompoundChange.copy(state.name(), id)).toCompletableFuture()));
        return CompletableFuture.allOf(asked.values().toArray(CompletableFuture[]::new)).thenApply(all -> {
            Map<String, NameRecord> records = new TreeMap<>();
            asked.forEach((key, copy) -> copy.join().ifPresent(bound -> records.put(key, withoutWritten(bound.record()))));
            return records.size() == asked.size() ? Optional.of(new CompoundState(state.version(), state.record().epoch(), records)) : Optional.empty();
        });
    }

    private static NameRecord withoutWritten(NameRecord copy) {
        Map<String, String> fields = new TreeMap<>(copy.fields());
        fields.remove(CompoundChange.WRITTEN);
        return NameRecord.of(fields, copy.epoch());
    }
}
