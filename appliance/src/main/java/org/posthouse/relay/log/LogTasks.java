package org.posthouse.relay.log;

import java.util.function.Consumer;
import org.posthouse.logstore.file.LogException;
import org.posthouse.relay.threads.FatalErrorExit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work with the log and images on threads of their own. Each failure is reported to the waiting caller, because nothing
 * else would report it.
 */
public final class LogTasks {
    private static final Logger LOG = LoggerFactory.getLogger(LogTasks.class);

    private LogTasks() {}

    /**
     * Runs {@code work}.
     *
     * @param what what fails if the work fails, as the beginning of a sentence in the relay's log
     * @param whose the rank, for the message
     * @param onFailure receives the cause, for people
     */
    public static void attempt(String what, Object whose, Runnable work, Consumer<String> onFailure) {
        try {
            work.run();
        } catch (LogException e) {
            LOG.warn("{} {}: {}", what, whose, e.getMessage());
            onFailure.accept(e.getMessage());
        } catch (RuntimeException | InternalError e) {
            String why = words(e);
            LOG.error("{} {}: {}", what, whose, why, e);
            onFailure.accept(why);
        } catch (VirtualMachineError e) {
            FatalErrorExit.report(e); // The thread's executor would not report it.
            throw e;
        }
    }

    /** Java throws InternalError for a mapped page that the system cannot supply. */
    private static String words(Throwable failure) {
        return failure instanceof InternalError
                ? "a page of the log cannot be read (" + failure.getMessage() + "); check the disk, and restore the relay's data folder from a copy"
                : "a fault in this program (" + failure + "); report it with the relay's log";
    }
}
