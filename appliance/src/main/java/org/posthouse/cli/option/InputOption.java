package org.posthouse.cli.option;

import org.posthouse.launch.job.RankStreams;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The ranks that read this command's standard input. */
public final class InputOption {
    private static final String NONE = "none";
    private static final String ALL = "all";

    @Option(
            names = "--stdin",
            paramLabel = "RANK",
            description = "The rank that reads this command's standard input; none: nobody; all: each rank reads all of it (default: 0).")
    private String who = "0";

    /** See {@link RankStreams#input}. @throws ParameterException if that is no rank of so many */
    public int ranks(CommandSpec command, int ranks) {
        if (who.equals(NONE)) {
            return RankStreams.NO_INPUT;
        }
        if (who.equals(ALL)) {
            return RankStreams.ALL_INPUT;
        }
        if (!who.matches("\\d{1,9}") || Integer.parseInt(who) >= ranks) {
            throw new ParameterException(command.commandLine(), "--stdin " + who + ", expected a rank from 0 to " + (ranks - 1) + ", none or all");
        }
        return Integer.parseInt(who);
    }
}
