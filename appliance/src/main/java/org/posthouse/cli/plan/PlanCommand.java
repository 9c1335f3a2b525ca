package org.posthouse.cli.plan;

import java.util.concurrent.Callable;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.terminal.ExitCode;
import org.posthouse.cli.terminal.OneLine;
import org.posthouse.plan.FailurePlan;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code posthouse plan}: the probability that a job fails, for each degree of replication. */
@Command(
        name = "plan",
        description = "Tells how probably a job fails, and how many copies of its ranks help, from a model of when hosts fail.",
        mixinStandardHelpOptions = true,
        footer = {"", "Status 0: done. 3: no degree reaches --target.", "", "Examples:",
            "  posthouse plan -n 64 --time 6h --lambda 0.002/h --delta 0.7 --target 1e-3",
            "  posthouse plan -n 10 --sequential 10s --lambda 0.1 --overhead 1 --json",
            "  posthouse plan -n 64 --time 6h --from-directory --relay login:7411"})
public final class PlanCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private PlanOptions options;

    @Mixin
    private HostModelOptions hosts;

    @Option(names = "--json", description = "Print the plan as JSON.")
    private boolean json;

    @Override
    public Integer call() throws CommandFailure {
        options.check(spec.commandLine());
        HostModelOptions.Hosts model = hosts.model(spec.commandLine());
        model.notes().forEach(note -> System.err.println("posthouse plan: " + OneLine.of(note)));
        PlanAnswer answer = answer(options.job(model.host(), model.pool()), model.source());
        System.out.print(json ? answer.json() + System.lineSeparator() : answer.text());
        return options.target().isPresent() && answer.smallest().isEmpty() ? ExitCode.ATTENTION.status() : 0;
    }

    private PlanAnswer answer(FailurePlan.Job job, String source) throws CommandFailure {
        try {
            return new PlanAnswer(job, source, FailurePlan.of(job), options.target(),
                    options.checkpointSeconds().map(cost -> FailurePlan.checkpoints(job, cost)));
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(e.getMessage() + "; name more with --uptime", e);
        }
    }
}
