package org.posthouse.tunnel.stream;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.posthouse.tunnel.LeakWatch;

/** Streams over a link that exists in memory only, in orders that a seed decides. */
@ExtendWith(LeakWatch.class)
class StreamsTest {
    private static final int SEEDS = Integer.getInteger("posthouse.seeds", Boolean.getBoolean("posthouse.long") ? 500 : 100);
    private static final int STEPS = 1_500;

    @Test
    void deliversBytesExactlyOnceInOrderAndReturnsBuffers() {
        long heard = 0;
        long done = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            StreamWorld world = new StreamWorld(seed);
            try {
                heard += world.run(STEPS);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
            done += world.done();
        }
        assertThat(heard).as("bytes that came").isGreaterThan(SEEDS * 500L);
        assertThat(done).as("ends of streams that both ends finished").isGreaterThan(SEEDS * 4L);
    }
}
