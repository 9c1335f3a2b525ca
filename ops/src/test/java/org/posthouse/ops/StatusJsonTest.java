package org.posthouse.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.ops.Scenes.MovingRelay;
import org.posthouse.status.FollowerStatus;
import org.posthouse.status.JobStatus;
import org.posthouse.status.RankStatus;
import org.posthouse.status.RelayStatus;

/**
 * Holds the bytes of the API's status: keys, their order, numbers and nulls. {@code status.txt} has a line for each
 * key.
 */
@Timeout(60)
class StatusJsonTest {
    private static final long AT = 1_234_567;

    @Test
    void writesTheSameBytesAsBefore() throws IOException {
        List<JobStatus> jobs = List.of(Scenes.job(Scenes.JOB, List.of(
                Scenes.rank(0, "rennes", RankStatus.State.CONNECTED, 2, 100),
                new RankStatus(1, "orsay", "orsay/2", RankStatus.State.AWAY, 3, 11, 12, 13, 14, 15, 16, "Comm.Recv", 17, "n1", 18, 19,
                        List.of(new FollowerStatus(4, "n2", 20, 21))))));
        RelayStatus full = Scenes.relay("rennes", "rennes", 9, jobs);
        RelayStatus bare = new RelayStatus(
                "orsay", "orsay/2", "threaded", "0.1.0", 6_000, "", List.of(), List.of(), List.of(), full.counters(),
                Optional.empty(), Optional.empty(), Optional.empty(), List.of());
        MovingRelay unready = new MovingRelay(bare);
        unready.readiness = Readiness.notReady("relay orsay/2 is starting");
        Overview overview = Overview.of(List.of(new MovingRelay(full), unready));
        assertThat(lines(OpsJson.overview(overview, AT)) + lines(OpsJson.relays(overview, AT)) + lines(OpsJson.jobs(overview.jobs()))
                + lines(OpsJson.job(overview.jobs().getFirst()))).isEqualTo(golden());
    }

    private static String lines(Buffer json) {
        return json.toString().replace(String.valueOf(Scenes.DOWN_SINCE), "1").replace(",\"", ",\n\"") + "\n";
    }

    private static String golden() throws IOException {
        try (InputStream in = StatusJsonTest.class.getResourceAsStream("status.txt")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
