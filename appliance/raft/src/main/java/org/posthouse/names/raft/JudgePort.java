package org.posthouse.names.raft;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.posthouse.names.raft.Frame.Question;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The port of a judge: admits connections by the guard, and has their questions answered, each on a virtual thread of its own. Thread-safe. */
final class JudgePort implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(JudgePort.class);

    /** Most connections that have not proven anything; further ones wait in the system's backlog. */
    private static final int UNPROVEN_MAX = 64;

    /** Most questions of one connection that are answered at once; it is not read on meanwhile. */
    private static final int QUESTIONS_MAX = 1_024;

    private static final long ACCEPT_AGAIN_MS = 100;

    /** Nanoseconds between two log lines about connections that were closed for what came over them. */
    private static final long LINE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final String own;
    private final JudgeSet judges;
    private final PeerGuard guard;
    private final ServerSocketChannel port;
    private final Semaphore unproven = new Semaphore(UNPROVEN_MAX);
    private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();

    /** Since when the next line may be written. */
    private final AtomicLong lineNanos = new AtomicLong(System.nanoTime());

    /** Answers one question; may block. */
    interface Handler {
        JudgeReply answer(Question question, byte[] content);
    }

    /** @throws IOException in one line, if the port is in use */
    JudgePort(String own, JudgeSet judges, PeerGuard guard) throws IOException {
        this.own = own;
        this.judges = judges;
        this.guard = guard;
        InetSocketAddress address = Addresses.parse(judges.addresses().get(own));
        port = ServerSocketChannel.open();
        try {
            port.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            port.bind(address);
        } catch (IOException e) {
            port.close();
            throw new IOException("judge " + own + " cannot listen at " + Addresses.text(address) + ": " + e.getMessage()
                    + "; end the program that listens there, or give all relays another --judges-port", e);
        }
    }

    void start(Handler handler) {
        Thread.ofVirtual().name("posthouse-judge-accept").start(() -> accept(handler));
    }

    private void accept(Handler handler) {
        while (port.isOpen()) {
            unproven.acquireUninterruptibly();
            try {
                SocketChannel channel = port.accept();
                open.add(channel);
                Thread.ofVirtual().name("posthouse-judge-questions").start(() -> serve(channel, handler));
            } catch (IOException e) {
                unproven.release();
                awaitNext(e);
            }
        }
    }

    /** No file was free, perhaps. */
    private void awaitNext(IOException why) {
        if (!port.isOpen()) {
            return;
        }
        LOG.warn("relay {}: the judge's port cannot accept: {}; trying again", own, why.getMessage());
        try {
            Thread.sleep(ACCEPT_AGAIN_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void serve(SocketChannel channel, Handler handler) {
        try (channel) {
            DataInputStream in = admit(channel);
            ReentrantLock writing = new ReentrantLock();
            Semaphore questions = new Semaphore(QUESTIONS_MAX);
            while (true) {
                Frame frame = Frame.read(in, Question.values().length);
                questions.acquireUninterruptibly();
                Thread.ofVirtual().name("posthouse-judge-answer").start(() -> {
                    try {
                        answer(channel, writing, frame, handler);
                    } finally {
                        questions.release();
                    }
                });
            }
        } catch (MalformedException e) {
            malformed(e);
        } catch (IOException e) {
            LOG.debug("relay {}: a connection to the judge's port has ended", own, e);
        } finally {
            open.remove(channel);
        }
    }

    private void malformed(MalformedException why) {
        long from = lineNanos.get();
        long now = System.nanoTime();
        if (now - from >= 0 && lineNanos.compareAndSet(from, now + LINE_NANOS)) {
            LOG.warn("relay {}: the judge's port has closed a connection: {}; further ones are not told for a minute", own, why.getMessage());
        }
    }

    private DataInputStream admit(SocketChannel channel) throws IOException {
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            guard.accept(channel);
        } finally {
            unproven.release();
        }
        DataInputStream in = new DataInputStream(new BufferedInputStream(channel.socket().getInputStream()));
        channel.socket().setSoTimeout(DialledConnection.HELLO_MS_MAX);
        byte[] hello = in.readNBytes(JudgeSet.HELLO_BYTES);
        channel.socket().setSoTimeout(0);
        if (hello.length < JudgeSet.HELLO_BYTES) {
            throw new EOFException("the connection has ended before its first bytes");
        }
        DialledConnection.writeFully(channel, ByteBuffer.wrap(judges.hello()));
        if (!Arrays.equals(hello, judges.hello())) {
            throw new MalformedException("its relay names other judges than " + judges.ids() + ": every relay names the same, with --judges");
        }
        return in;
    }

    private static void answer(SocketChannel channel, ReentrantLock writing, Frame frame, Handler handler) {
        JudgeReply reply = handler.answer(Question.values()[frame.type()], frame.content());
        writing.lock();
        try {
            DialledConnection.writeFully(channel, new Frame(reply.answer().ordinal(), frame.id(), reply.content()).toBytes());
        } catch (IOException e) {
            LOG.debug("an answer of the judge's port was not sent", e);
            closeQuietly(channel);
        } finally {
            writing.unlock();
        }
    }

    private static void closeQuietly(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("a connection was not closed", e);
        }
    }

    @Override
    public void close() throws IOException {
        port.close();
        open.forEach(JudgePort::closeQuietly);
    }
}
