package org.posthouse.directory;

import com.hazelcast.map.IMap;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.posthouse.causes.Causes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes postings to the group. Calls to Hazelcast run on the directory's own thread. {@link #post} may be called by
 * any thread and never blocks.
 *
 * <p>At most one posting waits for each key, the latest, so the number of waiting postings is bounded by the number of
 * keys. A posting is removed only when the group has answered, or when the view has seen a later one of its key. Until
 * then the write is retried, with a log line and a growing pause.
 */
final class GroupWriter {
    private static final Logger LOG = LoggerFactory.getLogger(GroupWriter.class);
    /** Limit of concurrent writes: with about 300 bytes each, less than 100 kB. */
    private static final int UNDER_WAY_MAX = 256;

    private static final long ANSWER_MS_MAX = 12_000;
    private static final long PAUSE_MS_MIN = 200;
    private static final long PAUSE_MS_MAX = 5_000;

    /** Limit of keys that wait for deletion: less than 1 MB. */
    private static final int DELETED_MAX = 16_384;

    private final Map<String, Posting> waiting = new ConcurrentHashMap<>();
    private final BlockingQueue<String> deleted = new ArrayBlockingQueue<>(DELETED_MAX);
    private final AtomicBoolean planned = new AtomicBoolean();
    private final IMap<String, String> map;
    private final DirectoryView directoryView;
    private final ScheduledExecutorService thread;
    private final Function<Posting, PostProcessor> post;
    private final Consumer<Posting> onLate;
    private long pauseMs = PAUSE_MS_MIN;

    /** For a group without keys, whose postings are not signed. */
    GroupWriter(IMap<String, String> map, DirectoryView directoryView, ScheduledExecutorService thread) {
        this(map, directoryView, thread, posting -> new PostProcessor(posting, PostingProof.NONE), late -> {});
    }

    /**
     * @param view receives the group's answers
     * @param thread runs one task at a time
     * @param post signs a posting before it is sent
     * @param onLate receives a posting that the group did not accept, because it has another of the same version with a
     *         later stamp
     */
    GroupWriter(
            IMap<String, String> map, DirectoryView directoryView, ScheduledExecutorService thread, Function<Posting, PostProcessor> post,
            Consumer<Posting> onLate) {
        this.post = post;
        this.onLate = onLate;
        this.map = map;
        this.directoryView = directoryView;
        this.thread = thread;
    }

    void post(Posting posting) {
        waiting.merge(posting.key(), posting, (held, next) -> held.laterThan(next) ? held : next);
        plan(0);
    }

    /**
     * Deletes keys that nobody writes any more: ranks of jobs whose end the group has been told, and expired end marks.
     * Any thread. Keys that find no place here, or whose deletion fails, are left to the next sweep.
     */
    void delete(List<String> keys) {
        keys.forEach(deleted::offer);
        plan(0);
    }

    int waiting() {
        return waiting.size();
    }

    private void plan(long delayMs) {
        if (planned.compareAndSet(false, true)) {
            thread.schedule(this::turn, delayMs, TimeUnit.MILLISECONDS);
        }
    }

    private void turn() {
        planned.set(false);
        if (flush()) {
            pauseMs = PAUSE_MS_MIN;
        } else {
            plan(pauseMs);
            pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX);
        }
    }

    /**
     * Writes the waiting postings, on the directory's thread.
     *
     * @return false if some must be retried
     */
    boolean flush() {
        waiting.values().removeIf(this::overtaken);
        List<Posting> postings = List.copyOf(waiting.values());
        for (int from = 0; from < postings.size(); from += UNDER_WAY_MAX) {
            if (!write(postings.subList(from, Math.min(from + UNDER_WAY_MAX, postings.size())))) {
                return false;
            }
        }
        return delete();
    }

    private boolean delete() {
        List<String> keys = new ArrayList<>();
        while (deleted.drainTo(keys, UNDER_WAY_MAX) > 0) {
            try {
                CompletableFuture.allOf(keys.stream().map(key -> map.deleteAsync(key).toCompletableFuture()).toArray(CompletableFuture[]::new))
                        .get(ANSWER_MS_MAX, TimeUnit.MILLISECONDS);
            } catch (ExecutionException e) {
                return notDeleted(keys, e.getCause());
            } catch (TimeoutException | RuntimeException e) {
                return notDeleted(keys, e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return notDeleted(keys, e);
            }
            keys.clear();
        }
        return true;
    }

    private static boolean notDeleted(List<String> keys, Throwable cause) {
        LOG.warn("directory: deleting {} keys failed, left to the next sweep: {}", keys.size(), text(cause));
        return false;
    }

    private boolean overtaken(Posting posting) {
        Posting held = directoryView.get(posting.key());
        boolean homeless = posting.rank() != null && directoryView.ended(posting.rank());
        return homeless || (held != null && held.laterThan(posting));
    }

    private boolean write(List<Posting> postings) {
        Map<Posting, CompletableFuture<String>> answers = new LinkedHashMap<>();
        try {
            for (Posting posting : postings) {
                answers.put(posting, map.submitToKey(posting.key(), post.apply(posting)).toCompletableFuture());
            }
        } catch (RuntimeException e) {
            return failed(postings.get(answers.size()), e);
        }
        boolean allWritten = true;
        for (Map.Entry<Posting, CompletableFuture<String>> answer : answers.entrySet()) {
            allWritten &= settle(answer.getKey(), answer.getValue());
        }
        return allWritten;
    }

    private boolean settle(Posting posting, CompletableFuture<String> answer) {
        try {
            String stored = answer.get(ANSWER_MS_MAX, TimeUnit.MILLISECONDS);
            Posting now = stored == null ? null : Posting.parse(stored);
            waiting.remove(posting.key(), posting);
            if (now != null) {
                learn(now, posting);
            }
            return true;
        } catch (ExecutionException e) {
            return failed(posting, e.getCause());
        } catch (TimeoutException | IllegalArgumentException e) {
            return failed(posting, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return failed(posting, e);
        }
    }

    private void learn(Posting stored, Posting written) {
        directoryView.learn(stored);
        boolean late = stored.version() == written.version() && stored.laterThan(written) && stored.proof() != null && !stored.sameAs(written);
        if (late) {
            onLate.accept(written);
        }
    }

    private boolean failed(Posting posting, Throwable cause) {
        LOG.warn("directory: writing {} failed, {} writes wait, next try in {} ms: {}", posting.key(), waiting.size(),
                pauseMs, text(cause));
        return false;
    }

    /** The first clause of the message; Hazelcast appends its whole state of an operation behind it. */
    static String text(Throwable cause) {
        return Causes.text(cause).split("\\. ", 2)[0];
    }
}
