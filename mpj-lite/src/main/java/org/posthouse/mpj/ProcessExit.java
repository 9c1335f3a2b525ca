package org.posthouse.mpj;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.ExitStatuses;

/** How this rank's process ends when the job or its connection does: one line on standard error, then a status. */
class ProcessExit {
    /** How the text of a CANNOT_RESUME begins that asks for that. */
    private static final String RESTART = "restart";

    private final int rank;

    ProcessExit(int rank) {
        this.rank = rank;
    }

    /** Another rank or the launcher ended the job; the launcher tells why, so this rank is silent. */
    void aborted(CloseNotice closeNotice) {
        exit(closeNotice.code());
    }

    void refused(String relay, CloseNotice why) {
        say("rank " + rank + ": the relay at " + relay + " closed the connection: " + why.reason() + ": " + why.text() + "; "
                + why.reason().advice());
        exit(why.reason() == CloseReason.CANNOT_RESUME && why.text().startsWith(RESTART) ? ExitStatuses.RESTART : ExitStatuses.CONNECTION);
    }

    void lost(String relay, IOException cause) {
        say("rank " + rank + ": the connection to the relay at " + relay + " broke: " + cause.getMessage());
        exit(ExitStatuses.CONNECTION);
    }

    /** Init ends in this. @param cause names the relay */
    void unreached(IOException cause) {
        say("rank " + rank + ": " + cause.getMessage());
        exit(ExitStatuses.CONNECTION);
    }

    void gaveUp(String why) {
        say("rank " + rank + ": " + why);
        exit(ExitStatuses.STATE);
    }

    /** The last words of a process in whose place another may be started. */
    void say(String line) {
        PrintGate.shut();
        PrintGate.lastWords(line);
    }

    /** Ends the process in {@code ms}, whatever its threads do; not if there can be no other thread: its own will have to end it. */
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
            // That is often why it ends.
        }
    }

    /** Ends the process at once; the program's own shutdown hooks do not run, as its state is no longer of use. */
    void exit(int status) {
        try {
            PrintGate.lift();
            if (PrintGate.isFree()) {
                OutputOffset.flushAll();
            }
        } finally {
            Runtime.getRuntime().halt(status);
        }
    }
}
