package org.posthouse.mpj;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.posthouse.mpj.operation.Content;
import org.posthouse.wire.NameAnswer;
import org.posthouse.wire.NameAsk;
import org.posthouse.wire.ReplayLimit;

/**
 * A message-passing machine in one process, for tests: one thread and one endpoint a rank. Messages of different
 * senders arrive in an order that the seed decides; those of one sender never overtake. All state is guarded by this
 * object's monitor.
 *
 * <p>It fails at once, naming what each rank waits for, when all ranks wait and nothing is under way; and after a time
 * limit when they run on for ever.
 */
public final class LocalWorld {
    private static final long LIMIT_SECONDS = 300; // So long that ranks which only share a busy machine come to their ends.

    private final LocalEndpoint[] endpoints;
    private BiFunction<Integer, NameAsk, NameAnswer> names = new LocalNames()::answer;
    private IntFunction<JobJoiner> joiner = rank -> null;
    private final Map<Thread, String> stuck = new HashMap<>();
    private Random random = new Random(1);
    private int[] sites;
    private long eagerBytesMax = 256 * 1024;
    private final List<Set<ReplayLimit>> limits;
    private boolean saving;
    /** The ranks' own threads that still run; threads that they start are not waited for. */
    private final Set<Thread> live = new HashSet<>();

    private int errands;
    private Throwable failure;
    private Integer abortStatus;
    private long messages;
    private long bytes;
    private long[][] siteMessages = new long[0][];
    private long[][] siteBytes = new long[0][];

    public LocalWorld(int size) {
        endpoints = new LocalEndpoint[size];
        limits = Stream.generate(() -> (Set<ReplayLimit>) EnumSet.noneOf(ReplayLimit.class)).limit(size).toList();
        Arrays.setAll(endpoints, rank -> new LocalEndpoint(this, rank));
        sites(new int[size]);
    }

    /** What ranks ask of the name service is answered so. */
    public LocalWorld names(BiFunction<Integer, NameAsk, NameAnswer> answers) {
        names = answers;
        return this;
    }

    NameAnswer answer(int rank, NameAsk ask) {
        return names.apply(rank, ask);
    }

    /** Ranks join joint jobs so. */
    public LocalWorld joiner(IntFunction<JobJoiner> joins) {
        joiner = joins;
        return this;
    }

    Optional<JobJoiner> joiner(int rank) {
        return Optional.ofNullable(joiner.apply(rank));
    }

    /** The site of each rank; all at site 0 if this is not called. */
    public LocalWorld sites(int... siteOfRank) {
        sites = siteOfRank;
        int count = Arrays.stream(siteOfRank).max().orElse(0) + 1;
        siteMessages = new long[count][count];
        siteBytes = new long[count][count];
        return this;
    }

    public LocalWorld seed(long seed) {
        random = new Random(seed);
        return this;
    }

    /** Longer messages are complete only when they were matched; -1: all are, as if there were no credit. */
    public LocalWorld eagerBytesMax(long bytesMax) {
        eagerBytesMax = bytesMax;
        return this;
    }

    /** Checkpoints are taken, and wanted at all times. */
    public LocalWorld saving() {
        saving = true;
        return this;
    }

    /** The ranks go on from the images that they have saved in the other world. */
    public LocalWorld after(LocalWorld other) {
        for (int rank = 0; rank < endpoints.length; rank++) {
            endpoints[rank].image(other.endpoints[rank].image());
        }
        return this;
    }

    synchronized void limited(int rank, ReplayLimit reason) {
        limits.get(rank).add(reason);
    }

    /** Why the rank could not be started again in a job that is logged; empty if it could. */
    public synchronized Set<ReplayLimit> limits(int rank) {
        return Set.copyOf(limits.get(rank));
    }

    boolean isSaving() {
        return saving;
    }

    /** What each rank does. */
    public interface Body {
        void run(Endpoint endpoint) throws Exception;
    }

    /** Runs the body once per rank, and throws what the first rank that failed threw. */
    public void run(Body body) {
        List<Thread> threads = new ArrayList<>();
        for (LocalEndpoint endpoint : endpoints) {
            Thread thread = new Thread(() -> live(endpoint, body), "rank-" + endpoint.rank());
            thread.setDaemon(true);
            threads.add(thread);
        }
        synchronized (this) {
            live.addAll(threads);
        }
        threads.forEach(Thread::start);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        for (Thread thread : threads) {
            join(thread, deadline);
        }
        synchronized (this) {
            if (failure instanceof Error error) {
                throw error;
            }
            if (failure != null) {
                throw new AssertionError(failure);
            }
        }
    }

    private void live(LocalEndpoint endpoint, Body body) {
        Throwable thrown = null;
        try {
            body.run(endpoint);
        } catch (Ended e) {
            thrown = null;
        } catch (Exception | Error e) {
            thrown = e;
        }
        synchronized (this) {
            if (thrown != null) {
                fail(new AssertionError("rank " + endpoint.rank() + ": " + thrown, thrown));
            }
            live.remove(Thread.currentThread());
            checkStuck();
        }
    }

    private void join(Thread thread, long deadline) {
        try {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive()) {
            AssertionError late = new AssertionError(thread.getName() + " still runs after " + LIMIT_SECONDS + " s");
            late.setStackTrace(thread.getStackTrace());
            synchronized (this) {
                fail(late);
            }
            throw late;
        }
    }

    /** Messages sent so far. */
    public synchronized long messages() {
        return messages;
    }

    /** Payload bytes sent so far. */
    public synchronized long bytes() {
        return bytes;
    }

    /** Messages sent from one site to another so far. */
    public synchronized long messages(int fromSite, int toSite) {
        return siteMessages[fromSite][toSite];
    }

    /** Payload bytes sent from one site to another so far. */
    public synchronized long bytes(int fromSite, int toSite) {
        return siteBytes[fromSite][toSite];
    }

    /** The status that a rank aborted the job with, or null. */
    public synchronized Integer abortStatus() {
        return abortStatus;
    }

    // ---- for the endpoints, who hold the monitor

    int size() {
        return endpoints.length;
    }

    int siteOf(int rank) {
        return sites[rank];
    }

    public LocalEndpoint endpoint(int rank) {
        return endpoints[rank];
    }

    Random random() {
        return random;
    }

    boolean isEager(long messageBytes) {
        return messageBytes <= eagerBytesMax;
    }

    boolean mayWaitForReceive(long messageBytes) {
        return eagerBytesMax >= 0 && !isEager(messageBytes);
    }

    void count(int source, int destination, long messageBytes) {
        messages++;
        bytes += messageBytes;
        siteMessages[sites[source]][sites[destination]]++;
        siteBytes[sites[source]][sites[destination]] += messageBytes;
    }

    /** Something happened that a waiting rank may wait for. */
    void changed() {
        stuck.clear();
        notifyAll();
    }

    /** One errand more or less is under way: its thread is none of the ranks' own, and may be about to do something. */
    synchronized void errand(int more) {
        errands += more;
        changed();
    }

    /** Waits for the next change. */
    @SuppressWarnings("WaitNotInLoop") // The callers loop.
    void waitForChange(String what) {
        checkAlive();
        stuck.put(Thread.currentThread(), what);
        checkStuck();
        checkAlive();
        try {
            wait();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Ended();
        }
    }

    private void checkStuck() {
        if (errands == 0 && !live.isEmpty() && stuck.keySet().containsAll(live)) {
            StringBuilder text = new StringBuilder("deadlock");
            stuck.forEach((thread, what) -> text.append("; ").append(thread.getName()).append(" waits for ").append(what));
            fail(new AssertionError(text.toString()));
        }
    }

    void checkAlive() {
        if (failure != null || abortStatus != null) {
            throw new Ended();
        }
    }

    private void fail(Throwable why) {
        failure = failure == null ? why : failure;
        changed();
    }

    Ended abort(int status) {
        abortStatus = status;
        changed();
        return new Ended();
    }

    /** Copies a message's bytes in the pieces that the wire would carry it in. */
    static byte[] read(Content content) {
        byte[] data = new byte[(int) content.bytes()];
        for (int at = 0; at < data.length; at += LocalEndpoint.PIECE_BYTES) {
            int count = Math.min(LocalEndpoint.PIECE_BYTES, data.length - at);
            ByteBuffer piece = ByteBuffer.allocate(count).order(ByteOrder.LITTLE_ENDIAN);
            content.write(at, piece);
            if (piece.hasRemaining()) {
                throw new AssertionError("content left " + piece.remaining() + " bytes of a piece at " + at);
            }
            piece.flip().get(data, at, count);
        }
        return data;
    }

    /** Ends a rank's thread when another one failed. */
    static final class Ended extends Error {
        private static final long serialVersionUID = 1L;
    }
}
