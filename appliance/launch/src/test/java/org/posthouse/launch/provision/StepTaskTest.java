package org.posthouse.launch.provision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.launch.job.JobFailure;

class StepTaskTest {
    private static final int PROCESSORS = 48;

    private static Map<String, String> variables(String words) {
        Map<String, String> variables = new HashMap<>();
        for (String word : words.isEmpty() ? new String[0] : words.split(" ")) {
            String[] both = word.split("=", 2);
            variables.put(both[0], both[1]);
        }
        return variables;
    }

    /** What this process brings, or 0 if another brings it. */
    private static int brought(StepTask task, int each) {
        return task.bringsSlots() ? task.slots(each == 0 ? OptionalInt.empty() : OptionalInt.of(each), PROCESSORS) : 0;
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            # srun: each task is a slot
            SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_LOCALID=0 SLURM_NODEID=0 SLURM_STEP_TASKS_PER_NODE=16(x4), 16
            SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_LOCALID=1 SLURM_NODEID=0 SLURM_STEP_TASKS_PER_NODE=16(x4), 0
            'SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_LOCALID=0 SLURM_NODEID=2 SLURM_STEP_TASKS_PER_NODE=3(x2),2', 2
            # the step's tasks count, not the job's
            SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_LOCALID=0 SLURM_NODEID=0 SLURM_STEP_TASKS_PER_NODE=1(x4) SLURM_TASKS_PER_NODE=16(x4), 1
            SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_LOCALID=0 SLURM_NODEID=0 SLURM_TASKS_PER_NODE=16(x4), 16
            # an older Slurm that does not say it: every task brings its own
            SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_LOCALID=5, 1
            # the batch script without srun: the first node
            SLURM_JOB_ID=7 SLURM_LOCALID=0 SLURM_NODEID=0 SLURM_PROCID=0 SLURM_TASKS_PER_NODE=16(x4), 16
            SLURM_JOB_ID=7, 48
            # mpirun of Open MPI, also within a batch job of Slurm, whose daemons are tasks of srun
            OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=8, 8
            OMPI_COMM_WORLD_LOCAL_RANK=7 OMPI_COMM_WORLD_LOCAL_SIZE=8, 0
            OMPI_COMM_WORLD_LOCAL_RANK=7, 1
            OMPI_COMM_WORLD_LOCAL_RANK=7 OMPI_COMM_WORLD_LOCAL_SIZE=8 SLURM_STEP_ID=0 SLURM_LOCALID=0 SLURM_NODEID=0 SLURM_STEP_TASKS_PER_NODE=1(x4), 0
            # mpiexec of MPICH
            PMI_RANK=8 PMI_SIZE=16 MPI_LOCALRANKID=0 MPI_LOCALNRANKS=8, 8
            PMI_RANK=9 PMI_SIZE=16 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=8, 0
            # PMI without places on the node; srun --mpi=pmi2 says them itself
            PMI_RANK=9 PMI_SIZE=16, 1
            PMI_RANK=9 SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_LOCALID=1 SLURM_NODEID=0 SLURM_STEP_TASKS_PER_NODE=2(x2), 0
            # a pod, and a process by hand or by mpssh: their processors
            JOB_COMPLETION_INDEX=3, 48
            '', 48
            # variables that are empty are not there
            OMPI_COMM_WORLD_LOCAL_RANK= SLURM_STEP_ID= PMI_RANK=, 48
            """)
    void aProcessBringsTheSlotsOfItsNode(String words, int slots) throws JobFailure {
        assertThat(brought(StepTask.of(variables(words)), 0)).isEqualTo(slots);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            # one task a node, of many processors
            SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_LOCALID=0 SLURM_NODEID=1 SLURM_STEP_TASKS_PER_NODE=1(x4), 16, 16
            SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_LOCALID=0 SLURM_NODEID=1 SLURM_STEP_TASKS_PER_NODE=4(x4), 2, 8
            OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=2, 3, 6
            JOB_COMPLETION_INDEX=3, 4, 4
            PMI_RANK=1, 4, 4
            """)
    void theUserSaysTheSlotsOfEachProcess(String words, int each, int slots) throws JobFailure {
        assertThat(brought(StepTask.of(variables(words)), each)).isEqualTo(slots);
    }

    /** Whatever the shape of the step, its slots are its tasks. */
    @Test
    void theSlotsOfAStepAreItsTasks() throws JobFailure {
        List<Integer> nodes = List.of(3, 3, 1, 16);
        int sum = 0;
        for (int node = 0; node < nodes.size(); node++) {
            for (int local : IntStream.range(0, nodes.get(node)).toArray()) {
                sum += brought(
                        StepTask.of(variables("SLURM_STEP_ID=0 SLURM_STEP_TASKS_PER_NODE=3(x2),1,16 SLURM_LOCALID=" + local + " SLURM_NODEID=" + node)), 0);
            }
        }
        assertThat(sum).isEqualTo(3 + 3 + 1 + 16);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            SLURM_STEP_ID=0 SLURM_LOCALID=x, 'SLURM_LOCALID is "x", expected a number from 0'
            SLURM_STEP_ID=0 SLURM_LOCALID=-1, 'SLURM_LOCALID is "-1", expected a number from 0'
            SLURM_STEP_ID=0 SLURM_LOCALID=99999999, 'SLURM_LOCALID is "99999999", expected a number from 0'
            SLURM_STEP_ID=0 SLURM_LOCALID=2 SLURM_NODEID=0 SLURM_STEP_TASKS_PER_NODE=2, 'SLURM_LOCALID is 2, and SLURM_STEP_TASKS_PER_NODE says 2 tasks'
            SLURM_STEP_ID=0 SLURM_LOCALID=0 SLURM_NODEID=4 SLURM_STEP_TASKS_PER_NODE=2(x4), 'SLURM_NODEID is 4, and SLURM_STEP_TASKS_PER_NODE has 4 nodes'
            SLURM_STEP_ID=0 SLURM_LOCALID=0 SLURM_NODEID=0 SLURM_STEP_TASKS_PER_NODE=2(y4), 'SLURM_STEP_TASKS_PER_NODE: "2(y4)" are no counts of tasks'
            SLURM_STEP_ID=0 SLURM_LOCALID=0 SLURM_NODEID=a SLURM_STEP_TASKS_PER_NODE=2, 'SLURM_NODEID is "a", expected a number from 0'
            OMPI_COMM_WORLD_LOCAL_RANK=8 OMPI_COMM_WORLD_LOCAL_SIZE=8, 'OMPI_COMM_WORLD_LOCAL_RANK is 8, expected less than OMPI_COMM_WORLD_LOCAL_SIZE, which is 8'
            OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=1.5, 'OMPI_COMM_WORLD_LOCAL_SIZE is "1.5", expected a number from 0'
            MPI_LOCALRANKID=0 MPI_LOCALNRANKS=0, 'MPI_LOCALRANKID is 0, expected less than MPI_LOCALNRANKS, which is 0'
            PMI_RANK=one, 'PMI_RANK is "one", expected a number from 0'
            JOB_COMPLETION_INDEX=-3, 'JOB_COMPLETION_INDEX is "-3", expected a number from 0'
            """)
    void aValueThatNoStarterGivesIsToldInALine(String words, String line) {
        assertThatExceptionOfType(JobFailure.class).isThrownBy(() -> StepTask.of(variables(words))).withMessageStartingWith(line)
                .satisfies(failure -> assertThat(failure.getMessage()).doesNotContain("\n"));
    }

    @Test
    void aPodIsAHostOfItsOwnAndANodeOfSlurmHasSlurmsName() throws JobFailure {
        assertThat(StepTask.of(variables("JOB_COMPLETION_INDEX=3")).isHost()).isTrue();
        StepTask task = StepTask.of(variables("SLURM_STEP_ID=0 SLURM_LOCALID=0 SLURMD_NODENAME=n7"));
        assertThat(task.isHost()).isFalse();
        assertThat(task.node()).contains("n7");
    }
}
