package org.posthouse.relay.threads;

import io.netty.channel.EventLoop;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

/** The home of a {@link Strand}: where its work runs, and which other threads may run it. */
public interface StrandExecutor extends Executor {
    /** Whether the calling thread may run the work at once. */
    boolean admits();

    /**
     * Whether the calling thread is this place's own and is processing its sockets. Work that it submits then runs
     * after all sockets that are ready.
     */
    boolean passes();

    /** This event loop only, for work that is confined to it. */
    static StrandExecutor confined(EventLoop loop) {
        return place(loop, loop::inEventLoop, () -> false);
    }

    /** Any thread that comes first, and {@code executor} after a long visit. */
    static StrandExecutor open(Executor executor) {
        return place(executor, () -> true, () -> false);
    }

    /** The same, with the loop's own thread processing its sockets in passes. */
    static StrandExecutor open(EventLoop loop) {
        return place(loop, () -> true, loop::inEventLoop);
    }

    /** Only threads of {@code executor}, for work that may block. */
    static StrandExecutor apart(Executor executor) {
        return place(executor, () -> false, () -> false);
    }

    private static StrandExecutor place(Executor executor, BooleanSupplier admits, BooleanSupplier passes) {
        return new StrandExecutor() {
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
