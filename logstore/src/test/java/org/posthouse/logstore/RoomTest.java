package org.posthouse.logstore;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How soon it is noticed that a disk fills, whoever fills it. */
final class RoomTest {
    private static final long MIN = 1_000;

    private long free = 3 * MIN;
    private final Room room = new Room(() -> free, MIN);

    @Test
    void aDiskWithAmpleRoomIsLookedAtOnceInAWhile() {
        assertThat(room.hasRoom()).isTrue();
        free = 0;
        room.taken(Room.STEP_BYTES - 1);
        assertThat(room.hasRoom()).isTrue();
        room.taken(1);
        assertThat(room.hasRoom()).isFalse();
    }

    @Test
    void aDiskWithLittleRoomIsLookedAtEachTime() {
        free = 2 * MIN - 1;
        assertThat(room.isAmple()).isFalse();
        assertThat(room.hasRoom()).isTrue();
        free = MIN - 1;
        assertThat(room.hasRoom()).isFalse();
        free = MIN;
        assertThat(room.hasRoom()).isTrue();
    }
}
