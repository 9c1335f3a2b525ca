package org.posthouse.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.terminal.ExitCode;
import org.posthouse.cli.terminal.Interruption;
import org.posthouse.demo.Demo;
import org.posthouse.launch.job.JobFailure;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code posthouse demo}. */
@Command(
        name = "demo",
        description = "Starts two sites on this host, runs the examples over both, kills a rank or a node of each and in heat a relay, and draws what"
                + " happened.",
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  posthouse demo", "  posthouse demo --keep ring heat", "  posthouse demo --nodes 2"})
final class DemoCommand implements Callable<Integer> {
    @Option(names = "--keep", description = "Leave the relays and the console up until Ctrl-C.")
    private boolean keep;

    @Option(
            names = "--relays-per-site",
            defaultValue = "1",
            paramLabel = "K",
            description = "Relay processes of each site, at most " + Demo.RELAYS_PER_SITE_MAX + " (default: ${DEFAULT-VALUE}).")
    private int relaysPerSite;

    @Option(
            names = "--nodes",
            defaultValue = "0",
            paramLabel = "N",
            description = "Agents of each site, 2 to " + Demo.NODES_MAX + ", on which the ranks run; each job then loses a node, not a rank;"
                    + " 0: ranks run beside this command (default: ${DEFAULT-VALUE}).")
    private int nodes;

    @Parameters(paramLabel = "EXAMPLE", description = "Only these examples, such as ring heat, in the order of all (default: all).")
    private List<String> examples = List.of();

    @Spec
    private CommandSpec command;

    @Override
    public Integer call() throws CommandFailure, InterruptedException {
        if (relaysPerSite < 1 || relaysPerSite > Demo.RELAYS_PER_SITE_MAX) {
            throw new ParameterException(
                    command.commandLine(),
                    "--relays-per-site " + relaysPerSite + ", expected 1 to " + Demo.RELAYS_PER_SITE_MAX);
        }
        if (nodes < 0 || nodes == 1 || nodes > Demo.NODES_MAX) {
            throw new ParameterException(command.commandLine(), "--nodes " + nodes + ", expected 2 to " + Demo.NODES_MAX + " agents of each site");
        }
        for (String example : examples) {
            if (!Demo.examples().contains(example)) {
                throw new ParameterException(
                        command.commandLine(), "\"" + example + "\" is no example of the demo, expected " + String.join(", ", Demo.examples()));
            }
        }
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        try (Interruption interruption = Interruption.open();
                Demo demo = Demo.start(out, relaysPerSite, nodes, interruption.cancellation())) {
            boolean verified = demo.runJobs(examples, interruption::guardNext);
            out.println(verified ? "Every job verified." : "Not every job verified.");
            if (keep) {
                out.println("The console is at " + demo.console() + " until you press Ctrl-C.");
                interruption.await();
            }
            return verified ? 0 : ExitCode.FAILED.status();
        } catch (IOException | JobFailure e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }
}
