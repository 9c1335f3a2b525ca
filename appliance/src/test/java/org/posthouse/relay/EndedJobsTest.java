package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.posthouse.status.JobStatus;
import org.posthouse.status.RankStatus;

/** What the console keeps of jobs that have ended is bounded in jobs and in ranks. */
class EndedJobsTest {
    private final EndedJobs jobs = new EndedJobs();

    @Test
    void keepsTheNewestJobs() {
        IntStream.rangeClosed(1, EndedJobs.JOBS_MAX + 2).forEach(i -> jobs.add(job("job" + i, 1)));
        assertThat(jobs.all()).hasSize(EndedJobs.JOBS_MAX).first().extracting(JobStatus::name).isEqualTo("job" + (EndedJobs.JOBS_MAX + 2));
        assertThat(jobs.all()).last().extracting(JobStatus::name).isEqualTo("job3");
    }

    @Test
    void keepsNoMoreRanksThanTheLimitAndThoseOfTheNewest() {
        jobs.add(job("small", 8));
        jobs.add(job("half", EndedJobs.RANKS_MAX - 8));
        jobs.add(job("large", 5 * EndedJobs.RANKS_MAX));
        assertThat(jobs.all()).extracting(JobStatus::name).containsExactly("large", "half", "small");
        jobs.add(job("next", 1));
        assertThat(jobs.all()).extracting(JobStatus::name).containsExactly("next");
        jobs.add(job("last", 1));
        assertThat(jobs.all()).extracting(JobStatus::name).containsExactly("last", "next");
    }

    private static JobStatus job(String name, int ranks) {
        List<RankStatus> views = IntStream.range(0, ranks)
                .mapToObj(rank -> new RankStatus(rank, "site", "relay", RankStatus.State.FINALIZED, 1, 0, 0, 0, 0, 0, 0, "", 0, "", 0, 0))
                .toList();
        return new JobStatus("1f", name, ranks, "none", "abort", "FINISHED", 0, views, 0, "", 0, 0, "", 0, 0);
    }
}
