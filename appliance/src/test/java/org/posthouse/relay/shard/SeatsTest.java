package org.posthouse.relay.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;

/** The shards of a job's ranks. */
class SeatsTest {
    private static final int SHARDS = 4;

    private static JobOpen job(int... homeOf) {
        return new JobOpen(1, Token.NONE, false, "test", List.of(new HomeRelay("here", "here", ""), new HomeRelay("there", "there", "")), homeOf);
    }

    @Test
    void ranksAreSpreadOverTheShardsAlsoIfTheyMayGetNewProcesses() {
        JobOpen plain = job(new int[SHARDS * Shards.BLOCK_MIN]);
        int[] seats = Shards.place(plain, 0, SHARDS, 0);
        assertThat(Arrays.stream(seats).distinct()).containsExactly(0, 1, 2, 3);
        int[] withNew = Shards.place(plain.rebuilding(4), 0, SHARDS, 0);
        assertThat(withNew).hasSize(4 * seats.length).startsWith(seats).endsWith(seats);
    }

    @Test
    void allProcessesOfARankHaveItsSeatAndThoseOfRanksElsewhereNone() {
        assertThat(Shards.place(job(0, 1, 0).rebuilding(2), 0, SHARDS, 2)).containsExactly(2, -1, 2, 2, -1, 2);
    }
}
