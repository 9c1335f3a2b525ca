package org.posthouse.directory;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import com.hazelcast.map.listener.MapListener;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.posthouse.causes.Causes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reconciles the group's map and the local view, whatever events were lost. It runs at start, when members come and go,
 * when parts of the group have merged, and periodically.
 *
 * <p>Confined to the directory's thread, except {@link #soon} and {@link #register}. A sweep that fails is logged; the
 * next one makes up for it.
 */
final class GroupReconciler implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(GroupReconciler.class);

    private final Map<String, Long> absentSinceNanos = new HashMap<>();
    private final HazelcastInstance member;
    private final IMap<String, String> map;
    private final DirectoryView directoryView;
    private final GroupWriter writer;
    private final ScheduledExecutorService thread;
    private final Duration grace;
    private final Runnable learned;
    private final AtomicBoolean planned = new AtomicBoolean();

    /** Whether this relay takes others off the list and deletes what has expired. Written by any thread, read by the directory's. */
    private volatile BooleanSupplier writes = () -> true;

    /** The listener of the map's changes, until all members know of it. */
    private Optional<MapListener> unheard = Optional.empty();

    /** @param learned runs after the view has learned the stored postings */
    GroupReconciler(
            HazelcastInstance member,
            IMap<String, String> map,
            DirectoryView directoryView,
            GroupWriter writer,
            ScheduledExecutorService thread,
            Duration grace,
            Runnable learned) {
        this.member = member;
        this.map = map;
        this.directoryView = directoryView;
        this.writer = writer;
        this.thread = thread;
        this.grace = grace;
        this.learned = learned;
    }

    /**
     * Registers a listener of the map's changes at the next sweep. Each member must be told, and one that hangs answers
     * late or never. Called before the first sweep.
     */
    void register(MapListener listener) {
        unheard = Optional.of(listener);
    }

    /** Tells when this relay takes others off the list and deletes what has expired: another one that leads the grid does else. Any thread. */
    void writesIf(BooleanSupplier condition) {
        writes = condition;
    }

    /** Requests a sweep. Any thread. */
    void soon() {
        if (planned.compareAndSet(false, true)) {
            thread.execute(this);
        }
    }

    @Override
    public void run() {
        planned.set(false);
        try {
            unheard.ifPresent(listener -> map.addEntryListener(listener, true));
            unheard = Optional.empty();
            long now = System.currentTimeMillis();
            Map<String, Posting> stored = load();
            stored.values().forEach(directoryView::learn);
            learned.run();
            restore(stored, now);
            missRelays();
            if (writes.getAsBoolean()) {
                collect(stored, now);
            }
        } catch (RuntimeException e) {
            LOG.warn("directory: sweep not finished, the next one is to come: {}", why(e));
        }
    }

    /** The first sentence of Hazelcast's message; a page of its own variables follows. */
    static String why(RuntimeException failure) {
        return Causes.text(failure).replaceFirst("(?s)\\. .*", "");
    }

    private Map<String, Posting> load() {
        Map<String, Posting> stored = new HashMap<>();
        for (Map.Entry<String, String> entry : map.entrySet()) {
            try {
                Posting posting = Posting.parse(entry.getValue());
                if (posting.key().equals(entry.getKey()) && directoryView.believes(posting)) {
                    stored.put(entry.getKey(), posting);
                }
            } catch (IllegalArgumentException e) {
                LOG.error("directory: {} skipped", entry.getKey(), e);
            }
        }
        return stored;
    }

    /** Writes postings again that this view has and the group lost with the members that stored them. */
    private void restore(Map<String, Posting> stored, long now) {
        ExpiredPostings expiredPostings = new ExpiredPostings(directoryView, now);
        for (Posting posting : directoryView.all()) {
            Posting other = stored.get(posting.key());
            boolean lost = other == null || posting.laterThan(other);
            if (lost && posting.standing() != Posting.Standing.VANISHED && expiredPostings.worthRestoring(posting)) {
                writer.post(posting);
            }
        }
    }

    /** Calls relays vanished whose member has been absent for the grace period. */
    private void missRelays() {
        Set<String> here = member.getCluster().getMembers().stream()
                .map(other -> String.valueOf(other.getAttribute(GroupMember.RELAY_ATTRIBUTE)))
                .collect(Collectors.toSet());
        absentSinceNanos.keySet().removeAll(here);
        Set<String> missed = new HashSet<>();
        for (Posting posting : directoryView.relayPostings()) {
            if (posting.present() && !here.contains(posting.member())) {
                missed.add(posting.member());
                missRelay(posting);
            }
        }
        absentSinceNanos.keySet().retainAll(missed);
    }

    private void missRelay(Posting posting) {
        long nanoTime = System.nanoTime();
        Long since = absentSinceNanos.putIfAbsent(posting.member(), nanoTime);
        if (since == null) {
            thread.schedule(this, grace.toMillis() + 1, TimeUnit.MILLISECONDS);
        } else if (nanoTime - since >= grace.toNanos() && writes.getAsBoolean()) { // Else whoever leads does it, or this relay in a later sweep.
            LOG.warn("relay {} of site {} left the group without a word {} ms ago, taken off the directory",
                    posting.relay().relay(), posting.relay().site(), (nanoTime - since) / 1_000_000);
            writer.post(posting.vanished(System.currentTimeMillis()));
        }
    }

    private void collect(Map<String, Posting> stored, long now) {
        writer.delete(stored.values().stream()
                .filter(posting -> posting.rank() != null && directoryView.ended(posting.rank()))
                .map(Posting::key)
                .toList());
        List<Posting> aged = new ExpiredPostings(directoryView, now).aged();
        aged.forEach(directoryView::drop);
        writer.delete(aged.stream().filter(posting -> posting.endedJob() != null).map(Posting::key).toList());
        aged.stream().filter(posting -> posting.endedJob() == null).forEach(posting -> map.remove(posting.key(), posting.text()));
    }
}
