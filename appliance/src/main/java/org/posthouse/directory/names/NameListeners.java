package org.posthouse.directory.names;

import com.hazelcast.cluster.MembershipAdapter;
import com.hazelcast.cluster.MembershipEvent;
import com.hazelcast.core.EntryEvent;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.LifecycleEvent;
import com.hazelcast.map.listener.EntryAddedListener;
import com.hazelcast.map.listener.EntryMergedListener;
import com.hazelcast.map.listener.EntryUpdatedListener;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.posthouse.causes.Causes;
import org.posthouse.names.Name;
import org.posthouse.names.NameChange;
import org.posthouse.names.NameException;
import org.posthouse.names.NameService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listeners of one relay. They share one listener of the map, and are told on one thread. Thread-safe.
 *
 * <p>Hazelcast loses events, as when a member leaves. So a sweep reads again what is there every 30 s, after a merge, and when a member has come or gone. What
 * a listener knows already is not told again: it knows the highest version of each name, and that an unbound one is behind the bound one of its version.
 */
final class NameListeners
        implements EntryAddedListener<String, String>,
        EntryUpdatedListener<String, String>,
        EntryMergedListener<String, String> {
    private static final Logger LOG = LoggerFactory.getLogger(NameListeners.class);
    private static final long SWEEP_SECONDS = 30;

    /** Milliseconds between a sweep that failed and the next. */
    private static final long AGAIN_MS = 1_000;

    private final HazelcastInstance member;
    private final Executor blocking;
    private final Consumer<Name> refresh;
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final AtomicBoolean planned = new AtomicBoolean();
    private final ScheduledThreadPoolExecutor thread;

    /** Whether the map tells this object its changes. Guarded by this. */
    private boolean heard;

    /** Changed on the thread; others read what was seen. */
    private static final class Listener {
        private final Name prefix;
        private final Consumer<NameChange> consumer;
        private final Map<Name, Seen> seen = new ConcurrentHashMap<>();

        /** Names that were not bound at the last sweep: those that are not bound at this one either are forgotten. */
        private Set<Name> gone = new HashSet<>();

        /** Written by the closing thread, read by the thread that tells. */
        private volatile boolean closed;

        Listener(Name prefix, Consumer<NameChange> consumer) {
            this.prefix = prefix;
            this.consumer = consumer;
        }
    }

    private record Seen(long version, boolean present) {
        boolean isBefore(NameChange change) {
            long other = change.bound().version();
            return version < other || version == other && present && !change.present();
        }
    }

    /**
     * @param blocking runs what blocks
     * @param refresh tells what is bound below a prefix; blocks, and fails with any exception
     */
    NameListeners(HazelcastInstance member, String relay, Executor blocking, Consumer<Name> refresh) {
        this.member = member;
        this.blocking = blocking;
        this.refresh = refresh;
        this.thread = new ScheduledThreadPoolExecutor(
                1,
                Thread.ofPlatform().name("posthouse-names-" + relay).daemon().factory(),
                // Discards tasks only after close.
                new ThreadPoolExecutor.DiscardPolicy());
        var unused = thread.scheduleWithFixedDelay(this::soon, SWEEP_SECONDS, SWEEP_SECONDS, TimeUnit.SECONDS);
        member.getCluster().addMembershipListener(new MembershipAdapter() {
            @Override
            public void memberAdded(MembershipEvent event) {
                soon();
            }

            @Override
            public void memberRemoved(MembershipEvent event) {
                soon();
            }
        });
        member.getLifecycleService().addLifecycleListener(event -> {
            if (event.getState() == LifecycleEvent.LifecycleState.MERGED) {
                soon();
            }
        });
    }

    NameService.Subscription add(Name prefix, Consumer<NameChange> consumer) {
        Listener listener = new Listener(prefix, consumer);
        listeners.add(listener);
        run(prefix);
        return () -> {
            listener.closed = true;
            listeners.remove(listener);
        };
    }

    /** Plans a sweep. Any thread. */
    private void soon() {
        if (planned.compareAndSet(false, true)) {
            thread.execute(() -> {
                planned.set(false);
                listeners.forEach(NameListeners::forget);
                listeners.stream().map(listener -> listener.prefix).distinct().forEach(this::run);
            });
        }
    }

    private static void forget(Listener listener) {
        Set<Name> absent = listener.seen.entrySet().stream().filter(each -> !each.getValue().present).map(Map.Entry::getKey).collect(Collectors.toSet());
        listener.gone.retainAll(absent);
        listener.seen.keySet().removeAll(listener.gone);
        absent.removeAll(listener.gone);
        listener.gone = absent;
    }

    private void run(Name prefix) {
        try {
            blocking.execute(() -> tryRefresh(prefix));
        } catch (RejectedExecutionException e) {
            LOG.debug("names: closed, {} is not read any more", prefix, e);
        }
    }

    private void tryRefresh(Name prefix) {
        if (listeners.stream().noneMatch(listener -> listener.prefix.equals(prefix))) {
            return;
        }
        try {
            hear();
            refresh.accept(prefix);
        } catch (NameException e) {
            LOG.debug("names: {} is not read any more", prefix, e);
        } catch (RuntimeException e) {
            LOG.info("names: what is below '{}' could not be read, tried again: {}", prefix, Causes.text(e).split("\\. |\\R", 2)[0]);
            var unused = thread.schedule(() -> run(prefix), AGAIN_MS, TimeUnit.MILLISECONDS);
        }
    }

    private synchronized void hear() {
        if (!heard) {
            member.<String, String>getMap(NamesMap.NAME).addEntryListener(this, true);
            heard = true;
        }
    }

    @Override
    public void entryAdded(EntryEvent<String, String> event) {
        tell(event);
    }

    @Override
    public void entryUpdated(EntryEvent<String, String> event) {
        tell(event);
    }

    @Override
    public void entryMerged(EntryEvent<String, String> event) {
        tell(event);
    }

    private void tell(EntryEvent<String, String> event) {
        try {
            StoredName stored = StoredName.parse(event.getValue());
            tell(new NameChange(stored.at(NameKeys.name(event.getKey())), stored.bound()));
        } catch (IllegalArgumentException | NameException e) {
            LOG.error("names: a change of '{}' is skipped", event.getKey(), e);
        }
    }

    /** Tells it those who do not know it. Any thread. */
    void tell(NameChange change) {
        thread.execute(() -> {
            for (Listener listener : listeners) {
                if (change.bound().name().isBelow(listener.prefix)) {
                    tell(listener, change);
                }
            }
        });
    }

    private static void tell(Listener listener, NameChange change) {
        Seen seen = listener.seen.get(change.bound().name());
        boolean news = seen == null ? change.present() : seen.isBefore(change);
        if (!news || listener.closed) {
            return;
        }
        listener.seen.put(change.bound().name(), new Seen(change.bound().version(), change.present()));
        try {
            listener.consumer.accept(change);
        } catch (RuntimeException e) {
            LOG.error("names: a listener of '{}' has failed with {}", listener.prefix, change.bound().name(), e);
        }
    }

    /** Versions of the names that listeners of a prefix were told to be bound. */
    Map<Name, Long> present(Name prefix) {
        Map<Name, Long> present = new HashMap<>();
        listeners.stream().filter(listener -> listener.prefix.equals(prefix)).forEach(listener -> listener.seen.forEach((name, seen) -> {
            if (seen.present) {
                present.merge(name, seen.version, Math::max);
            }
        }));
        return present;
    }

    void close() {
        listeners.forEach(listener -> listener.closed = true);
        listeners.clear();
        thread.shutdownNow();
    }
}
