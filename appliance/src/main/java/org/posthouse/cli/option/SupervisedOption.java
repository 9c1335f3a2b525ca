package org.posthouse.cli.option;

import java.io.IOException;
import org.posthouse.cli.terminal.ExitCode;
import org.posthouse.launch.JobRun;
import picocli.CommandLine.Option;

/** The option of launchers that {@code posthouse chaos} starts. */
public final class SupervisedOption {
    @Option(
            names = "--supervised",
            hidden = true,
            description = "Tell on the error stream how the job stands, in lines of JSON among the others, and end as if interrupted when standard"
                    + " input does.")
    private boolean supervised;

    /** Whether standard input is whoever has started this process. */
    public boolean isOn() {
        return supervised;
    }

    /** Has the job tell what it is asked to. */
    public void apply(JobRun job) {
        if (supervised) {
            job.supervise();
            Thread.ofPlatform().daemon().name("posthouse-input").start(SupervisedOption::endWithInput);
        }
    }

    private static void endWithInput() {
        awaitEndOfInput();
        System.exit(ExitCode.INTERRUPTED.status());
    }

    /** Returns when nothing more comes from whoever started this process. */
    public static void awaitEndOfInput() {
        try {
            while (System.in.read() >= 0) {
                // Only the end matters.
            }
        } catch (IOException e) {
            System.err.println("posthouse: standard input ended: " + e.getMessage());
        }
    }
}
