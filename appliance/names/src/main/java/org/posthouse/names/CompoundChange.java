package org.posthouse.names;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * A change of several records that is seen whole or not at all (FT-MPI on H2O, section 3.3). The records are copies with names of their own, and one state
 * record points to those that hold. A change binds new copies and then swaps the state. A crash before the swap leaves copies that nothing points to, which
 * {@link CopyCollector} removes. For one thread at a time.
 *
 * <p>The state {@code a/state} has its copies at {@code a/copy/ID}. Its fields are the records' keys, and their values the ids.
 */
public final class CompoundChange {
    static final String COPY = "copy";

    /** When a copy was written, in milliseconds since 1970 UTC; a field beside the record's own. */
    static final String WRITTEN = "copyWritten";

    private final NameService names;
    private final Name state;
    private final long version;
    private final Map<String, String> pointers;
    private final Map<String, NameRecord> copies = new LinkedHashMap<>();
    private final Supplier<String> ids;
    private final Alarm alarm;

    private CompoundChange(NameService names, Name state, Optional<BoundName> now, Supplier<String> ids, Alarm alarm) {
        this.names = names;
        this.state = state;
        this.version = now.map(BoundName::version).orElse(0L);
        this.pointers = new TreeMap<>(now.map(bound -> bound.record().fields()).orElseGet(TreeMap::new));
        this.ids = ids;
        this.alarm = alarm;
    }

    /**
     * Begins a change of the state as it is now.
     *
     * @param ids gives an id that nobody has given before, such as a random UUID
     */
    public static CompletionStage<CompoundChange> begin(NameService names, Name state, Supplier<String> ids, Alarm alarm) {
        return names.lookup(state).thenApply(now -> new CompoundChange(names, state, now, ids, alarm));
    }

    static Name copy(Name state, String id) {
        return copies(state).child(id);
    }

    /** The prefix of a state's copies. */
    static Name copies(Name state) {
        return new Name(state.parts().subList(0, state.parts().size() - 1)).child(COPY);
    }

    /** The record of this key is to be another. */
    public CompoundChange put(String key, Map<String, String> fields) {
        Map<String, String> copied = new TreeMap<>(fields);
        copied.put(WRITTEN, Long.toString(alarm.now()));
        copies.put(key, NameRecord.of(copied));
        pointers.put(key, "");
        return this;
    }

    /** There is to be no record of this key. */
    public CompoundChange remove(String key) {
        copies.remove(key);
        pointers.remove(key);
        return this;
    }

    /**
     * Makes the change.
     *
     * @param epoch the count of the election that the caller has won; 0 without one
     * @return the new state, perhaps with changes that others have made since; fails with CONFLICT if the state has changed before, and then nothing was
     *         changed: begin again
     */
    public CompletionStage<BoundName> commit(long epoch) {
        CompletableFuture<?>[] bound = copies.entrySet().stream().map(copy -> {
            String id = ids.get();
            pointers.put(copy.getKey(), id);
            return names.bind(copy(state, id), copy.getValue()).toCompletableFuture();
        }).toArray(CompletableFuture[]::new);
        return CompletableFuture.allOf(bound)
                .thenCompose(all -> names.swap(state, version, NameRecord.of(pointers, epoch)))
                .exceptionally(fault -> afterConflict(Faults.of(fault)));
    }

    /** A swap that was done may find itself, if it was asked again as its answer was lost. The copies that the state points to stay. */
    private BoundName afterConflict(NameException fault) {
        if (fault.kind() == NameException.Kind.CONFLICT) {
            Optional<BoundName> own =
                    fault.found().filter(found -> copies.keySet().stream().anyMatch(key -> pointers.get(key).equals(found.record().field(key))));
            if (own.isPresent()) {
                return own.get();
            }
            copies.keySet().forEach(key -> names.unbind(copy(state, pointers.get(key)), NameService.ANY_VERSION));
        }
        throw fault;
    }
}
