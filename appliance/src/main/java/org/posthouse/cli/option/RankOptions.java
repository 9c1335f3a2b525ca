package org.posthouse.cli.option;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.output.OutputCopies;
import org.posthouse.launch.output.RankOutput;
import picocli.CommandLine.Option;

/** Options that mpirun has too: variables of ranks, copies of their output, and a limit of the job's time. */
public final class RankOptions {
    @Option(
            names = "-x",
            paramLabel = "VAR[=VALUE]",
            description = "A variable of the ranks, with this value or with the one that it has here; may be repeated.")
    private List<String> variables = List.of();

    @Option(
            names = "--output",
            paramLabel = "DIR",
            description = "A new or empty folder for copies of what ranks print: rank-N.out and rank-N.err, without tags.")
    private Path output;

    @Option(names = "--timeout", paramLabel = "SECONDS", description = "End the job after this time, with status 124; 0: never (default: 0).")
    private int timeoutSeconds;

    /** Variables of the ranks. @param own those of this command */
    public Map<String, String> environment(Map<String, String> own) throws CommandFailure {
        Map<String, String> set = new HashMap<>();
        for (String variable : variables) {
            int at = variable.indexOf('=');
            String name = at < 0 ? variable : variable.substring(0, at);
            if (name.isEmpty()) {
                throw new CommandFailure("-x '" + variable + "', expected VAR or VAR=VALUE");
            }
            if (at < 0 && !own.containsKey(name)) {
                throw new CommandFailure("-x " + name + ": this command has no such variable; give -x " + name + "=VALUE");
            }
            set.put(name, at < 0 ? own.get(name) : variable.substring(at + 1));
        }
        return set;
    }

    /** The same output, copied to the folder if there is one. */
    public RankOutput copied(RankOutput shown) throws JobFailure {
        if (output != null) {
            try {
                shown.copyTo(OutputCopies.in(output));
            } catch (IOException e) {
                throw new JobFailure(e.getMessage(), e);
            }
        }
        return shown;
    }

    /** Refuses values that cannot be, before anything is begun. */
    public void check() throws CommandFailure {
        if (timeoutSeconds < 0) {
            throw new CommandFailure("--timeout " + timeoutSeconds + ", expected seconds from 0");
        }
    }

    /** For how long the job may run, in seconds; empty: without a limit. */
    public Optional<Integer> timeoutSeconds() {
        return timeoutSeconds == 0 ? Optional.empty() : Optional.of(timeoutSeconds);
    }
}
