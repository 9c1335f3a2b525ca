package org.posthouse.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.Callable;
import org.posthouse.cli.file.TokenFile;
import org.posthouse.cli.option.AgentFolderOptions;
import org.posthouse.cli.option.CheckpointOption;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.option.HostPort;
import org.posthouse.cli.option.PartsOptions;
import org.posthouse.cli.terminal.Interruption;
import org.posthouse.launch.agent.Agent;
import org.posthouse.launch.agent.AgentSettings;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.provision.StepTask;
import org.posthouse.launch.reserve.SlotLimits;
import org.posthouse.relay.ProductVersion;
import org.posthouse.wire.AgentOffer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code posthouse join}: brings the slots of a batch job to a job. */
@Command(
        name = "join",
        description = {
            "Brings the slots of a batch job to one job, which waits for its parts with posthouse run --expect. It is run by all tasks of the batch job's step:"
                    + " by srun, mpirun, mpiexec, mpssh, or as a pod of an Indexed Job. One task of each node brings the slots of all tasks there; the others end"
                    + " at once.",
            "It ends with the job, and with its status."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  srun --no-kill --kill-on-bad-exit=0 --wait=0 \\",
            "      posthouse join june --relay login:7411 --token-file token",
            "  srun -N 4 -n 4 --no-kill --kill-on-bad-exit=0 --wait=0 \\",
            "      posthouse join june --relay login:7411 --slots 16"
        })
final class JoinCommand implements Callable<Integer> {
    @Spec
    private CommandSpec command;

    @Parameters(paramLabel = "JOB", description = "The job's name, as posthouse run --expect prints it or --job gives it.")
    private String job;

    @Option(names = "--relay", required = true, paramLabel = "HOST:PORT", converter = HostPort.Converter.class,
            description = "The --listen of the site's relay.")
    private HostPort relay;

    @Option(names = "--token-file", paramLabel = "FILE", description = "The launch token of the relay.")
    private Path tokenFile;

    @Option(
            names = "--slots",
            paramLabel = "P",
            description = "Ranks at a time for each task (default: 1; for a pod, or a process that no starter has placed, one for each processor).")
    private Integer slots;

    @Option(
            names = "--wait",
            paramLabel = "TIME",
            converter = CheckpointOption.Interval.class,
            description = "How long the job may take to come for the slots, such as 30m (default: 2h).")
    private long waitMs = PartsOptions.WAIT_MS;

    @Option(names = "--name", paramLabel = "NAME", description = "The node's name (default: that of Slurm, or the host's).")
    private String name;

    @Option(
            names = "--host-id",
            paramLabel = "ID",
            description = "What tells this host from others (default: from /etc/machine-id; for a pod, its name). Agents with the same one share a host.")
    private String host;

    @Option(names = "--label", paramLabel = "NAME=VALUE", description = "What the job can ask for with --where; may be repeated.")
    private Map<String, String> labels = new LinkedHashMap<>();

    @Option(
            names = "--allow",
            paramLabel = "USER",
            split = ",",
            description = "Users whose job the slots are for (default: the one who runs this command; for a pod, all that the relay lets in).")
    private List<String> users = List.of();

    @Mixin
    private AgentFolderOptions folders;

    @Override
    public Integer call() throws CommandFailure, InterruptedException {
        PartsOptions.requireName(command, "JOB", job);
        if (waitMs < 1) {
            throw new ParameterException(command.commandLine(), "--wait is a time from 1 ms");
        }
        StepTask task = task();
        if (!task.bringsSlots()) {
            return 0;
        }
        int brought = brought(task);
        labels.put(AgentOffer.JOB_LABEL, job);
        if (labels.size() > AgentOffer.LABELS_MAX) {
            throw new ParameterException(command.commandLine(), labels.size() + " labels with the job's, expected at most " + AgentOffer.LABELS_MAX);
        }
        String node = name != null ? name : task.node().orElseGet(Agent::hostName);
        String hostId = host != null ? host : task.isHost() ? Agent.hostName() : Agent.hostId();
        AgentSettings settings = new AgentSettings(
                relay.toString(), TokenFile.read(tokenFile), Optional.empty(), node, hostId, new SlotLimits(1, brought, brought), labels, waitMs, users(task),
                folders.folder(node), folders.stageBytes());
        System.err.println(
                "posthouse: node " + node + " joins job " + job + " with " + brought + (brought == 1 ? " slot" : " slots") + ", started by " + task.starter());
        try (Agent agent = new Agent(settings, ProductVersion.text(), line -> System.err.println("posthouse: " + line));
                Interruption interruption = Interruption.open()) {
            interruption.guard(agent::close);
            return agent.run();
        } catch (IOException e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }

    /** In a pod, the user's name says nothing. */
    private Set<String> users(StepTask task) {
        if (!users.isEmpty() || task.isHost()) {
            return Set.copyOf(users);
        }
        return Set.of(System.getProperty("user.name"));
    }

    private static StepTask task() throws CommandFailure {
        try {
            return StepTask.of(System.getenv());
        } catch (JobFailure e) {
            throw new CommandFailure("this task's place in its step is not known: " + e.getMessage(), e);
        }
    }

    private int brought(StepTask task) {
        if (slots != null && (slots < 1 || slots > AgentOffer.SLOTS_MAX)) {
            throw new ParameterException(command.commandLine(), "--slots " + slots + ", expected 1 to " + AgentOffer.SLOTS_MAX);
        }
        long all = task.slots(slots == null ? OptionalInt.empty() : OptionalInt.of(slots), Runtime.getRuntime().availableProcessors());
        if (all < 1 || all > AgentOffer.SLOTS_MAX) {
            throw new ParameterException(command.commandLine(), all + " slots of all tasks of this node, expected 1 to " + AgentOffer.SLOTS_MAX);
        }
        return (int) all;
    }
}
