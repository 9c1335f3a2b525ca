package org.posthouse.mpj;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.posthouse.mpj.checkpoint.OutputOffset;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.ExitStatuses;

/** Ends this rank's process when the job or its connection ends: one line on standard error, then a status. */
class ProcessExit {
    /** Beginning of the text of a CANNOT_RESUME that asks for a restart. */
    private static final String RESTART = "restart";

    private final int rank;

    ProcessExit(int rank) {
        this.rank = rank;
    }

    /** Another rank or the launcher ended the job. This rank prints nothing, because the launcher gives the reason. */
    void aborted(CloseNotice closeNotice) {
        exit(closeNotice.code());
    }

    void refused(String relay, CloseNotice why) {
        say("rank " + rank + ": the relay at " + relay + " closed the connection: " + why.words() + "; "
                + why.reason().advice());
        exitAlone(status(why));
    }

    private static int status(CloseNotice why) {
        return switch (why.reason()) {
            case DIVERGED -> ExitStatuses.DIVERGED;
            case LAGGED -> ExitStatuses.RESTART;
            case CANNOT_RESUME -> why.text().startsWith(RESTART) ? ExitStatuses.RESTART : ExitStatuses.CONNECTION;
            default -> ExitStatuses.CONNECTION;
        };
    }

    void lost(String relay, IOException cause) {
        say("rank " + rank + ": the connection to the relay at " + relay + " broke: " + cause.getMessage());
        exitAlone(ExitStatuses.CONNECTION);
    }

    /**
     * Ends a failed Init.
     *
     * @param cause names the relay
     */
    void unreached(IOException cause) {
        say("rank " + rank + ": " + cause.getMessage());
        exit(ExitStatuses.CONNECTION);
    }

    void gaveUp(String why) {
        say("rank " + rank + ": " + why);
        exit(ExitStatuses.STATE);
    }

    /** The program does not do what it did before; the end follows. */
    void diverged(String how) {}

    /** Prints the last line of a process that may be replaced by another. */
    void say(String line) {
        PrintGate.shut();
        PrintGate.lastWords(line);
    }

    /**
     * Ends the process in {@code ms}, whatever its threads do. If no other thread can start, the process must end by
     * itself.
     */
    void exitLater(int status, long ms) {
        try {
            Thread later = new Thread(
                    () -> {
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(ms));
                        exit(status);
                    },
                    "posthouse-exit");
            later.setDaemon(true);
            later.start();
        } catch (OutOfMemoryError e) {
            // The lack of threads is often the reason for the end.
        }
    }

    /** Ends this process, and not its job, which may start another one. */
    void exitAlone(int status) {
        exit(status);
    }

    /** Ends the process at once. The program's own shutdown hooks do not run, because its state is no longer valid. */
    void exit(int status) {
        try {
            PrintGate.lift();
            if (PrintGate.isFree()) {
                OutputOffset.flushAll();
            }
            LauncherGuard.release();
        } finally {
            Runtime.getRuntime().halt(status);
        }
    }
}
