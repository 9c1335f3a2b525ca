package org.posthouse.bench.logflow;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.posthouse.bench.experiment.BenchWatch;
import org.posthouse.bench.experiment.Experiment;
import org.posthouse.launch.install.Installation;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.RestartPolicy;
import org.posthouse.mpj.Endpoints;

/**
 * The plan of {@code bench logflow}.
 *
 * @param bytes that its two ranks send each other, both together; rounded up to whole rounds
 * @param limitBytes of the log; 0: the relay's default
 * @param checkpointMs interval of each rank's saves of its state, in milliseconds; 0: when the log asks for it
 */
public record FlowPlan(long bytes, long limitBytes, long checkpointMs) implements Experiment<FlowReport> {
    static final int RANKS = 2;

    /** 64 KiB: the size of a message. */
    static final int MESSAGE_BYTES = 64 << 10;

    /** Checks the ranges. */
    public FlowPlan {
        if (bytes < 1) {
            throw new IllegalArgumentException("--bytes is " + bytes + ", expected 1 or more");
        }
        assert limitBytes >= 0 && checkpointMs >= 0 : "a log of " + limitBytes + " bytes, saved every " + checkpointMs + " ms";
    }

    /** Messages that a rank sends in a round: 1 MiB is under way each way. */
    static final int WINDOW = 16;

    /** Number of windows of messages that each rank sends to the other. */
    long rounds() {
        long perRound = (long) RANKS * WINDOW * MESSAGE_BYTES;
        return (bytes + perRound - 1) / perRound;
    }

    /** Payload of all messages together. */
    long payloadBytes() {
        return rounds() * RANKS * WINDOW * MESSAGE_BYTES;
    }

    JobSpec spec() {
        return new JobSpec(
                "bench:logflow",
                RANKS,
                List.of(Installation.jarOf(FlowRank.class)),
                FlowRank.class.getName(),
                List.of(Long.toString(rounds())),
                List.of(),
                Map.of(Endpoints.CHECKPOINT_MS, Long.toString(checkpointMs)),
                true,
                RestartPolicy.NONE);
    }

    @Override
    public FlowReport run(BenchWatch watch) throws IOException, JobFailure, InterruptedException {
        return LogFlow.measure(this, watch);
    }
}
