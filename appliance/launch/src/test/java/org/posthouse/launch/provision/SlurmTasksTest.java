package org.posthouse.launch.provision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.launch.job.JobFailure;

class SlurmTasksTest {
    @Test
    void runsOfEqualCountsAreWrittenOut() {
        assertThat(SlurmTasks.parse("8(x3),4,2(x1)")).containsExactly(8, 8, 8, 4, 2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "8(x0)", "8(x)", "8,", "-1", "8(x3", "1(x100000),1"})
    void otherTextsAreRefused(String text) {
        assertThatThrownBy(() -> SlurmTasks.parse(text)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("8(x3),4");
    }

    @Test
    void timesOfSqueueAreRead() {
        assertThat(SlurmTime.parse("9:58")).contains(Duration.ofSeconds(598));
        assertThat(SlurmTime.parse("1:00:00")).contains(Duration.ofHours(1));
        assertThat(SlurmTime.parse("1-02:03:04")).contains(Duration.ofDays(1).plusHours(2).plusMinutes(3).plusSeconds(4));
        assertThat(SlurmTime.parse("UNLIMITED")).isEmpty();
        assertThat(SlurmTime.parse("INVALID")).isEmpty();
    }

    private static boolean isAround(Map<String, String> more) throws JobFailure {
        Map<String, String> own = new HashMap<>(Map.of("SLURM_JOB_ID", "7", "SLURM_JOB_NUM_NODES", "1", "SLURM_TASKS_PER_NODE", "2"));
        own.putAll(more);
        return SlurmAllocation.around(own).isPresent();
    }

    @Test
    void allocationCountsIfItHasMoreThanTheNodeOfThisProcess() throws Exception {
        assertThat(SlurmAllocation.around(Map.of())).isEmpty();
        assertThat(isAround(Map.of("SLURMD_NODENAME", "n1"))).as("all of it is here").isFalse();
        assertThat(isAround(Map.of())).as("below salloc on a login node").isTrue();
        Map<String, String> two = Map.of("SLURM_JOB_NUM_NODES", "2", "SLURM_TASKS_PER_NODE", "2(x2)", "SLURMD_NODENAME", "n1");
        assertThat(isAround(two)).isTrue();
        Map<String, String> task = new HashMap<>(two);
        task.putAll(Map.of("SLURM_STEP_ID", "0", "SLURM_STEP_NUM_TASKS", "2"));
        assertThat(isAround(task)).as("srun has started several of this").isFalse();
    }
}
