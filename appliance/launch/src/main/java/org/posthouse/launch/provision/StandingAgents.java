package org.posthouse.launch.provision;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.posthouse.causes.Causes;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.wire.Token;

/**
 * Starts agents that outlive the command which starts them. They have a label with their user; the relay's list of nodes
 * is the only record of them.
 */
public final class StandingAgents {
    /** The label's name; its value is the user that has started the agent. */
    public static final String LABEL = "posthouse.standing";

    private static final long START_SECONDS = 90;

    private StandingAgents() {}

    /** The label of agents that this user starts. */
    public static Map<String, String> label() {
        return Map.of(LABEL, System.getProperty("user.name"));
    }

    private static List<String> agent(Path program, String relay) {
        return List.of(program.toString(), "agent", "--relay", relay, "--label", LABEL + "=" + System.getProperty("user.name"));
    }

    /**
     * Runs a command on each host that leaves an agent there, all at once.
     *
     * @param template such as {@code ssh {host}}
     * @param relay the relay that the agent of a host dials, as host:port
     * @param show takes lines for people
     * @return the hosts without an agent, each in one line
     * @throws JobFailure in one line, if the template is no command
     */
    public static List<String> start(
            String template, List<HostSlots> hosts, Path program, Function<HostSlots, String> relay, Token token, Consumer<String> show) throws JobFailure {
        CommandTemplate command = CommandTemplate.parse(template);
        List<HostCommand> started = new ArrayList<>();
        List<String> without = new ArrayList<>();
        for (HostSlots host : hosts) {
            List<String> words = new ArrayList<>(agent(program, relay.apply(host)));
            words.addAll(List.of("--token-stdin", "--detach", "--name", host.host()));
            host.slots().ifPresent(slots -> words.addAll(List.of("--slots", Integer.toString(slots))));
            try {
                started.add(HostCommand.start(host, command.command(host.host(), words), token.hex(), show));
            } catch (IOException e) {
                without.add("host " + host.host() + " has no agent: '" + template + "' cannot be started: " + Causes.text(e));
            }
        }
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        for (HostCommand each : started) {
            outcome(each, template, end).ifPresent(without::add);
        }
        return without;
    }

    private static Optional<String> outcome(HostCommand command, String template, long end) throws JobFailure {
        String host = "host " + command.host().host() + " has no agent: '" + template + "' ";
        try {
            if (!command.awaitEnd(end - System.nanoTime())) {
                command.kill();
                return Optional.of(host + "has not ended within " + START_SECONDS + " s");
            }
            int status = command.await();
            String last = command.lastLine();
            return status == 0
                    ? Optional.empty()
                    : Optional.of(host + "ended with status " + status + (last.isEmpty() ? "" : ": " + last));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JobFailure("interrupted while agents were started", e);
        }
    }

    /**
     * Submits a batch job that has an agent on each of its nodes, until its time limit or until all are stopped.
     *
     * @param options of sbatch, such as {@code -N 4 -t 600}
     * @param tokenFile the launch token's file, which the nodes read
     * @return Slurm's number of the job
     * @throws JobFailure in one line, if Slurm refuses
     */
    public static String submit(String options, Path program, String relay, Path tokenFile) throws JobFailure {
        SchedulerCommands.require("sbatch");
        List<String> words = new ArrayList<>(agent(program, relay));
        words.addAll(List.of("--token-file", tokenFile.toAbsolutePath().toString()));
        List<String> quoted = words.stream().map(CommandTemplate::quoted).toList();
        String script = "exec srun --overlap --no-kill --kill-on-bad-exit=0 --wait=0 --mpi=none -N \"$SLURM_JOB_NUM_NODES\" -n \"$SLURM_JOB_NUM_NODES\""
                + " --ntasks-per-node=1 " + String.join(" ", quoted) + " --slurm-slots \"$SLURM_TASKS_PER_NODE\"";
        List<String> sbatch = new ArrayList<>(List.of("sbatch", "--parsable", "--job-name", "posthouse-agents"));
        sbatch.addAll(CommandTemplate.split(options, "--slurm"));
        sbatch.addAll(List.of("--wrap", script));
        String printed = SchedulerCommands.ask(sbatch.toArray(String[]::new));
        return printed.substring(printed.lastIndexOf('\n') + 1).replaceFirst(";.*", "");
    }

    /**
     * Creates a Kubernetes Job with agents, which runs until all are stopped.
     *
     * @param kubectl the command {@code kubectl}, perhaps with options
     * @param manifest of the Job
     * @param pods how many; 0 for as many as the manifest says
     * @param relay the agents' relay, if the manifest names none
     * @return a line for people
     * @throws JobFailure in one line, if Kubernetes refuses
     */
    public static String create(String kubectl, Path manifest, int pods, String relay) throws JobFailure {
        Kubectl command = Kubectl.of(kubectl);
        AgentsManifest read = AgentsManifest.read(command, manifest);
        String name = "posthouse-agents-" + HexFormat.of().toHexDigits(new SecureRandom().nextInt());
        ObjectNode job = read.job(name, pods, relay, List.of("--label", LABEL + "=" + System.getProperty("user.name")));
        KubernetesJob made = KubernetesJob.create(command, read.namespace(), job);
        return made + " starts " + job.path("spec").path("completions").asInt(1) + " agents; " + made.deletion() + " takes them back";
    }

    /**
     * Starts an agent as a process of its own session on this host.
     *
     * @param command the agent's command
     * @param log takes what it prints
     */
    public static Process detach(List<String> command, Token token, Path log) throws IOException {
        ProcessBuilder builder = SchedulerCommands.builder(command, Map.of());
        Process process = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
        process.getOutputStream().write((token.hex() + "\n").getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().close();
        return process;
    }
}
