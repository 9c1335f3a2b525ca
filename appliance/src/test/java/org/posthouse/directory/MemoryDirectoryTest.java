package org.posthouse.directory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MemoryDirectoryTest extends DirectoryContract {
    private final AtomicLong now = new AtomicLong(1_000_000);
    private final MemoryDirectory directory = new MemoryDirectory(now::get);

    @Override
    Directory here() {
        return directory;
    }

    @Override
    Directory there() {
        return directory;
    }

    @Test
    void forgetsThatAJobEndedAfterADay() {
        directory.putRanks(List.of(rank(0, 0, "running")));
        directory.removeJob(rank(0, 0, "").job());
        now.addAndGet(ExpiredPostings.KEPT.toMillis() + 1);
        directory.removeJob(-1);

        directory.putRanks(List.of(rank(0, 0, "of a new day")));

        assertThat(directory.ranks(rank(0, 0, "").job())).containsExactly(rank(0, 0, "of a new day"));
    }

    @Test
    void keepsItsViewWhenClosedAndTakesNoMore() {
        directory.announce(relay("a", "north", 1));
        directory.close();
        directory.announce(relay("b", "north", 1));

        assertThat(mine(directory)).containsExactly(relay("a", "north", 1));
    }
}
