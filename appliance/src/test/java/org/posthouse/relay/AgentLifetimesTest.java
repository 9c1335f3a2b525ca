package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.NodeLifetimes.Lifetime;
import org.posthouse.wire.NodeLifetimes.State;

/** Lifetimes of agents, on a clock of the test. */
class AgentLifetimesTest {
    private final AgentLifetimes lifetimes = new AgentLifetimes(2);

    private static long seconds(int count) {
        return TimeUnit.SECONDS.toNanos(count);
    }

    @Test
    void aCutDoesNotEndALife() {
        lifetimes.joined(1, seconds(10));
        lifetimes.ended(1, seconds(20), false);
        assertThat(lifetimes.list(seconds(25))).containsExactly(new Lifetime(10_000, State.FAILED));
        lifetimes.joined(1, seconds(30));
        assertThat(lifetimes.list(seconds(40))).containsExactly(new Lifetime(30_000, State.ALIVE));
        lifetimes.ended(1, seconds(50), true);
        assertThat(lifetimes.list(seconds(60))).containsExactly(new Lifetime(40_000, State.LEFT));
    }

    @Test
    void onlyTheNewestThatHaveEndedAreKept() {
        for (int agent = 1; agent <= 4; agent++) {
            lifetimes.joined(agent, seconds(agent));
        }
        for (int agent = 1; agent <= 3; agent++) {
            lifetimes.ended(agent, seconds(10 * agent), false);
        }
        assertThat(lifetimes.list(seconds(100))).containsExactlyInAnyOrder(
                new Lifetime(96_000, State.ALIVE), new Lifetime(18_000, State.FAILED), new Lifetime(27_000, State.FAILED));
    }
}
