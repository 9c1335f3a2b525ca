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
 * Carries postings to the group.
 *
 * <p>{@link #post} is for any thread and never blocks; the calls to Hazelcast are made on the directory's own thread.
 * One posting waits for each key, the latest, so what waits is bounded by the number of keys. A posting leaves only
 * when the group has answered, or when the view has seen a later one of its key; until then it is tried again, with a
 * log line and a growing pause.
 */
final class GroupWriter {
    private static final Logger LOG = LoggerFactory.getLogger(GroupWriter.class);
    /** Postings under way at once: with some 300 bytes each, less than 100 kB. */
    private static final int UNDER_WAY_MAX = 256;

    private static final long ANSWER_MS_MAX = 12_000;
    private static final long PAUSE_MS_MIN = 200;
    private static final long PAUSE_MS_MAX = 5_000;

    /** Keys to be deleted: less than 1 MB. */
    private static final int DELETED_MAX = 16_384;

    private final Map<String, Posting> waiting = new ConcurrentHashMap<>();
    private final BlockingQueue<String> deleted = new ArrayBlockingQueue<>(DELETED_MAX);
    private final AtomicBoolean planned = new AtomicBoolean();
    private final IMap<String, String> map;
    private final View view;
    private final ScheduledExecutorService thread;
    private final Function<Posting, Post> post;
    private final Consumer<Posting> onLate;
    private long pauseMs = PAUSE_MS_MIN;

    /** For postings that nobody signs. */
    GroupWriter(IMap<String, String> map, View view, ScheduledExecutorService thread) {
        this(map, view, thread, posting -> new Post(posting, PostingProof.NONE), late -> {});
    }

    /**
     * {@code thread} runs one task at a time; {@code view} learns what the group answers. {@code post} makes of a posting what is sent, signed; {@code onLate} is
     * told of one that the group has not taken, as it has another one of the same version with a later stamp.
     */
    GroupWriter(
            IMap<String, String> map, View view, ScheduledExecutorService thread, Function<Posting, Post> post, Consumer<Posting> onLate) {
        this.post = post;
        this.onLate = onLate;
        this.map = map;
        this.view = view;
        this.thread = thread;
    }

    void post(Posting posting) {
        waiting.merge(posting.key(), posting, (held, next) -> held.laterThan(next) ? held : next);
        plan(0);
    }

    /**
     * Has the group forget what nobody writes any more: ranks of jobs that have ended, which it hears first, and ends that have served their time.
     * For any thread. What finds no place here, or fails, is left to the next sweep.
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

    /** Writes what waits; false if something has to be tried again. On the directory's thread. */
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
        Posting held = view.get(posting.key());
        boolean homeless = posting.rank() != null && view.ended(posting.rank());
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
        view.learn(stored);
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

    /** The first clause: Hazelcast says all that it knows of an operation behind it. */
    static String text(Throwable cause) {
        return Causes.text(cause).split("\\. ", 2)[0];
    }
}
