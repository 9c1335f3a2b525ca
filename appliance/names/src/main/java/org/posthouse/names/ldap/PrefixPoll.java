package org.posthouse.names.ldap;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameChange;
import org.posthouse.names.NameException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells all listeners of one prefix what changes at and below it. A thread of its own asks for the versions at intervals and reads the records of those that
 * are new, so of several changes of one name between two questions the last is told. What is known is confined to that thread; listeners come and go on any.
 */
final class PrefixPoll implements AutoCloseable {
    /** From one answer to the next question. */
    static final long INTERVAL_MS = 500;

    /** More changed records than these are read by one search. */
    private static final int READS_MAX = 8;

    private static final Logger LOG = LoggerFactory.getLogger(PrefixPoll.class);

    /** One listener. Guarded by its poll. */
    static final class Listener {
        private final Consumer<NameChange> consumer;
        private boolean isNew = true;

        private Listener(Consumer<NameChange> consumer) {
            this.consumer = consumer;
        }
    }

    private final LdapDirectory directory;
    private final Name prefix;
    private final List<Listener> listeners = new ArrayList<>();
    private boolean isClosed;

    /** Of each name that was seen; the record of those that are bound, for the case that their entries are deleted. */
    private final TreeMap<Name, StoredRecord> known = new TreeMap<>();

    /** What is known and was not told yet, as the question failed later on; of each name the last. */
    private final LinkedHashMap<Name, NameChange> untold = new LinkedHashMap<>();
    private String lastFault = "";

    PrefixPoll(LdapDirectory directory, Name prefix) {
        this.directory = directory;
        this.prefix = prefix;
        Thread.ofVirtual().name("names-ldap-poll-" + prefix).start(this::run);
    }

    /** Adds one, which is soon told what there is. */
    synchronized Listener add(Consumer<NameChange> consumer) {
        Listener added = new Listener(consumer);
        listeners.add(added);
        notifyAll();
        return added;
    }

    /** Whether it was the last, with which the poll has ended. */
    synchronized boolean remove(Listener listener) {
        listeners.remove(listener);
        if (listeners.isEmpty()) {
            close();
        }
        return isClosed;
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        listeners.clear();
        notifyAll();
    }

    private void run() {
        try {
            while (awaitListener()) {
                ask();
                pause();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // Nobody does so: the thread ends.
        }
    }

    private synchronized boolean awaitListener() throws InterruptedException {
        while (!isClosed && listeners.isEmpty()) {
            wait();
        }
        return !isClosed;
    }

    private synchronized void pause() throws InterruptedException {
        long end = System.nanoTime() + INTERVAL_MS * 1_000_000;
        for (long left = INTERVAL_MS; left > 0 && !isClosed && listeners.stream().noneMatch(each -> each.isNew && lastFault.isEmpty()); left =
                (end - System.nanoTime()) / 1_000_000) {
            wait(left);
        }
    }

    private void ask() {
        try {
            learn();
            tell(List.copyOf(untold.values()));
            untold.clear();
            lastFault = "";
        } catch (NameException e) {
            if (!e.getMessage().equals(lastFault)) {
                LOG.warn("Listeners of {} hear nothing for now: {}", prefix, e.getMessage());
            }
            lastFault = e.getMessage();
        }
    }

    private void learn() {
        Map<Name, VersionHead> heads = new HashMap<>();
        directory.searchBelow(prefix, RecordEntry.heads(), entry -> heads.put(RecordEntry.name(entry), RecordEntry.head(entry)));
        forget(heads);
        List<Name> changed = heads.entrySet().stream()
                .filter(each -> isNews(each.getKey(), each.getValue()))
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
        if (changed.size() <= READS_MAX) {
            changed.forEach(each -> directory.read(each).ifPresent(this::learn));
        } else {
            directory.searchBelow(prefix, RecordEntry.all(), entry -> learn(RecordEntry.read(entry)));
        }
    }

    private boolean isNews(Name name, VersionHead head) {
        StoredRecord before = known.get(name);
        return before == null || head.isAfter(before.head());
    }

    private void learn(StoredRecord read) {
        if (isNews(read.last().name(), read.head())) {
            known.put(read.last().name(), read);
            untold.putLast(read.last().name(), new NameChange(read.last(), read.isBound()));
        }
    }

    /** Entries that somebody has taken out of the directory. */
    private void forget(Map<Name, VersionHead> heads) {
        known.values().removeIf(before -> {
            boolean isGone = !heads.containsKey(before.last().name());
            if (isGone && before.isBound()) {
                untold.putLast(before.last().name(), new NameChange(before.last(), false));
            }
            return isGone;
        });
    }

    /** New listeners are told what is bound, and the others what has changed. */
    private void tell(List<NameChange> changes) {
        List<NameChange> bound = known.values().stream().filter(StoredRecord::isBound).map(each -> new NameChange(each.last(), true)).toList();
        for (Listener each : snapshot()) {
            boolean wasNew = each.isNew;
            each.isNew = false;
            for (NameChange change : wasNew ? bound : changes) {
                if (isListening(each)) {
                    each.consumer.accept(change);
                }
            }
        }
    }

    private synchronized List<Listener> snapshot() {
        return List.copyOf(listeners);
    }

    private synchronized boolean isListening(Listener listener) {
        return listeners.contains(listener);
    }
}
