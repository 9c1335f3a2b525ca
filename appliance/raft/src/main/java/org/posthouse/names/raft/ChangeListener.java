package org.posthouse.names.raft;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameChange;

/**
 * What one listener has been told. It hears of changes from the feed, in their order, and of what is bound from listings, at any time; of each version once.
 * Thread-safe; the listener is told under its lock.
 */
final class ChangeListener {
    private final Name prefix;
    private final Consumer<NameChange> consumer;

    /** What it was told last of each name. Names that are not bound stay while a listing is read, which may be older. Guarded by this. */
    private final Map<Name, NameChange> told = new HashMap<>();

    /** Listings that are being read. Guarded by this. */
    private int listings;
    private boolean closed;

    ChangeListener(Name prefix, Consumer<NameChange> consumer) {
        this.prefix = prefix;
        this.consumer = consumer;
    }

    Name prefix() {
        return prefix;
    }

    synchronized boolean isClosed() {
        return closed;
    }

    synchronized void close() {
        closed = true;
        told.clear();
    }

    synchronized void change(NameChange change) {
        if (closed || !change.bound().name().isBelow(prefix) || !isNews(change)) {
            return;
        }
        if (change.present() || listings > 0) {
            told.put(change.bound().name(), change);
        } else {
            told.remove(change.bound().name());
        }
        consumer.accept(change);
    }

    /** A version that was bound and is not any more is later than itself. */
    private boolean isNews(NameChange change) {
        NameChange last = told.get(change.bound().name());
        if (last == null) {
            return true;
        }
        long version = change.bound().version();
        long lastVersion = last.bound().version();
        return version > lastVersion || version == lastVersion && last.present() && !change.present();
    }

    /** A listing is going to be read. Returns what was told before. */
    synchronized Map<Name, NameChange> beginListing() {
        listings++;
        return Map.copyOf(told);
    }

    /**
     * A listing was read, whole.
     *
     * @param before what {@link #beginListing} has returned: names that are not listed any more were unbound, unless they have changed meanwhile
     */
    synchronized void listed(List<BoundName> bound, Map<Name, NameChange> before) {
        bound.forEach(each -> change(new NameChange(each, true)));
        Map<Name, NameChange> gone = new HashMap<>(before);
        bound.forEach(each -> gone.remove(each.name()));
        gone.forEach((name, last) -> {
            if (last.present() && last.equals(told.get(name))) {
                change(new NameChange(last.bound(), false));
            }
        });
    }

    /** It was read, or could not be. */
    synchronized void endListing() {
        listings--;
        if (listings == 0) {
            told.values().removeIf(change -> !change.present());
        }
    }
}
