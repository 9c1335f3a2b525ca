package org.posthouse.launch.agent;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.posthouse.launch.stage.ContentId;
import org.posthouse.launch.stage.ContentStore;
import org.posthouse.launch.stage.IncomingContent;
import org.posthouse.launch.stage.PinnedContent;
import org.posthouse.launch.stage.StageException;
import org.posthouse.wire.ContentHash;
import org.posthouse.wire.StageAnswer;
import org.posthouse.wire.StageAsk;
import org.posthouse.wire.StageData;
import org.posthouse.wire.StageTaken;

/**
 * Brings content from the agent's relay into the agent's store. Several jobs that want one content share a fetch. A fetch
 * outlives the connection to the relay and goes on where it was. Confined to the agent's thread, except the work on the
 * disk, which another thread does.
 */
final class ContentFetcher {
    /** Fetches under way. With the window of each, the relay has at most 4 MiB for this agent in memory. */
    private static final int UNDER_WAY_MAX = 4;

    /** Between two questions to a relay that lacks content, as one that has lost its cache until the launcher is back. */
    private static final long ASK_AGAIN_NS = TimeUnit.SECONDS.toNanos(1);

    /** How long a connected relay may lack content. */
    private static final long LACK_NS_MAX = TimeUnit.SECONDS.toNanos(60);

    private final ContentStore store;
    private final Executor thread;
    private final Executor disk;
    private final Consumer<ByteBuffer> relay;
    private final Map<ContentHash, Fetch> fetches = new LinkedHashMap<>();

    /** Whoever waits for content. */
    private record Waiter(Consumer<PinnedContent> ready, Consumer<String> failed) {}

    /** One content on its way. */
    private static final class Fetch {
        private final ContentHash hash;
        private final ContentId id;
        private final List<Waiter> waiters = new ArrayList<>();

        /** Null before it was opened. */
        private IncomingContent content;

        /** Whether the store is being asked for it, or it is under way. */
        private boolean isBegun;

        /** Since when the relay lacks it; 0 if it does not. */
        private long lackNs;

        private long askAgainNs;

        Fetch(ContentHash hash, ContentId id) {
            this.hash = hash;
            this.id = id;
        }
    }

    /**
     * @param thread runs tasks in the agent's thread
     * @param disk runs tasks in the thread for the disk, in order
     * @param relay sends a frame, if there is a connection
     */
    ContentFetcher(ContentStore store, Executor thread, Executor disk, Consumer<ByteBuffer> relay) {
        this.store = store;
        this.thread = thread;
        this.disk = disk;
        this.relay = relay;
    }

    /**
     * Brings content.
     *
     * @param ready takes it, and closes it when it is no longer used
     * @param failed takes the reason, in one line
     */
    void fetch(ContentHash hash, ContentId id, Consumer<PinnedContent> ready, Consumer<String> failed) {
        Fetch fetch = fetches.computeIfAbsent(hash, it -> new Fetch(hash, id));
        if (!fetch.id.equals(id)) {
            failed.accept("content " + id + " is named with another length, " + fetch.id.bytes());
            return;
        }
        fetch.waiters.add(new Waiter(ready, failed));
        beginNext();
    }

    private void beginNext() {
        long underWay = fetches.values().stream().filter(fetch -> fetch.isBegun).count();
        for (Fetch fetch : List.copyOf(fetches.values())) {
            if (!fetch.isBegun && underWay < UNDER_WAY_MAX) {
                underWay++;
                begin(fetch);
            }
        }
    }

    private void begin(Fetch fetch) {
        fetch.isBegun = true;
        onDisk(fetch, () -> {
            IncomingContent content = store.receive(fetch.id); // All of it, if the store has it.
            boolean isWhole = content.isWhole();
            thread.execute(() -> {
                fetch.content = content;
                if (isWhole) {
                    deliver(fetch);
                } else {
                    ask(fetch);
                }
            });
        });
    }

    private void ask(Fetch fetch) {
        fetch.askAgainNs = 0;
        relay.accept(new StageAsk(fetch.hash, fetch.id.bytes(), false).encode());
        relay.accept(new StageTaken(fetch.hash, fetch.content.position()).encode());
    }

    /** A new connection to the relay, which knows nothing of what was asked for on another. */
    void connected() {
        fetches.values().stream().filter(fetch -> fetch.content != null).forEach(fetch -> {
            fetch.lackNs = 0;
            ask(fetch);
        });
    }

    /** The relay has, lacks or refuses content. */
    void onAnswer(StageAnswer answer) {
        Fetch fetch = fetches.get(answer.hash());
        if (fetch == null || fetch.content == null) {
            return;
        }
        if (answer.offset() == StageAnswer.REFUSED) {
            fail(fetch, "the relay refuses it: " + answer.why());
        } else if (answer.offset() < fetch.id.bytes()) {
            long nowNs = System.nanoTime();
            fetch.lackNs = fetch.lackNs == 0 ? nowNs : fetch.lackNs;
            fetch.askAgainNs = nowNs + ASK_AGAIN_NS;
        } else {
            fetch.lackNs = 0;
        }
    }

    /** Stores bytes, and reports that to the relay. */
    void onData(StageData data) {
        Fetch fetch = fetches.get(data.hash());
        if (fetch == null || fetch.content == null) {
            return;
        }
        onDisk(fetch, () -> {
            long position = fetch.content.write(data.offset(), data.bytes());
            thread.execute(() -> {
                relay.accept(new StageTaken(fetch.hash, position).encode());
                if (position == fetch.id.bytes()) {
                    deliver(fetch);
                }
            });
        });
    }

    /** Asks again for what the relay lacks, or gives it up. */
    void tick(long nowNs) {
        for (Fetch fetch : List.copyOf(fetches.values())) {
            if (fetch.lackNs != 0 && nowNs - fetch.lackNs > LACK_NS_MAX) {
                fail(fetch, "the relay does not have it, and got it from no launcher for " + TimeUnit.NANOSECONDS.toSeconds(LACK_NS_MAX) + " s");
            } else if (fetch.askAgainNs != 0 && nowNs - fetch.askAgainNs >= 0) {
                ask(fetch);
            }
        }
    }

    /** All bytes are there. */
    private void deliver(Fetch fetch) {
        if (!fetches.remove(fetch.hash, fetch)) {
            return;
        }
        onDisk(fetch, () -> {
            Map<Waiter, PinnedContent> pins = new HashMap<>();
            for (Waiter waiter : fetch.waiters) {
                Optional<PinnedContent> pin = store.pin(fetch.id);
                pins.put(waiter, pin.orElseThrow(() -> new StageException("content " + fetch.id + " has vanished from " + store.folder())));
            }
            fetch.content.close();
            thread.execute(() -> pins.forEach((waiter, pin) -> waiter.ready.accept(pin)));
        });
        beginNext();
    }

    private void fail(Fetch fetch, String why) {
        fetches.remove(fetch.hash, fetch);
        if (fetch.content != null) {
            disk.execute(fetch.content::close);
        }
        fetch.waiters.forEach(waiter -> waiter.failed.accept(why));
        beginNext();
    }

    /** Work on the disk. */
    private interface DiskWork {
        void run() throws StageException;
    }

    private void onDisk(Fetch fetch, DiskWork work) {
        disk.execute(() -> {
            try {
                work.run();
            } catch (StageException e) {
                thread.execute(() -> fail(fetch, e.getMessage()));
            }
        });
    }
}
