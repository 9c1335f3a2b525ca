package org.posthouse.names.raft;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.posthouse.names.raft.Frame.Question;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Another judge, as this process reaches it: one connection, dialled again after it has ended. Thread-safe. */
final class JudgePeer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(JudgePeer.class);

    /** Milliseconds between a failed connection and the next; doubled up to the second value. */
    private static final long PAUSE_MS_MIN = 50;
    private static final long PAUSE_MS_MAX = 500;

    private final String own;
    private final String judge;
    private final InetSocketAddress address;
    private final JudgeSet judges;
    private final PeerGuard guard;

    /** The connection, or the attempt to have one. Guarded by this; null before the first. */
    private CompletableFuture<DialledConnection> current;

    /** Guarded by this. */
    private long pauseMs;
    private boolean closed;

    JudgePeer(String own, String judge, JudgeSet judges, PeerGuard guard) {
        this.own = own;
        this.judge = judge;
        this.address = Addresses.parse(judges.addresses().get(judge));
        this.judges = judges;
        this.guard = guard;
    }

    /** Asks, and blocks until there is an answer or the time is over. */
    JudgeReply ask(Question question, byte[] content, long millis) throws IOException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        DialledConnection connection = await(connection(), millis, "it has not accepted a connection");
        long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        return await(connection.ask(question, content, Math.max(1, left)), millis, "it has not answered");
    }

    private static <T> T await(CompletableFuture<T> future, long millis, String otherwise) throws IOException {
        try {
            return future.get(millis, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TimeoutException) {
                throw new IOException(otherwise + " within " + millis + " ms", e);
            }
            throw new IOException(e.getCause().getMessage(), e);
        } catch (TimeoutException e) {
            throw new IOException(otherwise + " within " + millis + " ms", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("interrupted").initCause(e);
        }
    }

    private synchronized CompletableFuture<DialledConnection> connection() throws IOException {
        if (closed) {
            throw new IOException("this end is closed");
        }
        if (current == null || isOver(current)) {
            CompletableFuture<DialledConnection> next = new CompletableFuture<>();
            Executor later = CompletableFuture.delayedExecutor(pauseMs, TimeUnit.MILLISECONDS,
                    work -> Thread.ofVirtual().name("posthouse-judge-dial").start(work));
            later.execute(() -> dial(next));
            current = next;
        }
        return current;
    }

    private static boolean isOver(CompletableFuture<DialledConnection> connection) {
        return connection.isCompletedExceptionally() || connection.isDone() && !connection.join().isOpen();
    }

    private void dial(CompletableFuture<DialledConnection> next) {
        try {
            DialledConnection connection = DialledConnection.open(address, judges, guard);
            if (!opened(connection)) {
                connection.close();
            }
            next.complete(connection);
        } catch (IOException | RuntimeException e) {
            failed(e);
            next.completeExceptionally(e);
        }
    }

    private synchronized boolean opened(DialledConnection connection) {
        if (pauseMs > PAUSE_MS_MIN) {
            LOG.info("relay {}: judge {} at {} is reached again", own, judge, Addresses.text(address));
        }
        pauseMs = PAUSE_MS_MIN;
        return !closed;
    }

    private synchronized void failed(Exception why) {
        if (pauseMs == 2 * PAUSE_MS_MIN && !closed) { // The first failures come with every start and every cut.
            LOG.warn("relay {}: judge {} at {} is not reached: {}; dialling again", own, judge, Addresses.text(address), why.getMessage());
        }
        pauseMs = Math.clamp(2 * pauseMs, PAUSE_MS_MIN, PAUSE_MS_MAX);
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (current != null) {
            current.thenAccept(DialledConnection::close);
        }
    }
}
