package org.posthouse.names;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Names of one process, in its memory ({@code --names memory}). Thread-safe: one change at a time. Listeners are told by whoever changed, in the order of
 * changes, and must not call this from there and wait.
 */
public final class MemoryNames implements NameService {
    private record Listener(Name prefix, Consumer<NameChange> consumer) {}

    private final NameTable table = new NameTable(this::tell);
    private final List<Listener> listeners = new ArrayList<>();

    @Override
    public CompletionStage<BoundName> bind(Name name, NameRecord record) {
        return answer(() -> table.bind(name, record));
    }

    @Override
    public CompletionStage<BoundName> rebind(Name name, NameRecord record) {
        return answer(() -> table.rebind(name, record));
    }

    @Override
    public CompletionStage<BoundName> swap(Name name, long expected, NameRecord record) {
        return answer(() -> table.swap(name, expected, record));
    }

    @Override
    public CompletionStage<Optional<BoundName>> lookup(Name name) {
        return answer(() -> table.lookup(name));
    }

    @Override
    public CompletionStage<Boolean> unbind(Name name, long expected) {
        return answer(() -> table.unbind(name, expected));
    }

    @Override
    public CompletionStage<List<BoundName>> list(Name prefix, int limit, Optional<Name> after) {
        if (limit < 1 || limit > LIST_MAX) {
            throw new IllegalArgumentException("limit " + limit + ", expected 1 to " + LIST_MAX);
        }
        return answer(() -> table.list(prefix, limit, after));
    }

    @Override
    public synchronized Subscription listen(Name prefix, Consumer<NameChange> consumer) {
        Listener listener = new Listener(prefix, consumer);
        listeners.add(listener);
        table.list(prefix, Integer.MAX_VALUE, Optional.empty()).forEach(bound -> consumer.accept(new NameChange(bound, true)));
        return () -> remove(listener);
    }

    private synchronized void remove(Listener listener) {
        listeners.remove(listener);
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
