package org.posthouse.cli;

import java.nio.file.Path;
import org.posthouse.cli.terminal.ExitCode;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.wire.ExitStatuses;

/** The closing messages of a command about the job that it has run, once nothing of the job is left here. */
final class Epilogue {
    private Epilogue() {}

    /** Prints how to continue a job that was left, before an interrupted command ends. */
    static void tellLeft(JobOutcome outcome, Path folder) {
        if (outcome.left() && outcome.status() == ExitStatuses.LOST) {
            System.err.println("posthouse: the job cannot be gone on with as things are: " + outcome.cause()
                    + ". Bring that back, start the relay with it, and call posthouse resume "
                    + folder + "; if it is gone for good, posthouse resume --end " + folder + " ends the job. What its ranks have printed is in the folder");
        } else if (outcome.left()) {
            System.err.println("posthouse: the job stands still: " + outcome.cause() + "; posthouse resume " + folder
                    + " goes on with it, and posthouse resume --end " + folder + " ends it");
        }
    }

    /** @return the command's exit status */
    static int tell(JobOutcome outcome) {
        int divergences = outcome.divergences().size();
        if (divergences > 0) {
            System.err.println("posthouse: the job's result may be another than without restarts: what ranks did again differs from"
                    + " what they had done, at least " + (divergences == 1 ? "once" : divergences + " times") + ": " + outcome.divergences().get(0)
                    + "; of clocks and random numbers only MPI.Wtime and MPI.Random are the same again, and what is sent"
                    + " behind Checkpoint.restored() may not tell whether it was");
        }
        tellPrints(outcome);
        if (!outcome.left() && !outcome.cause().isEmpty()) {
            System.err.println("posthouse: job ended: " + outcome.cause());
        }
        return exitStatus(outcome);
    }

    private static void tellPrints(JobOutcome outcome) {
        int times = outcome.printedOther().size();
        if (times > 0) {
            System.err.println("posthouse: ranks that were started again printed something else than before, at least "
                    + (times == 1 ? "once" : times + " times") + ", so their output may have lines twice or of both: " + outcome.printedOther().get(0)
                    + (outcome.divergences().isEmpty() ? "; in the messages that they sent again no difference was found" : ""));
        }
    }

    /** A shell sees the lowest byte only; a job that failed must not look as if it had not. */
    private static int exitStatus(JobOutcome outcome) {
        boolean hidden = !outcome.isSuccess() && (outcome.status() & 0xff) == 0;
        return hidden ? ExitCode.FAILED.status() : outcome.status();
    }
}
