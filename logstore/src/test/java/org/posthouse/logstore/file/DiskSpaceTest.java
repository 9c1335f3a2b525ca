package org.posthouse.logstore.file;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How soon it is noticed that a disk fills, whoever fills it. */
final class DiskSpaceTest {
    private static final long MIN = 1_000;

    private long free = 3 * MIN;
    private final DiskSpace diskSpace = new DiskSpace(() -> free, MIN);

    @Test
    void aDiskWithAmpleRoomIsLookedAtOnceInAWhile() {
        assertThat(diskSpace.hasRoom()).isTrue();
        free = 0;
        diskSpace.taken(DiskSpace.STEP_BYTES - 1);
        assertThat(diskSpace.hasRoom()).isTrue();
        diskSpace.taken(1);
        assertThat(diskSpace.hasRoom()).isFalse();
    }

    @Test
    void aDiskWithLittleRoomIsLookedAtEachTime() {
        free = 2 * MIN - 1;
        assertThat(diskSpace.isAmple()).isFalse();
        assertThat(diskSpace.hasRoom()).isTrue();
        free = MIN - 1;
        assertThat(diskSpace.hasRoom()).isFalse();
        free = MIN;
        assertThat(diskSpace.hasRoom()).isTrue();
    }
}
