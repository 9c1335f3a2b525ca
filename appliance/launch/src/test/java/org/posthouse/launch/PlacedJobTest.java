package org.posthouse.launch;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;

/** Homes of a job's ranks. */
class PlacedJobTest {
    @Test
    void refusesJobWhoseOpeningExceedsOneFrame() {
        List<HomeRelay> homes = IntStream.range(0, 400).mapToObj(i -> new HomeRelay("here", "here/" + i, "h".repeat(255))).toList();
        assertThatExceptionOfType(JobFailure.class)
                .isThrownBy(() -> PlacedJob.requireRoom(new JobOpen(1, Token.NONE, false, "pi", homes, new int[400])))
                .withMessage("a job of 400 ranks at 400 relays cannot be opened: JOB_OPEN of more than 65536 bytes: too many channels, relays or ranks"
                        + " for one frame; use fewer relays (--relays-per-site) or fewer ranks");
    }
}
