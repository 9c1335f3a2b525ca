package org.posthouse.relay;

import io.netty.channel.EventLoop;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

/** Where a {@link Strand}'s work is done, and by whom else. */
interface Workplace extends Executor {
    /** Whether the calling thread may do the work on the spot. */
    boolean admits();

    /** Whether the calling thread is this place's own, and goes through its sockets: what it hands in is done behind all that are ready. */
    default boolean passes() {
        return false;
    }

    /** This event loop and nobody else: for what is confined to it. */
    static Workplace confined(EventLoop loop) {
        return place(loop, loop::inEventLoop);
    }

    /** Whoever comes first, and {@code executor} when he has done enough. */
    static Workplace open(Executor executor) {
        return place(executor, () -> true);
    }

    /** The same; and the loop's own thread has passes over its sockets. */
    static Workplace open(EventLoop loop) {
        return new Workplace() {
            @Override
            public boolean admits() {
                return true;
            }

            @Override
            public void execute(Runnable work) {
                loop.execute(work);
            }

            @Override
            public boolean passes() {
                return loop.inEventLoop();
            }
        };
    }

    /** Only {@code executor}'s threads: for work that may block. */
    static Workplace apart(Executor executor) {
        return place(executor, () -> false);
    }

    private static Workplace place(Executor executor, BooleanSupplier admits) {
        return new Workplace() {
            @Override
            public boolean admits() {
                return admits.getAsBoolean();
            }

            @Override
            public void execute(Runnable work) {
                executor.execute(work);
            }
        };
    }
}
