package org.posthouse.launch.install;

import java.util.concurrent.TimeUnit;

/** How a child process of the product is ended. */
public final class ChildEnd {
    private static final long LEAVE_SECONDS = 10;

    private ChildEnd() {}

    /** Asks it to stop, and kills it if it does not in time, or if the wait is interrupted. Does nothing for null. */
    public static void end(Process process) {
        if (process == null) {
            return;
        }
        process.destroy();
        try {
            if (!process.waitFor(LEAVE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
