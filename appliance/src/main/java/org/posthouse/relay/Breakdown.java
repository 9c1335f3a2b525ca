package org.posthouse.relay;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of a process whose JVM has failed in the middle of something (a {@link VirtualMachineError}, as a rule for want of memory). What was half done would stay so:
 * a message that is logged and that nobody delivers, say, over a connection that is well. So the process ends before anything else is done, as if by kill -9, and a relay that is
 * started again on its log knows what was. The JVM itself sees to that only where it finds itself that memory is missing (ExitOnOutOfMemoryError). Thread-safe.
 */
public final class Breakdown {
    /** The JVM's own status for that. */
    private static final int STATUS = 3;

    private Breakdown() {}

    /** Made when it is used: a command that has nothing to log starts no logging. */
    private static final class Log {
        static final Logger OF_FAULTS = LoggerFactory.getLogger(Breakdown.class);
    }

    /** Has this process end by it, whichever thread it is that fails. */
    public static void endsTheProcess() {
        Thread.setDefaultUncaughtExceptionHandler((thread, fault) -> {
            if (fault instanceof VirtualMachineError) {
                end(thread, fault);
            } else {
                Log.OF_FAULTS.error("thread {} failed", thread.getName(), fault);
            }
        });
    }

    /** Has what tells of it loaded while there is memory: of a process that logs in any case. */
    static void prepare() {
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

    /** A fault is for the thread's handler, while the thread goes on; or it does not, see above. */
    static void report(Throwable fault) {
        Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, fault);
    }
}
