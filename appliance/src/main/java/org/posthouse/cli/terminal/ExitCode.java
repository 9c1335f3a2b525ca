package org.posthouse.cli.terminal;

import org.posthouse.wire.ExitStatuses;

/** The exit statuses of all commands, each with one meaning. docs/operations.md has the same table, which a test compares. */
public enum ExitCode {
    OK(0, "the command did what it was asked; of `status`, `nodes`, `doctor`, `keys show`: nothing needs attention"),
    FAILED(1, "the command failed, in one line on standard error; of a job: a rank threw, or a relay or site is lost"),
    USAGE(2, "an option or a parameter is not understood, or out of its range; nothing was begun"),
    ATTENTION(3, "the command did its work, and found what needs attention; of `log`: the log ends in bytes that were never published"),
    DAMAGED(4, "of `log`: a record is not what was written"),
    CONNECTION(ExitStatuses.CONNECTION, "of a job: a rank's relay is gone for too long, or refuses the rank"),
    DIVERGED(ExitStatuses.DIVERGED, "of a job: a restarted rank diverged so that it cannot go on"),
    RESTART(ExitStatuses.RESTART, "of a job: a rank's relay lost something that the rank knows, and no restart is left"),
    STATE(ExitStatuses.STATE, "of a job: a rank could not save or restore its state"),
    LOST(ExitStatuses.LOST, "of a job with a folder: it is left, and can only be resumed if a relay's lost data comes back"),
    LEFT(ExitStatuses.LEFT, "of a job with a folder: it is left, and can be resumed"),
    TIMEOUT(124, "of a job: its `--timeout` is over"),
    INTERRUPTED(130, "Ctrl-C has ended the command"),
    TERMINATED(ExitStatuses.TERMINATED, "SIGTERM has ended the command, or relays closed a job whose launcher stayed away");

    private final int status;
    private final String meaning;

    ExitCode(int status, String meaning) {
        this.status = status;
        this.meaning = meaning;
    }

    /** The number that a shell sees. */
    public int status() {
        return status;
    }

    /** What it means, as in the documents. */
    public String meaning() {
        return meaning;
    }
}
