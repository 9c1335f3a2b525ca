package org.posthouse.names;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Names of one process, in its memory ({@code --names memory}). Thread-safe: one change at a time. Listeners are told by whoever changed, in the order of
 * changes, and must not call this from there and wait.
 */
public final class MemoryNames implements NameService {
    /** Most names, bound or remembered: at 64 KiB each they would be 4 GiB, and are some MiB in practice. */
    static final int NAMES_MAX = 65_536;

    private record Slot(BoundName bound, boolean present) {}

    private record Listener(Name prefix, Consumer<NameChange> consumer) {}

    private final TreeMap<Name, Slot> slots = new TreeMap<>();
    private final List<Listener> listeners = new ArrayList<>();

    @Override
    public CompletionStage<BoundName> bind(Name name, NameRecord record) {
        return answer(() -> {
            Optional<BoundName> there = present(name);
            if (there.isPresent() && there.get().record().equals(record)) {
                return there.get();
            }
            there.ifPresent(found -> {
                throw NameException.alreadyBound(found);
            });
            return store(name, record);
        });
    }

    @Override
    public CompletionStage<BoundName> rebind(Name name, NameRecord record) {
        return answer(() -> {
            checkEpoch(present(name).orElseThrow(() -> NameException.notBound(name)), record);
            return store(name, record);
        });
    }

    @Override
    public CompletionStage<BoundName> swap(Name name, long expected, NameRecord record) {
        return answer(() -> {
            Optional<BoundName> there = present(name);
            if (expected != there.map(BoundName::version).orElse(0L)) {
                throw NameException.conflict(name, expected, there.orElse(null));
            }
            there.ifPresent(found -> checkEpoch(found, record));
            return store(name, record);
        });
    }

    @Override
    public CompletionStage<Optional<BoundName>> lookup(Name name) {
        return answer(() -> present(name));
    }

    @Override
    public CompletionStage<Boolean> unbind(Name name, long expected) {
        return answer(() -> {
            Optional<BoundName> there = present(name);
            if (expected != ANY_VERSION && expected != there.map(BoundName::version).orElse(0L)) {
                throw NameException.conflict(name, expected, there.orElse(null));
            }
            there.ifPresent(found -> {
                slots.put(name, new Slot(found, false));
                tell(new NameChange(found, false));
            });
            return there.isPresent();
        });
    }

    @Override
    public CompletionStage<List<BoundName>> list(Name prefix, int limit, Optional<Name> after) {
        if (limit < 1 || limit > LIST_MAX) {
            throw new IllegalArgumentException("limit " + limit + ", expected 1 to " + LIST_MAX);
        }
        return answer(() -> slots.tailMap(after.orElse(prefix), after.isEmpty()).values().stream()
                .filter(Slot::present)
                .map(Slot::bound)
                .takeWhile(bound -> bound.name().isBelow(prefix))
                .limit(limit)
                .toList());
    }

    @Override
    public synchronized Subscription listen(Name prefix, Consumer<NameChange> consumer) {
        Listener listener = new Listener(prefix, consumer);
        listeners.add(listener);
        slots.tailMap(prefix).values().stream()
                .filter(Slot::present)
                .map(Slot::bound)
                .takeWhile(bound -> bound.name().isBelow(prefix))
                .forEach(bound -> consumer.accept(new NameChange(bound, true)));
        return () -> remove(listener);
    }

    private synchronized void remove(Listener listener) {
        listeners.remove(listener);
    }

    private Optional<BoundName> present(Name name) {
        Slot slot = slots.get(name);
        return slot == null || !slot.present ? Optional.empty() : Optional.of(slot.bound);
    }

    private static void checkEpoch(BoundName found, NameRecord record) {
        if (record.epoch() < found.record().epoch()) {
            throw NameException.laterEpoch(found, record.epoch());
        }
    }

    private BoundName store(Name name, NameRecord record) {
        Slot last = slots.get(name);
        if (last == null && slots.size() == NAMES_MAX) {
            makeRoom();
        }
        BoundName bound = new BoundName(name, record, last == null ? 1 : last.bound.version() + 1);
        slots.put(name, new Slot(bound, true));
        tell(new NameChange(bound, true));
        return bound;
    }

    /** Forgets a name that is not bound. */
    private void makeRoom() {
        Name gone = slots.values().stream().filter(slot -> !slot.present).map(slot -> slot.bound.name()).findFirst()
                .orElseThrow(() -> new NameException(NameException.Kind.TOO_LARGE, NAMES_MAX + " names are bound, the most that memory has room for"));
        slots.remove(gone);
    }

    private void tell(NameChange change) {
        List.copyOf(listeners).forEach(listener -> {
            if (change.bound().name().isBelow(listener.prefix)) {
                listener.consumer.accept(change);
            }
        });
    }

    private synchronized <T> CompletionStage<T> answer(Supplier<T> work) {
        try {
            return CompletableFuture.completedFuture(work.get());
        } catch (NameException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public synchronized void close() {
        listeners.clear();
    }
}
