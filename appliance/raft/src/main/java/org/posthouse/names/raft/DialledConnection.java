package org.posthouse.names.raft;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.posthouse.names.raft.Frame.Answer;
import org.posthouse.names.raft.Frame.Question;

/**
 * A connection to a judge, which answers many questions at once. Thread-safe. A question that is not answered in time closes it: over a link that is cut, a
 * connection stands still for as long as the link does.
 */
final class DialledConnection implements AutoCloseable {
    /** Milliseconds that the other end may take to say which judges it belongs to. */
    static final int HELLO_MS_MAX = 5_000;

    private final SocketChannel channel;
    private final ReentrantLock writing = new ReentrantLock();
    private final AtomicLong ids = new AtomicLong();
    private final Map<Long, CompletableFuture<JudgeReply>> asked = new ConcurrentHashMap<>();

    private DialledConnection(SocketChannel channel) {
        this.channel = channel;
    }

    /** Connects, and blocks for as long as the guard does, or until it is interrupted. */
    static DialledConnection open(InetSocketAddress address, JudgeSet judges, PeerGuard guard) throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            channel.connect(address);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            guard.dial(channel);
            writeFully(channel, ByteBuffer.wrap(judges.hello()));
            DataInputStream in = new DataInputStream(new BufferedInputStream(channel.socket().getInputStream()));
            channel.socket().setSoTimeout(HELLO_MS_MAX);
            byte[] hello = in.readNBytes(JudgeSet.HELLO_BYTES);
            channel.socket().setSoTimeout(0);
            if (hello.length < JudgeSet.HELLO_BYTES) {
                throw new EOFException("the connection has ended before its first bytes");
            }
            if (!Arrays.equals(hello, judges.hello())) {
                throw new IOException("it is no judge of " + judges.ids() + ": every relay names the same judges, with --judges");
            }
            DialledConnection connection = new DialledConnection(channel);
            Thread.ofVirtual().name("posthouse-judge-answers").start(() -> connection.read(in));
            return connection;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    static void writeFully(SocketChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    boolean isOpen() {
        return channel.isOpen();
    }

    /** Fails with an {@link IOException} or a {@link TimeoutException}. May block while the other end does not read. */
    CompletableFuture<JudgeReply> ask(Question question, byte[] content, long millis) throws IOException {
        Frame frame = new Frame(question.ordinal(), ids.incrementAndGet(), content);
        ByteBuffer bytes = frame.toBytes();
        CompletableFuture<JudgeReply> reply = new CompletableFuture<JudgeReply>().orTimeout(millis, TimeUnit.MILLISECONDS);
        asked.put(frame.id(), reply);
        reply.whenComplete((done, fault) -> {
            asked.remove(frame.id());
            if (fault instanceof TimeoutException) {
                close();
            }
        });
        if (!isOpen()) { // Whoever closed it may have missed this question.
            reply.completeExceptionally(new IOException("the connection is closed"));
            return reply;
        }
        writing.lock();
        try {
            writeFully(channel, bytes);
        } catch (IOException e) {
            close();
            throw e;
        } finally {
            writing.unlock();
        }
        return reply;
    }

    private void read(DataInputStream in) {
        try (this) {
            while (true) {
                Frame frame = Frame.read(in, Answer.values().length);
                CompletableFuture<JudgeReply> reply = asked.remove(frame.id());
                if (reply != null) {
                    reply.complete(new JudgeReply(Answer.values()[frame.type()], frame.content()));
                }
            }
        } catch (IOException e) {
            asked.values().forEach(each -> each.completeExceptionally(new IOException("the connection has ended", e)));
        }
    }

    /** All questions that wait fail. */
    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e); // It does not block, and has nothing to flush.
        }
        asked.values().forEach(each -> each.completeExceptionally(new IOException("the connection was closed")));
    }
}
