package org.posthouse.names.raft;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameChange;
import org.posthouse.names.NameException;
import org.posthouse.names.NameService;
import org.posthouse.names.raft.Frame.Question;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells listeners of changes. One thread asks the leader for the changes behind an index of the log, which answers when there are any, and passes them to all
 * listeners. A listener that begins, or has missed some, has what is bound listed by another thread meanwhile. Thread-safe.
 */
final class ChangeFeed implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ChangeFeed.class);

    /** Milliseconds that the leader waits for a change before it answers that there is none. */
    private static final long WAIT_MS = 1_000;

    private static final long AGAIN_MS = 250;
    private static final long UNKNOWN = -1;

    private final JudgeClient client;
    private final List<ChangeListener> listeners = new CopyOnWriteArrayList<>();

    /** The index up to which listeners have been told. Guarded by this, and changed by the feed's thread only. */
    private long since = UNKNOWN;

    /** Guarded by this; null while nobody listens. */
    private Thread thread;
    private boolean closed;

    ChangeFeed(JudgeClient client) {
        this.client = client;
    }

    synchronized NameService.Subscription listen(Name prefix, Consumer<NameChange> consumer) {
        ChangeListener listener = new ChangeListener(prefix, consumer);
        if (closed) {
            return listener::close;
        }
        listeners.add(listener);
        if (thread == null) {
            since = UNKNOWN;
            thread = Thread.ofVirtual().name("posthouse-names-feed").start(this::run);
        } else if (since != UNKNOWN) {
            startListing(listener);
        } // Else the feed's first answer begins the listing.
        return () -> remove(listener);
    }

    private void remove(ChangeListener listener) {
        listener.close();
        listeners.remove(listener);
    }

    private void run() {
        try {
            while (!endIfUnused()) {
                try {
                    byte[] asked = new ByteWriter().i64(since()).i64(WAIT_MS).toBytes();
                    tell(ChangePage.read(client.ask(Question.CHANGES, asked, WAIT_MS)));
                } catch (NameException e) {
                    LOG.debug("listeners wait for the judges", e);
                    Thread.sleep(AGAIN_MS);
                } catch (MalformedException e) {
                    LOG.error("the judges' changes cannot be read: {}; they and this relay are of different versions", e.getMessage());
                    Thread.sleep(AGAIN_MS);
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("the feed was closed", e);
        }
    }

    private synchronized long since() {
        return since;
    }

    private synchronized boolean endIfUnused() {
        if (closed || listeners.isEmpty()) {
            thread = null;
            return true;
        }
        return false;
    }

    private synchronized void tell(ChangePage page) {
        since = page.upTo();
        if (page.isGap()) {
            listeners.forEach(this::startListing);
        } else {
            page.changes().forEach(change -> listeners.forEach(listener -> listener.change(change)));
        }
    }

    /** The listing begins after {@link #since} was set, so that no change is between the two. */
    private void startListing(ChangeListener listener) {
        Thread.ofVirtual().name("posthouse-names-listing").start(() -> list(listener));
    }

    private void list(ChangeListener listener) {
        Map<Name, NameChange> before = listener.beginListing();
        try {
            while (!listener.isClosed()) {
                try {
                    listener.listed(list(client, listener.prefix(), Integer.MAX_VALUE, Optional.empty()), before);
                    return;
                } catch (NameException | MalformedException e) {
                    LOG.debug("a listener waits for the judges", e);
                    Thread.sleep(AGAIN_MS);
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("a listing was interrupted", e);
        } finally {
            listener.endListing();
        }
    }

    /** Reads a listing page by page: names in their order, each as it was at a time between the call and its end. */
    static List<BoundName> list(JudgeClient client, Name prefix, int limit, Optional<Name> after) throws InterruptedException, MalformedException {
        List<BoundName> all = new ArrayList<>();
        Optional<Name> last = after;
        while (all.size() < limit) {
            ByteWriter asked = new ByteWriter().name(prefix).i32(Math.min(limit - all.size(), NameService.LIST_MAX)).flag(last.isPresent());
            last.ifPresent(asked::name);
            ByteReader in = new ByteReader(client.ask(Question.LIST, asked.toBytes(), 0));
            int before = all.size();
            for (Optional<BoundName> each = in.optionalBound(); each.isPresent(); each = in.optionalBound()) {
                all.add(each.get());
            }
            in.end();
            if (all.size() == before) {
                break;
            }
            last = Optional.of(all.getLast().name());
        }
        return all;
    }

    @Override
    public synchronized void close() {
        closed = true;
        listeners.forEach(ChangeListener::close);
        listeners.clear();
        if (thread != null) {
            thread.interrupt();
        }
    }
}
