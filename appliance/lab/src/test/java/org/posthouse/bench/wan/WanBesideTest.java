package org.posthouse.bench.wan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.posthouse.launch.job.JobFailure;

/** What is said of a stream that was to last while round trips beside it were measured. */
class WanBesideTest {
    @Test
    void aStreamWhoseJobHasFailedSaysWhy() {
        assertThatThrownBy(() -> WanBeside.lasting(CompletableFuture.failedFuture(new JobFailure("rank 1 is gone"))))
                .isInstanceOf(JobFailure.class)
                .hasMessage("rank 1 is gone");
    }

    @Test
    void oneThatWasTooShortIsNotMeasured() throws Exception {
        List<long[]> times = List.of(new long[] {5});
        assertThatThrownBy(() -> WanBeside.lasting(CompletableFuture.completedFuture(times))).hasMessageStartingWith("the stream ended before");
        CompletableFuture<List<long[]>> endsWhenItIsWaitedFor = new CompletableFuture<>() {
            @Override
            public List<long[]> get() throws InterruptedException, ExecutionException {
                complete(times);
                return super.get();
            }
        };
        assertThat(WanBeside.lasting(endsWhenItIsWaitedFor)).isSameAs(times);
    }
}
