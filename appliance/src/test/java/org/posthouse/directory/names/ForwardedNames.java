package org.posthouse.directory.names;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameChange;
import org.posthouse.names.NameRecord;
import org.posthouse.names.NameService;

/** Another name service, some of whose calls a test changes. */
public class ForwardedNames implements NameService {
    private final NameService names;

    public ForwardedNames(NameService names) {
        this.names = names;
    }

    @Override
    public CompletionStage<BoundName> bind(Name name, NameRecord record) {
        return names.bind(name, record);
    }

    @Override
    public CompletionStage<BoundName> rebind(Name name, NameRecord record) {
        return names.rebind(name, record);
    }

    @Override
    public CompletionStage<BoundName> swap(Name name, long expected, NameRecord record) {
        return names.swap(name, expected, record);
    }

    @Override
    public CompletionStage<Optional<BoundName>> lookup(Name name) {
        return names.lookup(name);
    }

    @Override
    public CompletionStage<Boolean> unbind(Name name, long expected) {
        return names.unbind(name, expected);
    }

    @Override
    public CompletionStage<List<BoundName>> list(Name prefix, int limit, Optional<Name> after) {
        return names.list(prefix, limit, after);
    }

    @Override
    public Subscription listen(Name prefix, Consumer<NameChange> listener) {
        return names.listen(prefix, listener);
    }

    @Override
    public void close() {}
}
