package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.posthouse.status.LinkStatus;
import org.posthouse.tunnel.socket.LinkRefusal;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** A relay of nothing but its links, which writes down what it hears and insists on order and checksums. */
public final class TestRelay implements Links.Listener {
    /** Fast enough that hundreds of cuts take seconds, slow enough that a busy machine is not taken for a dead peer. */
    static final LinkTimeouts QUICK = new LinkTimeouts(2_000, 2_000, 2_000, 300, 5_000, 5, 1, 20);

    final List<String> events = new CopyOnWriteArrayList<>();
    public final List<CloseNotice> downs = new CopyOnWriteArrayList<>();
    final Map<String, AtomicLong> lastFrom = new ConcurrentHashMap<>();
    final AtomicInteger writables = new AtomicInteger();
    public final Links links;

    /** The first departure from order or content; null as long as there is none. */
    public volatile AssertionError failure;

    /** If set, the next frame is refused with it, once. */
    volatile CloseReason breachOnce;

    /** While set, frames are not handled when they come: their numbers go to {@link #unhandled}. */
    volatile boolean handlesLater;

    /** What the links call the frames that wait to be handled. */
    final List<Long> unhandled = new CopyOnWriteArrayList<>();

    /** Frames that other relays had handled, by their word. */
    final AtomicLong acknowledged = new AtomicLong();

    /** The frames that came back from restarted relays, by their numbers. */
    final List<Long> handedBack = new CopyOnWriteArrayList<>();

    /** Bytes that had come over the link when its last frame of the relay's own did. */
    volatile long bytesAtLast;

    /** Frames that have come since what was read was said to be over. Written on the relay's event loop. */
    private int framesOfRead;

    private final ContextInternal context;
    private final Random random = new Random(3);
    private boolean feeding = true;
    private long fed;

    public TestRelay(Vertx vertx, LinkConfig config) {
        context = ((VertxInternal) vertx).createEventLoopContext();
        links = new Links(context, config, this);
    }

    public TestRelay start() throws Exception {
        links.start().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        return this;
    }

    public void close() throws Exception {
        links.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    /** Runs {@code action} on the relay's event loop and returns what it returns. */
    public <T> T call(Callable<T> action) throws Exception {
        CompletableFuture<T> result = new CompletableFuture<>();
        context.nettyEventLoop().execute(() -> {
            try {
                result.complete(action.call());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        return result.get(60, TimeUnit.SECONDS);
    }

    boolean send(String relay, ByteBuf frame) throws Exception {
        return call(() -> links.send(relay, frame));
    }

    public LinkStatus status(String relay) throws Exception {
        return call(() -> statusNow(relay));
    }

    /** The same, on the relay's event loop. */
    LinkStatus statusNow(String relay) {
        return links.status().stream()
                .filter(status -> status.peerRelay().equals(relay))
                .findFirst()
                .orElse(null);
    }

    public boolean isUp(String relay) throws Exception {
        LinkStatus status = status(relay);
        return status != null && status.state() == LinkStatus.State.UP;
    }

    /** Sends bursts of frames of all sizes to {@code relay} until told to stop, and waits while the link is behind. */
    void feed(String relay) {
        context.nettyEventLoop().execute(() -> feedSome(relay));
    }

    /** Returns the number of the last frame fed. */
    long stopFeeding() throws Exception {
        return call(() -> {
            feeding = false;
            return fed;
        });
    }

    private void feedSome(String relay) {
        if (!feeding) {
            return;
        }
        boolean behind = links.status().stream()
                .anyMatch(status -> status.peerRelay().equals(relay) && status.waitingBytes() > 200_000);
        for (int i = 0; i < 5 && !behind; i++) {
            int bytes = random.nextInt(50) == 0 ? Wire.PAYLOAD_BYTES_MAX : random.nextInt(600);
            links.send(relay, Frames.send(++fed, bytes, random));
        }
        context.nettyEventLoop().schedule(() -> feedSome(relay), 1, TimeUnit.MILLISECONDS);
    }

    public long refusals(LinkRefusal kind) throws Exception {
        return call(links::refusals).getOrDefault(kind, 0L);
    }

    /** The number of the last frame that came from {@code relay}; 0 before the first. */
    long last(String relay) {
        return counter(relay).get();
    }

    @Override
    public void onReadEnd() {
        framesOfRead = 0;
    }

    /** Whether the end of all that was read was told. */
    boolean isReadOver() throws Exception {
        return call(() -> framesOfRead == 0);
    }

    @Override
    public boolean onFrame(String relay, long name, ByteBuf buffer, int index, int length, FrameView view)
            throws WireException {
        framesOfRead++;
        CloseReason breach = breachOnce;
        if (breach != null) {
            breachOnce = null;
            throw new WireException(breach, "as the test wants");
        }
        bytesAtLast = statusNow(relay).frameBytesIn();
        boolean later = handlesLater;
        if (later) {
            unhandled.add(name); // Whoever sees the frame's number sees this.
        }
        try {
            long number = Frames.verify(buffer, index, length, view);
            long before = counter(relay).getAndSet(number);
            if (number != before + 1) {
                throw new AssertionError("frame " + number + " from " + relay + " after " + before);
            }
        } catch (AssertionError e) {
            failure = failure == null ? e : failure;
        }
        return !later;
    }

    /** Handles a frame that waited. */
    void handle(String relay, long name) throws Exception {
        unhandled.remove(name);
        call(() -> {
            links.handled(relay, name);
            return null;
        });
    }

    @Override
    public void onAcknowledged(String relay, long frames) {
        acknowledged.addAndGet(frames);
    }

    @Override
    public void onUp(String relay, long epoch) {
        events.add("up " + relay + " " + epoch);
    }

    @Override
    public void onEpoch(long epoch) {
        events.add("epoch " + epoch);
    }

    @Override
    public void onDown(String relay, CloseNotice why) {
        events.add("down " + relay);
        downs.add(why);
    }

    @Override
    public void onWritable(String relay) {
        writables.incrementAndGet();
    }

    @Override
    public void onForgotten(String relay, List<ByteBuf> frames) {
        events.add("forgotten " + relay);
        takeBack(relay, frames);
    }

    @Override
    public void onLetGo(String relay, List<ByteBuf> frames) {
        events.add("let go " + relay);
        takeBack(relay, frames);
    }

    private void takeBack(String relay, List<ByteBuf> frames) {
        for (ByteBuf frame : frames) {
            handedBack.add(new FrameView().wrap(frame.nioBuffer(), 0).sequence());
            frame.release();
        }
        counter(relay).set(0);
    }

    private AtomicLong counter(String relay) {
        return lastFrom.computeIfAbsent(relay, name -> new AtomicLong());
    }
}
