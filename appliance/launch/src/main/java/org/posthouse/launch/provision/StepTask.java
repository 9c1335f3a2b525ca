package org.posthouse.launch.provision;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.posthouse.launch.job.JobFailure;

/**
 * This process's place among those that a batch script has started on its nodes, as their starter's variables say it. One
 * process of each node brings the slots of all, so that each slot is counted once and a node has one agent.
 *
 * @param starter who has started the processes, for people
 * @param localRank of the process on its node, from 0
 * @param localSize processes of the node; empty: not known, so each brings its own slots
 * @param slotsEach slots of a process unless the user says otherwise; empty: one for each processor
 * @param node the node's name; empty: the host's
 * @param isHost whether the process is a host of its own, whatever its machine's identity is
 */
public record StepTask(String starter, int localRank, OptionalInt localSize, OptionalInt slotsEach, Optional<String> node, boolean isHost) {
    private static final int NUMBER_DIGITS_MAX = 7;

    /**
     * Reads the variables of mpirun (Open MPI), mpiexec (MPICH, Intel), srun (Slurm), another starter with PMI, or an
     * Indexed Job (Kubernetes). The starter that is nearest to the process is asked first: mpirun itself starts its
     * processes by srun, and each of them inherits the variables of the batch job.
     *
     * @throws JobFailure in one line, if a variable has a value that the starter does not give it
     */
    public static StepTask of(Map<String, String> variables) throws JobFailure {
        Variables own = new Variables(variables);
        if (own.has("OMPI_COMM_WORLD_LOCAL_RANK")) {
            return own.local("mpirun", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE");
        }
        if (own.has("MPI_LOCALRANKID")) {
            return own.local("mpiexec", "MPI_LOCALRANKID", "MPI_LOCALNRANKS");
        }
        if (own.has("SLURM_STEP_ID") && own.has("SLURM_LOCALID")) {
            return own.ofStep();
        }
        if (own.has("PMI_RANK")) {
            own.number("PMI_RANK");
            return new StepTask("a starter with PMI", 0, OptionalInt.empty(), OptionalInt.of(1), Optional.empty(), false);
        }
        if (own.has("SLURM_JOB_ID")) {
            return own.ofBatchScript();
        }
        if (own.has("JOB_COMPLETION_INDEX")) {
            int index = own.number("JOB_COMPLETION_INDEX");
            return new StepTask("pod " + index + " of an Indexed Job", 0, OptionalInt.of(1), OptionalInt.empty(), Optional.empty(), true);
        }
        return new StepTask("a shell", 0, OptionalInt.of(1), OptionalInt.empty(), Optional.empty(), false);
    }

    /** Whether this process brings slots; another of its node brings them otherwise. */
    public boolean bringsSlots() {
        return localRank == 0 || localSize.isEmpty();
    }

    /**
     * The slots that this process brings.
     *
     * @param each slots of each process, as the user says; empty: the starter's
     * @param processors of this host
     */
    public int slots(OptionalInt each, int processors) {
        return localSize.orElse(1) * each.orElse(slotsEach.orElse(processors));
    }

    /** A starter's variables. */
    private record Variables(Map<String, String> all) {
        boolean has(String name) {
            return !all.getOrDefault(name, "").isEmpty();
        }

        int number(String name) throws JobFailure {
            String value = all.getOrDefault(name, "");
            if (!value.matches("[0-9]{1," + NUMBER_DIGITS_MAX + "}")) {
                throw new JobFailure(name + " is \"" + AgentOutput.printable(value) + "\", expected a number from 0");
            }
            return Integer.parseInt(value);
        }

        StepTask local(String starter, String rank, String size) throws JobFailure {
            int local = number(rank);
            OptionalInt count = has(size) ? OptionalInt.of(number(size)) : OptionalInt.empty();
            if (count.isPresent() && local >= count.getAsInt()) {
                throw new JobFailure(rank + " is " + local + ", expected less than " + size + ", which is " + count.getAsInt());
            }
            return new StepTask(starter, local, count, OptionalInt.of(1), Optional.empty(), false);
        }

        /** A task of srun. Slurm says the tasks of all nodes of the step, and which of them this node is. */
        StepTask ofStep() throws JobFailure {
            int local = number("SLURM_LOCALID");
            String name = has("SLURM_STEP_TASKS_PER_NODE") ? "SLURM_STEP_TASKS_PER_NODE" : "SLURM_TASKS_PER_NODE";
            OptionalInt size = has(name) && has("SLURM_NODEID") ? OptionalInt.of(tasks(name)) : OptionalInt.empty();
            if (size.isPresent() && local >= size.getAsInt()) {
                throw new JobFailure("SLURM_LOCALID is " + local + ", and " + name + " says " + size.getAsInt() + " tasks for this node");
            }
            return new StepTask("srun", local, size, OptionalInt.of(1), Optional.ofNullable(all.get("SLURMD_NODENAME")), false);
        }

        /** The batch script itself, on the first node of its job: the slots are that node's alone. */
        StepTask ofBatchScript() throws JobFailure {
            OptionalInt tasks = has("SLURM_TASKS_PER_NODE") ? OptionalInt.of(tasks("SLURM_TASKS_PER_NODE")) : OptionalInt.empty();
            return new StepTask("a batch script without srun", 0, OptionalInt.of(1), tasks, Optional.ofNullable(all.get("SLURMD_NODENAME")), false);
        }

        /** Tasks of this node. */
        private int tasks(String name) throws JobFailure {
            int node = has("SLURM_NODEID") ? number("SLURM_NODEID") : 0;
            try {
                List<Integer> tasks = SlurmTasks.parse(all.get(name));
                if (node >= tasks.size()) {
                    throw new JobFailure("SLURM_NODEID is " + node + ", and " + name + " has " + tasks.size() + " nodes");
                }
                return tasks.get(node);
            } catch (IllegalArgumentException e) {
                throw new JobFailure(name + ": " + e.getMessage(), e);
            }
        }
    }
}
