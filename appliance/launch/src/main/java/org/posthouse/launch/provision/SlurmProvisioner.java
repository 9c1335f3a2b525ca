package org.posthouse.launch.provision;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.posthouse.causes.Causes;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.wire.Token;

/**
 * Brings an agent to each node of a Slurm allocation, as one job step. It has one grant, of all nodes. Guarded by itself;
 * events come from threads of their own, without a lock.
 *
 * <p>The token is the first line of srun's standard input, which srun hands to all tasks. The end of this input ends all
 * agents. A step whose srun has died is cancelled.
 */
public final class SlurmProvisioner implements Provisioner {
    private static final Duration GRACE = Duration.ofSeconds(10);
    private static final Pattern OF_TASK = Pattern.compile("([0-9]{1,6}): (.*)");

    private final SlurmAllocation allocation;
    private final List<String> agent;
    private final Token token;
    private final String step;
    private final AgentOutput output;
    private final List<Consumer<HostLost>> listeners = new CopyOnWriteArrayList<>();
    /** Written by the thread that requests, before srun starts; read by the reader of its output too. */
    private volatile List<HostSlots> hosts = List.of();
    private HostCommand srun;

    private SlurmProvisioner(SlurmAllocation allocation, List<String> agent, Token token, String step, Consumer<String> show) {
        this.allocation = allocation;
        this.agent = agent;
        this.token = token;
        this.step = step;
        this.output = new AgentOutput(this::labelled, show);
    }

    /**
     * One for an allocation, which it closes with itself. Nothing is started yet.
     *
     * @param agent the agent's command, which reads its token from its standard input, and its name and slots from
     *     Slurm's variables
     * @param step a name for the job step that no other has
     */
    public static SlurmProvisioner of(SlurmAllocation allocation, List<String> agent, Token token, String step, Consumer<String> show) {
        return new SlurmProvisioner(allocation, agent, token, step, show);
    }

    @Override
    public void listen(Consumer<HostLost> listener) {
        listeners.add(listener);
    }

    @Override
    public synchronized HostGrant request(HostRequest request) throws JobFailure {
        if (srun != null || !request.equals(HostRequest.ALL)) {
            throw new JobFailure("the nodes of a Slurm allocation are granted once and together");
        }
        SchedulerCommands.require("srun");
        List<String> nodes = allocation.nodes();
        if (nodes.size() != allocation.tasks().size()) {
            throw new JobFailure("Slurm's job " + allocation.job() + " has " + nodes.size() + " nodes and SLURM_TASKS_PER_NODE=" + allocation.tasksPerNode());
        }
        List<HostSlots> found = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            found.add(new HostSlots(nodes.get(i), OptionalInt.of(allocation.tasks().get(i)), OptionalInt.empty(), Optional.empty()));
        }
        hosts = List.copyOf(found);
        try {
            HostSlots all = new HostSlots("srun", OptionalInt.empty(), OptionalInt.empty(), Optional.empty());
            srun = HostCommand.start(all, SchedulerCommands.builder(command(nodes.size()), allocation.environment()), token.hex(), output);
        } catch (IOException e) {
            throw new JobFailure("srun cannot be started: " + Causes.text(e), e);
        }
        HostCommand started = srun;
        Thread.ofVirtual().name("posthouse-srun-end").start(() -> watch(started));
        return new HostGrant(1, hosts);
    }

    private List<String> command(int nodes) {
        List<String> command = new ArrayList<>(List.of(
                "srun", "--jobid", allocation.job(), "--job-name", step, "--overlap", "--no-kill", "--kill-on-bad-exit=0", "--wait=0", "--label",
                "--input=all", "--mpi=none", "-N", Integer.toString(nodes), "-n", Integer.toString(nodes), "--ntasks-per-node=1"));
        command.addAll(agent);
        return command;
    }

    /** The nodes' lines have their nodes before them, as those of other agents have. */
    private String labelled(String line) {
        Matcher task = OF_TASK.matcher(line);
        if (task.matches() && Integer.parseInt(task.group(1)) < hosts.size()) {
            return "[" + hosts.get(Integer.parseInt(task.group(1))).host() + "] " + task.group(2);
        }
        return line;
    }

    private void watch(HostCommand started) {
        try {
            int status = started.await();
            List<HostSlots> all;
            synchronized (this) {
                if (srun != started) {
                    return; // Released.
                }
                srun = null;
                all = hosts;
            }
            cancelStep();
            String last = reason();
            String text = "the nodes of Slurm's job " + allocation.job() + " have no agents any more: srun ended with status " + status
                    + (last.isEmpty() ? "" : ": " + last);
            for (HostSlots host : all) {
                listeners.forEach(listener -> listener.accept(new HostLost(1, host.host(), status, last, text, false)));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Slurm's own word for it, if there is one, such as CANCELLED AT … DUE TO TIME LIMIT. */
    private String reason() {
        List<String> last = output.last();
        return last.stream().filter(line -> line.contains(" CANCELLED AT ")).findFirst().orElse(last.isEmpty() ? "" : last.getLast());
    }

    /** Of the allocation's steps the one with this name, if it is left. */
    private void cancelStep() {
        try {
            for (String line : SchedulerCommands.ask("squeue", "-h", "-s", "-j", allocation.job(), "-o", "%i %j").lines().toList()) {
                if (line.endsWith(" " + step)) {
                    SchedulerCommands.ask("scancel", line.substring(0, line.indexOf(' ')));
                }
            }
        } catch (JobFailure e) {
            // The job is gone, and its steps with it.
            assert e.getMessage() != null;
        }
    }

    @Override
    public void release(HostGrant grant) {
        HostCommand ending;
        synchronized (this) {
            ending = srun;
            srun = null;
        }
        if (ending == null) {
            return;
        }
        ending.closeInput();
        try {
            if (ending.awaitEnd(TimeUnit.MILLISECONDS.toNanos(GRACE.toMillis()))) {
                ending.await();
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // No grace.
        }
        cancelStep();
        try {
            ending.kill();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // It was killed, and nobody waits for its end.
        }
    }

    /** Ends the agents, and the allocation if it was asked for. */
    @Override
    public void close() {
        release(new HostGrant(1, hosts));
        allocation.close();
    }
}
