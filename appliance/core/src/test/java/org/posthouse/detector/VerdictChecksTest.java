package org.posthouse.detector;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class VerdictChecksTest {
    private static final long TICK_MS = 100;
    private static final long AGENT = 42;

    private final List<String> effects = new ArrayList<>();
    private final VerdictChecks checks = new VerdictChecks(new VerdictPort() {
        @Override
        public void ping(long agent) {
            effects.add("ping " + agent);
        }

        @Override
        public void onVerdict(long agent, boolean isDead) {
            effects.add(agent + (isDead ? " is dead" : " lives"));
        }
    }, nanos(TICK_MS));

    private static long nanos(long ms) {
        return TimeUnit.MILLISECONDS.toNanos(ms);
    }

    private void tick(long fromMs, long toMs) {
        for (long at = fromMs; at <= toMs; at += TICK_MS) {
            checks.tick(nanos(at));
        }
    }

    @Test
    void anAgentThatAnswersNoPingIsDead() {
        checks.ask(AGENT, nanos(500), 0);
        checks.ask(AGENT, nanos(500), nanos(10));
        tick(100, 400);
        assertThat(effects).containsExactly("ping 42");
        tick(500, 2_900);
        assertThat(effects).as("a pause of 2 s is no death, and pings are left behind it").hasSize(6).containsOnly("ping 42");
        tick(3_000, 3_000);
        assertThat(effects).hasSize(7).endsWith("42 is dead");
        assertThat(checks.isIdle()).isTrue();
    }

    @Test
    void aQuestionInMoreOfAHurryShortensTheCheck() {
        checks.ask(AGENT, nanos(60_000), 0);
        checks.ask(AGENT, nanos(500), nanos(100));
        tick(100, 3_000);
        assertThat(effects).hasSize(6).containsOnly("ping 42");
        tick(3_100, 3_100);
        assertThat(effects).contains("42 is dead");
    }

    @Test
    void aFrameShowsThatItLives() {
        checks.ask(AGENT, nanos(500), 0);
        checks.onHeard(AGENT, true);
        tick(100, 5_000);
        assertThat(effects).containsExactly("ping 42", "42 lives");
    }

    @Test
    void theEndOfItsConnectionIsNoVerdict() {
        checks.ask(AGENT, nanos(500), 0);
        checks.onHeard(AGENT, false);
        tick(100, 5_000);
        assertThat(effects).containsExactly("ping 42");
    }

    @Test
    void aRelayThatStoodStillBeginsAnew() {
        checks.ask(AGENT, nanos(500), 0);
        tick(100, 200);
        checks.ask(7, nanos(500), nanos(60_000));
        checks.tick(nanos(60_000));
        assertThat(effects).as("its answer may wait to be read").containsExactly("ping 42", "ping 7", "ping 42", "ping 7");
        tick(60_100, 62_900);
        assertThat(effects).doesNotContain("42 is dead");
        tick(63_000, 63_000);
        assertThat(effects).contains("42 is dead", "7 is dead");
    }
}
