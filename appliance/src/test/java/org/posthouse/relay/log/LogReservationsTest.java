package org.posthouse.relay.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How much of a log is reserved, for whose jobs. */
class LogReservationsTest {
    private static final long LIMIT_BYTES = 8_000;
    private static final long MOST = LIMIT_BYTES / 2;

    private final LogWatermarks logWatermarks = new LogWatermarks(LIMIT_BYTES, 60, 0);
    private final LogReservations reservations = new LogReservations(logWatermarks);

    @Test
    void firstJobMayReserveAllAndOwnersSecondLeavesAQuarter() {
        assertThat(reservations.tryReserve(1, "user 1", MOST)).isEmpty();
        assertThat(reservations.tryReserve(2, "user 2", 1)).hasValueSatisfying(why -> assertThat(why).contains("half at most"));
        reservations.release(1);
        assertThat(reservations.tryReserve(3, "user 1", MOST / 2)).isEmpty();
        assertThat(reservations.tryReserve(4, "user 1", MOST / 4)).isEmpty();
        assertThat(reservations.tryReserve(5, "user 1", 1)).hasValueSatisfying(
                why -> assertThat(why).contains("other jobs of user 1 3000", "the jobs of one owner together 3000 at most"));
        assertThat(reservations.tryReserve(6, "user 2", MOST / 4)).isEmpty();
        assertThat(logWatermarks.underWayBytes()).isEqualTo(MOST);
    }

    @Test
    void reservationsOfRunningJobsAreNeverRefused() {
        assertThat(reservations.tryReserve(1, "user 1", MOST)).isEmpty();
        reservations.reserve(2, "", MOST);
        assertThat(logWatermarks.underWayBytes()).isEqualTo(2 * MOST);
        reservations.resize(2, MOST + 1);
        assertThat(reservations.of(2)).isEqualTo(MOST + 1);
        assertThat(reservations.tryReserve(3, "user 3", 1)).isPresent();
    }

    @Test
    void ranksThatDoNotComeGiveTheirRoomBack() {
        assertThat(reservations.tryReserve(1, "user 1", MOST)).isEmpty();
        reservations.resize(1, 0);
        assertThat(reservations.count()).isEqualTo(1);
        assertThat(reservations.tryReserve(2, "user 2", MOST)).isEmpty();
        reservations.resize(1, 10);
        reservations.release(2);
        assertThat(logWatermarks.underWayBytes()).isEqualTo(10);
        reservations.resize(2, 500);
        reservations.release(2);
        assertThat(logWatermarks.underWayBytes()).as("what is not there is not counted").isEqualTo(10);
    }

    @Test
    void jobBelongsToTheUserWhoReturnedToIt() {
        reservations.reserve(1, "", 5);
        reservations.own(1, "user 7");
        reservations.own(2, "user 7");
        assertThat(reservations.ownedBy("user 7")).isEqualTo(5);
        assertThat(reservations.ownedBy("")).isZero();
    }
}
