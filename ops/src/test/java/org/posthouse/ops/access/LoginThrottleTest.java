package org.posthouse.ops.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Guesses are slowed, by address and by name; the clock is the test's. */
class LoginThrottleTest {
    private static final String HOST = "192.0.2.1";
    private static final String USER = "alice";

    private long now = 5_000_000;
    private final LoginThrottle throttle = new LoginThrottle(() -> now);

    /** Waits as long as it is told. @return the delays, in seconds */
    private List<Long> fail(int attempts, String address, String name) {
        List<Long> delays = new ArrayList<>();
        for (int i = 0; i < attempts; i++) {
            long wait = throttle.begin(address, name);
            delays.add(wait / 1_000);
            now += wait;
            if (wait > 0) {
                assertThat(throttle.begin(address, name)).as("after the delay").isZero();
            }
        }
        return delays;
    }

    @Test
    void delaysGrowAfterFiveFailures() {
        assertThat(fail(10, HOST, USER)).containsExactly(0L, 0L, 0L, 0L, 0L, 1L, 2L, 4L, 8L, 16L);
        assertThat(fail(20, HOST, USER)).last().isEqualTo(LoginThrottle.ADDRESS_DELAY_MS_MAX / 1_000);
    }

    @Test
    void anAddressIsSlowedWhateverTheName() {
        for (int i = 0; i < LoginThrottle.FREE; i++) {
            assertThat(throttle.begin(HOST, "name" + i)).isZero();
        }
        assertThat(throttle.begin(HOST, "another")).isEqualTo(1_000);
        assertThat(throttle.begin("192.0.2.77", "another")).as("another address").isZero();
    }

    @Test
    void addressesOfOneIpv6NetworkAreOne() {
        for (int i = 0; i < LoginThrottle.FREE; i++) {
            assertThat(throttle.begin("2001:db8:1:2::" + i, "name" + i)).isZero();
        }
        assertThat(throttle.begin("2001:db8:1:2:ffff::1", "another")).isEqualTo(1_000);
        assertThat(throttle.begin("2001:db8:1:3::1", "another")).isZero();
    }

    @Test
    void aNameIsSlowedWhereverTheGuessesComeFromButNotForLong() {
        for (int i = 0; i < 40; i++) {
            now += throttle.begin("198.51.100." + i, USER);
            throttle.begin("198.51.100." + i, USER);
        }
        assertThat(throttle.begin("203.0.113.9", USER)).isBetween(1L, LoginThrottle.NAME_DELAY_MS_MAX);
    }

    @Test
    void attemptsAtOnceAreCountedFromTheirBeginning() {
        for (int i = 0; i < LoginThrottle.FREE; i++) {
            assertThat(throttle.begin(HOST, USER)).isZero();
        }
        assertThat(throttle.begin(HOST, USER)).as("none of the five has failed yet").isPositive();
    }

    @Test
    void aRefusedAttemptDoesNotLengthenTheDelay() {
        fail(5, HOST, USER);
        for (int i = 0; i < 100; i++) {
            assertThat(throttle.begin(HOST, USER)).isEqualTo(1_000);
        }
    }

    @Test
    void aGoodLoginClearsItsNameAndItsOwnAttemptOnly() {
        fail(5, HOST, USER);
        now += 1_000;
        assertThat(throttle.begin(HOST, USER)).isZero();
        throttle.succeeded(HOST, USER);
        assertThat(throttle.begin("192.0.2.77", USER)).as("the name").isZero();
        assertThat(throttle.begin(HOST, "bob")).as("the address, with five failures").isEqualTo(1_000);
    }

    @Test
    void failuresAreForgotten() {
        fail(8, HOST, USER);
        now += LoginThrottle.FORGET_MS;
        assertThat(fail(6, HOST, USER)).containsExactly(0L, 0L, 0L, 0L, 0L, 1L);
    }
}
