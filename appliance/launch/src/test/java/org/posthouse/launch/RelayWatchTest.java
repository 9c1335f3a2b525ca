package org.posthouse.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When a relay that does not answer is told of. */
class RelayWatchTest {
    private final List<String> told = new ArrayList<>();
    private long quietSeconds;
    private boolean stopped;
    private int questions;

    private final RelayWatch watch = new RelayWatch(
            () -> TimeUnit.SECONDS.toNanos(quietSeconds), this::ask, 10,
            new RelayWatch.Listener() {
                @Override
                public void unresponsive(long seconds) {
                    told.add("not for " + seconds);
                }

                @Override
                public void responsive(long seconds) {
                    told.add("again after " + seconds);
                }
            },
            seconds -> {});

    private boolean ask() {
        questions++;
        return stopped;
    }

    private void look(int times) {
        for (int i = 0; i < times; i++) {
            watch.look();
        }
    }

    @Test
    void sendsNoProbeToRecentlyHeardOrDisconnectedRelay() {
        stopped = true;
        quietSeconds = RelayWatch.QUIET_SECONDS - 1;
        look(3);
        quietSeconds = -1;
        look(3);
        assertThat(questions).isZero();
        assertThat(told).isEmpty();
    }

    @Test
    void tellsAtTheSecondQuestionWithoutAnAnswerAndWhenThereIsOne() {
        quietSeconds = 60;
        look(2);
        stopped = true;
        look(4);
        stopped = false;
        look(3);
        assertThat(told).containsExactly("not for 25", "not for 35", "not for 45", "again after 45");
    }

    /** Whoever was stopped together with the relay finds one question overdue. */
    @Test
    void saysNothingOfOneQuestion() {
        quietSeconds = 60;
        stopped = true;
        look(1);
        stopped = false;
        look(1);
        stopped = true;
        look(1);
        assertThat(told).isEmpty();
    }

    @Test
    void brokenConnectionIsNotReportedAsResponsive() {
        quietSeconds = 60;
        stopped = true;
        look(2);
        quietSeconds = -1;
        look(1);
        assertThat(told).containsExactly("not for 25");
    }
}
