package org.posthouse.cli.jobs;

import picocli.CommandLine.Command;

/** {@code posthouse jobs}: the jobs of a running relay. Without a word behind it, it lists them. */
@Command(
        name = "jobs",
        description = "Lists and shows the jobs that are open at a running relay, ends them, and asks for their checkpoints.",
        mixinStandardHelpOptions = true,
        subcommands = {JobsCommand.Ls.class, JobsShowCommand.class, JobsAbortCommand.class, JobsCheckpointCommand.class, JobsOutputCommand.class},
        footer = {"", "Examples:", "  posthouse jobs", "  posthouse jobs ls --json", "  posthouse jobs show 4f1c09a2b3d4e5f6"})
public final class JobsCommand extends JobsListing {
    /** {@code posthouse jobs ls}. */
    @Command(
            name = "ls",
            description = "Lists the jobs that are open at a running relay: whose they are, what they keep of its log, and until when.",
            mixinStandardHelpOptions = true,
            footer = {"", "Examples:", "  posthouse jobs ls", "  posthouse jobs ls --ops 127.0.0.1:7423 --json"})
    static final class Ls extends JobsListing {}
}
