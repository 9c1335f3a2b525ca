package org.posthouse.names;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** The listeners of one prefix, which share one subscription of the back end. Confined to the front end's executor. */
final class SharedSubscription {
    private final List<Consumer<NameChange>> listeners = new ArrayList<>();

    /** The bound names, as they were told last: what a later listener is told first. */
    private final Map<Name, NameChange> bound = new TreeMap<>();

    private final NameService.Subscription own;
    private boolean ended;

    SharedSubscription(NameService backEnd, Name prefix, Executor executor, Consumer<NameChange> history) {
        own = backEnd.listen(prefix, change -> executor.execute(() -> {
            if (!ended) {
                history.accept(change);
                tell(change);
            }
        }));
    }

    private void tell(NameChange change) {
        if (change.present()) {
            bound.put(change.bound().name(), change);
        } else {
            bound.remove(change.bound().name());
        }
        List.copyOf(listeners).forEach(each -> each.accept(change));
    }

    void add(Consumer<NameChange> listener) {
        listeners.add(listener);
        List.copyOf(bound.values()).forEach(listener);
    }

    /** @return whether no listener is left: it is over then */
    boolean remove(Consumer<NameChange> listener) {
        listeners.remove(listener);
        if (listeners.isEmpty()) {
            close();
        }
        return ended;
    }

    void close() {
        ended = true;
        own.close();
    }
}
