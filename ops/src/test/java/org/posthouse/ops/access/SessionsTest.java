package org.posthouse.ops.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

/** How long a session is open, for whom, and how many are. */
class SessionsTest {
    private static final Session.Holder ALICE = new Session.Holder("alice", Role.OPERATOR, Optional.empty());
    private static final Session.Holder BOB = new Session.Holder("bob", Role.VIEWER, Optional.empty());

    private long now;
    private final Sessions sessions = new Sessions(() -> now);

    @Test
    void isOverAfterAnHourWithoutUse() {
        sessions.open("token", ALICE, "user 1");
        for (int i = 0; i < 5; i++) {
            now += Sessions.IDLE_MS - 1;
            assertThat(sessions.find("token", "user 1")).as("used again and again").isPresent();
        }
        now += Sessions.IDLE_MS;
        assertThat(sessions.find("token", "user 1")).isEmpty();
    }

    @Test
    void isOverAfterTwelveHoursInAnyCase() {
        Session session = sessions.open("token", ALICE, "user 1");
        while (now + Sessions.IDLE_MS / 2 < Sessions.WHOLE_MS) {
            now += Sessions.IDLE_MS / 2;
            assertThat(sessions.use(session)).isTrue();
        }
        now = Sessions.WHOLE_MS;
        assertThat(sessions.use(session)).isFalse();
        assertThat(sessions.find("token", "user 1")).isEmpty();
    }

    /** A cookie goes to every port of a host. */
    @Test
    void opensForNobodyElsesProcess() {
        sessions.open("token", ALICE, "user 1");
        assertThat(sessions.find("token", "user 2")).isEmpty();
        assertThat(sessions.find("tokem", "user 1")).isEmpty();
        assertThat(sessions.find("token", "user 1")).isPresent();
    }

    @Test
    void aFurtherLoginEndsTheOldestOfThatUserAlone() {
        Session bobs = sessions.open("bob's", BOB, "user 1");
        Session first = sessions.open("0", ALICE, "user 1");
        for (int i = 1; i <= Sessions.OF_USER_MAX; i++) {
            sessions.open("" + i, ALICE, "user 1");
        }
        assertThat(sessions.use(first)).isFalse();
        assertThat(sessions.find("1", "user 1")).isPresent();
        assertThat(sessions.use(bobs)).isTrue();
        assertThat(sessions.open()).isEqualTo(Sessions.OF_USER_MAX + 1);
    }

    @Test
    void sessionsThatAreOverTakeNoRoom() {
        sessions.open("1", ALICE, "user 1");
        now += Sessions.IDLE_MS;
        sessions.open("2", BOB, "user 1");
        assertThat(sessions.open()).isEqualTo(1);
    }
}
