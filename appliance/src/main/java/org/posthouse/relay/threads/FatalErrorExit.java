package org.posthouse.relay.threads;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the process when the JVM has failed in the middle of work (a {@link VirtualMachineError}, usually for want of
 * memory). Half-done work would stay so; for instance, a message could be logged and never delivered, although its
 * connection is intact. The process therefore ends at once, as by kill -9, and a relay that restarts on its log
 * recovers. The JVM does this by itself only where it detects the want of memory (ExitOnOutOfMemoryError). Thread-safe.
 */
public final class FatalErrorExit {
    /** The JVM's own exit status for this. */
    private static final int STATUS = 3;

    private FatalErrorExit() {}

    /** Created on first use, so that a command that logs nothing does not initialise logging. */
    private static final class Log {
        static final Logger OF_FAULTS = LoggerFactory.getLogger(FatalErrorExit.class);
    }

    /** Ends the process on such a failure in any thread. */
    public static void endsTheProcess() {
        Thread.setDefaultUncaughtExceptionHandler((thread, fault) -> {
            if (fault instanceof VirtualMachineError) {
                end(thread, fault);
            } else {
                Log.OF_FAULTS.error("thread {} failed", thread.getName(), fault);
            }
        });
    }

    /** Loads the logging classes while there is memory; for processes that log in any case. */
    public static void prepare() {
        Log.OF_FAULTS.isErrorEnabled();
    }

    private static void end(Thread thread, Throwable fault) {
        try {
            Log.OF_FAULTS.error(
                    "this process ends at once, with status {}: thread {} failed: {}; start it again: a relay's logged jobs go on from its --data. If it is for want"
                            + " of memory, see docs/operations.md, the memory of a relay, and POSTHOUSE_RELAY_FLAGS",
                    STATUS, thread.getName(), fault.toString(), fault);
        } finally {
            Runtime.getRuntime().halt(STATUS);
        }
    }

    /**
     * Passes a fault to the thread's uncaught-exception handler. The thread continues, unless the handler ends the
     * process.
     */
    public static void report(Throwable fault) {
        Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, fault);
    }
}
