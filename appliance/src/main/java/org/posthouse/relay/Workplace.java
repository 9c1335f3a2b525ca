package org.posthouse.relay;

import io.netty.channel.EventLoop;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

/** Where a {@link Strand}'s work is done, and by whom else. */
interface Workplace extends Executor {
    /** Whether the calling thread may do the work on the spot. */
    boolean admits();

    /** Whether the calling thread is this place's own, and goes through its sockets: what it hands in is done behind all that are ready. */
    boolean passes();

    /** This event loop and nobody else: for what is confined to it. */
    static Workplace confined(EventLoop loop) {
        return place(loop, loop::inEventLoop, () -> false);
    }

    /** Whoever comes first, and {@code executor} when he has done enough. */
    static Workplace open(Executor executor) {
        return place(executor, () -> true, () -> false);
    }

    /** The same; and the loop's own thread has passes over its sockets. */
    static Workplace open(EventLoop loop) {
        return place(loop, () -> true, loop::inEventLoop);
    }

    /** Only {@code executor}'s threads: for work that may block. */
    static Workplace apart(Executor executor) {
        return place(executor, () -> false, () -> false);
    }

    private static Workplace place(Executor executor, BooleanSupplier admits, BooleanSupplier passes) {
        return new Workplace() {
            @Override
            public boolean admits() {
                return admits.getAsBoolean();
            }

            @Override
            public boolean passes() {
                return passes.getAsBoolean();
            }

            @Override
            public void execute(Runnable work) {
                executor.execute(work);
            }
        };
    }
}
