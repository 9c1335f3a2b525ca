package org.posthouse.names.ldap;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameChange;
import org.posthouse.names.NameException;
import org.posthouse.names.NameRecord;
import org.posthouse.names.NameService;

/**
 * Names in a directory server, by JNDI alone. Thread-safe. Calls run on a few virtual threads over one connection; stages complete on those. Opening does not
 * connect: as long as the directory cannot be reached, calls fail with UNAVAILABLE and say why, and later calls connect again.
 *
 * <p>A record is replaced by one modification that takes the version that was read away by its value, which a directory does for one of many writers only. A name
 * that is unbound keeps its entry, so that its version does not come again. The directory must be one server that takes writes, or changes that two take at the
 * same time could both succeed.
 */
public final class LdapNames implements NameService {
    /** Calls that are with the directory at the same time. */
    private static final int CALLS_MAX = 16;

    /** Calls that wait: with those of 64 KiB each they are 64 MiB. */
    private static final int WAITING_MAX = 1_024;

    /** How often a change that depends on what is there is tried, while others change the same name. */
    private static final int TRIES_MAX = 100;

    private final LdapConfig config;
    private final LdapConnection connection;
    private final LdapDirectory directory;
    private final ThreadPoolExecutor calls = new ThreadPoolExecutor(
            CALLS_MAX, CALLS_MAX, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(WAITING_MAX), Thread.ofVirtual().name("names-ldap-", 0).factory());
    private final Map<Name, PrefixPoll> polls = new HashMap<>();
    private final TombstoneCollector collector;

    /** Opens it, without a connection. */
    public LdapNames(LdapConfig config) {
        this.config = config;
        connection = new LdapConnection(config, System::nanoTime);
        directory = new LdapDirectory(connection, config.base());
        collector = TombstoneCollector.start(connection, config.base());
    }

    @Override
    public CompletionStage<BoundName> bind(Name name, NameRecord record) {
        return call(() -> {
            BoundName first = new BoundName(name, record, 1);
            if (directory.addRepeatably(first)) { // An entry of its own has an equal record, and binding that again is allowed.
                return first;
            }
            return retried(name, read -> {
                Optional<BoundName> there = read.flatMap(StoredRecord::present);
                if (there.isPresent() && !there.get().record().equals(record)) {
                    throw NameException.alreadyBound(there.get());
                }
                return there.isPresent() ? there : store(name, read, record);
            });
        });
    }

    @Override
    public CompletionStage<BoundName> rebind(Name name, NameRecord record) {
        return call(() -> retried(name, read -> {
            checkEpoch(read.flatMap(StoredRecord::present).orElseThrow(() -> NameException.notBound(name)), record);
            return store(name, read, record);
        }));
    }

    @Override
    public CompletionStage<BoundName> swap(Name name, long expected, NameRecord record) {
        return call(() -> retried(name, read -> {
            Optional<BoundName> there = expect(name, expected, read);
            there.ifPresent(found -> checkEpoch(found, record));
            return store(name, read, record);
        }));
    }

    @Override
    public CompletionStage<Optional<BoundName>> lookup(Name name) {
        return call(() -> directory.read(name).flatMap(StoredRecord::present));
    }

    @Override
    public CompletionStage<Boolean> unbind(Name name, long expected) {
        return call(() -> retried(name, read -> {
            Optional<BoundName> there = expected == ANY_VERSION ? read.flatMap(StoredRecord::present) : expect(name, expected, read);
            if (there.isEmpty()) {
                return Optional.of(false);
            }
            return directory.replace(read.orElseThrow(), new StoredRecord(there.get(), false)) ? Optional.of(true) : Optional.empty();
        }));
    }

    @Override
    public CompletionStage<List<BoundName>> list(Name prefix, int limit, Optional<Name> after) {
        if (limit < 1 || limit > LIST_MAX) {
            throw new IllegalArgumentException("limit " + limit + ", expected 1 to " + LIST_MAX);
        }
        return call(() -> {
            TreeMap<Name, BoundName> first = new TreeMap<>();
            directory.searchBound(prefix, RecordEntry.all(), entry -> {
                BoundName bound = RecordEntry.read(entry).last();
                if (after.isEmpty() || bound.name().compareTo(after.get()) > 0) {
                    first.put(bound.name(), bound);
                    if (first.size() > limit) {
                        first.pollLastEntry();
                    }
                }
            });
            return List.copyOf(first.values());
        });
    }

    @Override
    public Subscription listen(Name prefix, Consumer<NameChange> listener) {
        synchronized (polls) {
            PrefixPoll poll = polls.computeIfAbsent(prefix, each -> new PrefixPoll(directory, each));
            PrefixPoll.Listener added = poll.add(listener);
            return () -> remove(prefix, poll, added);
        }
    }

    private void remove(Name prefix, PrefixPoll poll, PrefixPoll.Listener listener) {
        synchronized (polls) {
            if (poll.remove(listener)) {
                polls.remove(prefix, poll);
            }
        }
    }

    /** What one try has: empty if another has changed the name meanwhile. */
    private interface Try<T> {
        Optional<T> on(Optional<StoredRecord> read);
    }

    private <T> T retried(Name name, Try<T> change) {
        for (int tries = 0; tries < TRIES_MAX; tries++) {
            Optional<T> done = change.on(directory.read(name));
            if (done.isPresent()) {
                return done.get();
            }
        }
        throw NameException.busy(name + " was changed by others at each of " + TRIES_MAX + " tries: try again");
    }

    private static Optional<BoundName> expect(Name name, long expected, Optional<StoredRecord> read) {
        Optional<BoundName> there = read.flatMap(StoredRecord::present);
        if (expected != there.map(BoundName::version).orElse(0L)) {
            throw NameException.conflict(name, expected, there.orElse(null));
        }
        return there;
    }

    private static void checkEpoch(BoundName found, NameRecord record) {
        if (record.epoch() < found.record().epoch()) {
            throw NameException.laterEpoch(found, record.epoch());
        }
    }

    private Optional<BoundName> store(Name name, Optional<StoredRecord> read, NameRecord record) {
        BoundName bound = new BoundName(name, record, read.map(each -> each.last().version() + 1).orElse(1L));
        boolean isStored = read.isPresent() ? directory.replace(read.get(), new StoredRecord(bound, true)) : directory.add(bound);
        return isStored ? Optional.of(bound) : Optional.empty();
    }

    private <T> CompletionStage<T> call(Supplier<T> work) {
        try {
            return CompletableFuture.supplyAsync(work, calls);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(calls.isShutdown()
                    ? new NameException(NameException.Kind.UNAVAILABLE, "the connection to the directory " + config.url() + " was closed here", e)
                    : NameException.busy(WAITING_MAX + " calls wait for the directory " + config.url() + " already: try again later"));
        }
    }

    /** Ends what waits with UNAVAILABLE. */
    @Override
    public void close() {
        calls.shutdown();
        connection.close();
        collector.close();
        synchronized (polls) {
            polls.values().forEach(PrefixPoll::close);
            polls.clear();
        }
    }
}
