package org.posthouse.relay.shard;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.relay.threads.StrandExecutor;

/**
 * The threads of a relay's work in one mode, as event loops of Vert.x (docs/operations.md, modes). Immutable except the
 * round-robin counter; a change of mode creates a new one.
 */
public final class Placement {
    /** Calls of an event loop group that suffice to see all its loops. */
    private static final int LOOPS_MAX = 256;

    /** The entry of the calling thread. */
    private static final Path THREAD_SELF = Path.of("/proc/thread-self");

    private final ModeConfig mode;
    private final List<EventLoop> reception;
    private final List<? extends Executor> matching;
    private final List<? extends Executor> emission;
    private final AtomicInteger received = new AtomicInteger();

    private Placement(
            ModeConfig mode,
            List<EventLoop> reception,
            List<? extends Executor> matching,
            List<? extends Executor> emission) {
        this.mode = mode;
        this.reception = reception;
        this.matching = matching;
        this.emission = emission;
    }

    /** @param home the relay's own loop, which is used first */
    public static Placement of(ModeConfig mode, Vertx vertx, EventLoop home) {
        return switch (mode.mode()) {
            case MULTIPLEXED -> new Placement(mode, List.of(home), List.of(home), List.of());
            case POOLED -> {
                List<EventLoop> loops = loops(vertx, home, mode.loops());
                yield new Placement(mode, loops, loops, List.of());
            }
            case PIPELINE -> {
                int all = mode.reception() + mode.matching() + mode.emission();
                List<EventLoop> loops = loops(vertx, home, all);
                int matched = mode.reception() + mode.matching();
                yield new Placement(
                        mode,
                        loops.subList(0, mode.reception()),
                        loops.subList(mode.reception(), matched),
                        loops.subList(matched, all));
            }
            case THREADED -> {
                List<Executor> threads = List.of(Placement::startVirtual);
                yield new Placement(mode, List.of(home), threads, threads);
            }
        };
    }

    private static void startVirtual(Runnable work) {
        Thread.ofVirtual().name("posthouse-relay").start(work);
    }

    /** {@code count} loops, beginning with {@code first}; if there are fewer, loops are repeated. */
    private static List<EventLoop> loops(Vertx vertx, EventLoop first, int count) {
        Set<EventLoop> distinct = new LinkedHashSet<>();
        distinct.add(first);
        for (int call = 0; call < LOOPS_MAX && distinct.size() < count; call++) {
            distinct.add(((VertxInternal) vertx).nettyEventLoopGroup().next());
        }
        List<EventLoop> loops = new ArrayList<>(distinct);
        for (int i = 0; loops.size() < count; i++) {
            loops.add(loops.get(i));
        }
        return loops;
    }

    /** All event loops of the mode. */
    public Set<EventLoop> loops() {
        Set<EventLoop> loops = new LinkedHashSet<>(reception);
        Stream.concat(matching.stream(), emission.stream())
                .filter(EventLoop.class::isInstance)
                .forEach(loop -> loops.add((EventLoop) loop));
        return loops;
    }

    /** The system's ids of the threads of {@link #loops()}. Linux only. */
    public List<Long> threads() throws IOException {
        List<Long> threads = new ArrayList<>();
        for (EventLoop loop : loops()) {
            Future<Path> asked = loop.submit(() -> Files.readSymbolicLink(THREAD_SELF)).awaitUninterruptibly();
            if (!asked.isSuccess()) {
                throw new IOException("cannot know the numbers of threads: " + asked.cause(), asked.cause());
            }
            threads.add(Long.parseLong(asked.getNow().getFileName().toString()));
        }
        return threads;
    }

    public ModeConfig mode() {
        return mode;
    }

    /** Whether a virtual thread reads each connection, and no loop does. */
    public boolean blocks() {
        return mode.mode() == RelayConfig.Mode.THREADED;
    }

    /** The loop that reads the next new connection. */
    public EventLoop receptionOfNext() {
        return reception.get(Math.floorMod(received.getAndIncrement(), reception.size()));
    }

    /**
     * The loop that reads the ranks of this seat ({@link Shards#seat}). In mode pooled it is the loop of their shard.
     */
    public EventLoop receptionOf(int seat) {
        return reception.get(seat % reception.size());
    }

    /** The home of a shard's strand. */
    StrandExecutor matching(int shard) {
        Executor home = matching.get(shard % matching.size());
        return home instanceof EventLoop loop ? StrandExecutor.open(loop) : StrandExecutor.open(home);
    }

    /** The home of writes to a connection that {@code reader} reads; null if it has no loop. */
    public StrandExecutor emission(EventLoop reader) {
        if (blocks()) {
            return StrandExecutor.apart(emission.get(0));
        }
        if (emission.isEmpty()) {
            return StrandExecutor.open(reader);
        }
        return StrandExecutor.open(emission.get(Math.floorMod(received.get(), emission.size())));
    }

    /** Whether emission has threads of its own that share its work. */
    boolean spreadsEmission() {
        return mode.mode() == RelayConfig.Mode.PIPELINE;
    }
}
