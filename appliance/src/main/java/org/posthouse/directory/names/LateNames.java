package org.posthouse.directory.names;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameChange;
import org.posthouse.names.NameException;
import org.posthouse.names.NameRecord;
import org.posthouse.names.NameService;

/**
 * The names of a relay that joins its group later than it starts. Until then, and after it has left, it answers UNAVAILABLE; who listens before is told from
 * the moment on at which it joins. Thread-safe.
 */
public final class LateNames implements NameService {
    private final String relay;

    /** Listeners of the time before. Guarded by this. */
    private final List<Waiting> waiting = new ArrayList<>();

    /** Null before the group is joined. Written once under this object's lock, read by any thread. */
    private volatile NameService group;

    /** Written under this object's lock, read by any thread. */
    private volatile boolean closed;

    private final class Waiting implements Subscription {
        private final Name prefix;
        private final Consumer<NameChange> listener;

        /** Null until the group is joined. */
        private Subscription joined;

        Waiting(Name prefix, Consumer<NameChange> listener) {
            this.prefix = prefix;
            this.listener = listener;
        }

        @Override
        public void close() {
            synchronized (LateNames.this) {
                waiting.remove(this);
                if (joined != null) {
                    joined.close();
                }
            }
        }
    }

    /** @param relay the id of this relay, for messages */
    public LateNames(String relay) {
        this.relay = relay;
    }

    /** Asks the group's names from now on. They are closed by whoever has made them. */
    public synchronized void join(NameService names) {
        group = names;
        waiting.forEach(each -> each.joined = names.listen(each.prefix, each.listener));
        waiting.clear();
    }

    private <T> CompletionStage<T> ask(Function<NameService, CompletionStage<T>> question) {
        NameService now = group;
        if (now != null && !closed) {
            return question.apply(now);
        }
        String why = closed ? "it has left its group; ask another relay" : "it has not joined its group yet; try again in a few seconds";
        return CompletableFuture.failedFuture(new NameException(NameException.Kind.UNAVAILABLE, "names at relay " + relay + ": " + why));
    }

    @Override
    public CompletionStage<BoundName> bind(Name name, NameRecord record) {
        return ask(names -> names.bind(name, record));
    }

    @Override
    public CompletionStage<BoundName> rebind(Name name, NameRecord record) {
        return ask(names -> names.rebind(name, record));
    }

    @Override
    public CompletionStage<BoundName> swap(Name name, long expected, NameRecord record) {
        return ask(names -> names.swap(name, expected, record));
    }

    @Override
    public CompletionStage<Optional<BoundName>> lookup(Name name) {
        return ask(names -> names.lookup(name));
    }

    @Override
    public CompletionStage<Boolean> unbind(Name name, long expected) {
        return ask(names -> names.unbind(name, expected));
    }

    @Override
    public CompletionStage<List<BoundName>> list(Name prefix, int limit, Optional<Name> after) {
        return ask(names -> names.list(prefix, limit, after));
    }

    @Override
    public synchronized Subscription listen(Name prefix, Consumer<NameChange> listener) {
        if (group != null) {
            return group.listen(prefix, listener);
        }
        Waiting later = new Waiting(prefix, listener);
        waiting.add(later);
        return later;
    }

    @Override
    public synchronized void close() {
        closed = true;
        waiting.clear();
    }
}
