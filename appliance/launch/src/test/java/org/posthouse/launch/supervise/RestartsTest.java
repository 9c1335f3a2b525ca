package org.posthouse.launch.supervise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.launch.job.ExitStatus;

/** Which ends of a process are followed by another process, and when. */
class RestartsTest {
    private static final int KILLED = 137;

    @ParameterizedTest(name = "status {0}, {1}")
    @CsvSource({
        // status, link, logged, logged and limited, not logged, logged and not heard of
        "0,   NONE,      DONE,    DONE, DONE, DONE",
        "0,   CONNECTED, WAIT,    WAIT, WAIT, WAIT",
        "0,   AWAY,      WAIT,    WAIT, WAIT, WAIT",
        "0,   REPLAYING, WAIT,    WAIT, WAIT, WAIT",
        "0,   FINALIZED, DONE,    DONE, DONE, DONE",
        "0,   LOST,      FAIL,    FAIL, FAIL, FAIL",
        "1,   NONE,      FAIL,    FAIL, FAIL, RESTART",
        "1,   CONNECTED, WAIT,    WAIT, WAIT, RESTART",
        "1,   AWAY,      FAIL,    FAIL, FAIL, RESTART",
        "42,  REPLAYING, WAIT,    WAIT, WAIT, RESTART",
        "42,  FINALIZED, FAIL,    FAIL, FAIL, RESTART",
        "70,  CONNECTED, RESTART, FAIL, WAIT, RESTART",
        "70,  AWAY,      RESTART, FAIL, FAIL, RESTART",
        "70,  LOST,      FAIL,    FAIL, FAIL, FAIL",
        "71,  AWAY,      FAIL,    FAIL, FAIL, RESTART",
        "72,  AWAY,      RESTART, FAIL, FAIL, RESTART",
        "73,  AWAY,      RESTART, FAIL, FAIL, RESTART",
        "74,  AWAY,      FAIL,    FAIL, FAIL, RESTART",
        "127, NONE,      FAIL,    FAIL, FAIL, RESTART",
        "128, AWAY,      FAIL,    FAIL, FAIL, RESTART",
        "129, AWAY,      RESTART, FAIL, FAIL, RESTART",
        "137, NONE,      RESTART, FAIL, FAIL, RESTART",
        "137, CONNECTED, RESTART, FAIL, WAIT, RESTART",
        "137, AWAY,      RESTART, FAIL, FAIL, RESTART",
        "137, REPLAYING, RESTART, FAIL, WAIT, RESTART",
        "137, FINALIZED, RESTART, FAIL, FAIL, RESTART",
        "137, LOST,      FAIL,    FAIL, FAIL, FAIL",
        "159, AWAY,      RESTART, FAIL, FAIL, RESTART",
        "160, AWAY,      FAIL,    FAIL, FAIL, RESTART",
        "255, AWAY,      FAIL,    FAIL, FAIL, RESTART"
    })
    void verdicts(int status, RankConnectionState link, ExitClassifier logged, ExitClassifier limited, ExitClassifier unlogged, ExitClassifier unheard) {
        assertThat(ExitClassifier.of(status, link, true, false, false)).as("logged").isEqualTo(logged);
        assertThat(ExitClassifier.of(status, link, true, true, false)).as("logged and limited").isEqualTo(limited);
        assertThat(ExitClassifier.of(status, link, false, false, false)).as("not logged").isEqualTo(unlogged);
        assertThat(ExitClassifier.of(status, link, true, false, true)).as("logged and not heard of").isEqualTo(unheard);
    }

    /** How long each of {@code count} restarts of rank 0 waits, in milliseconds, if each process lives as long as this. */
    private static List<Long> waits(Restarts restarts, int count, int status, long aliveMs) {
        List<Long> waits = new ArrayList<>();
        long started = 5_000_000_000L;
        for (int restart = 0; restart < count; restart++) {
            long ended = started + TimeUnit.MILLISECONDS.toNanos(aliveMs);
            long due = restarts.next(0, status, started, ended);
            waits.add(TimeUnit.NANOSECONDS.toMillis(due - ended));
            started = due;
        }
        return waits;
    }

    @Test
    void firstIsDueAtOnceAndEachFurtherOneLater() {
        assertThat(waits(new Restarts(1, 10), 8, KILLED, 59_999))
                .containsExactly(0L, 250L, 1_000L, 4_000L, 16_000L, 30_000L, 30_000L, 30_000L);
    }

    @Test
    void aProcessThatStayedAliveBeginsAnew() {
        Restarts restarts = new Restarts(1, 10);
        assertThat(waits(restarts, 3, KILLED, 10)).containsExactly(0L, 250L, 1_000L);
        assertThat(waits(restarts, 1, KILLED, 60_000)).containsExactly(0L);
        assertThat(waits(restarts, 2, KILLED, 10)).containsExactly(250L, 1_000L);
        assertThat(restarts.used(0)).isEqualTo(6);
    }

    @Test
    void restartAfterTerminalSignalWaitsForLaunchersOwnSignal() {
        for (int status : new int[] {129, 130}) {
            assertThat(waits(new Restarts(1, 3), 3, status, 10)).containsExactly(250L, 250L, 1_000L);
        }
        assertThat(waits(new Restarts(1, 3), 1, 143, 10)).containsExactly(0L);
    }

    @Test
    void failedStartsBackOffUpToThirtySeconds() {
        Restarts restarts = new Restarts(1, 10);
        restarts.unstarted(0);
        assertThat(waits(restarts, 1, 1, 10)).containsExactly(4_000L);
        restarts.unstarted(0);
        assertThat(waits(restarts, 2, 1, 10)).containsExactly(16_000L, 30_000L);
        restarts.unstarted(0);
        assertThat(waits(restarts, 1, 1, 10)).containsExactly(30_000L);
    }

    @Test
    void ranksWaitAndAreCountedEachForItself() {
        Restarts restarts = new Restarts(2, 2);
        restarts.next(0, KILLED, 0, 5);
        restarts.next(0, KILLED, 0, 5);
        assertThat(restarts.next(1, KILLED, 0, 5)).isEqualTo(5);
        assertThat(restarts.isAllowed(0)).isFalse();
        assertThat(restarts.isAllowed(1)).isTrue();
        assertThat(restarts.refusal(0)).isEqualTo(", after 2 of 2 restarts");
        assertThatThrownBy(() -> restarts.next(0, KILLED, 0, 5)).hasMessageContaining("rank 0 may not be started again");
        assertThat(restarts.used(0)).isEqualTo(2);
    }

    @Test
    void zeroIsNeverAndNotWorthAWord() {
        Restarts restarts = new Restarts(1, 0);
        assertThat(restarts.isAllowed(0)).isFalse();
        assertThat(restarts.refusal(0)).isEmpty();
    }

    @Test
    void hourOfNewWorkResetsRestartCountButNotIncarnation() {
        Restarts restarts = new Restarts(2, 2);
        long hour = TimeUnit.HOURS.toNanos(1);
        restarts.next(0, KILLED, 0, 5);
        restarts.next(0, KILLED, 0, 5);
        restarts.there(0, 10);
        restarts.ended(0, hour + 9);
        assertThat(restarts.isAllowed(0)).isFalse();
        restarts.there(0, 10);
        restarts.there(0, 1_000); // Its connection was lost, and is back.
        restarts.ended(0, hour + 10);
        assertThat(restarts.isAllowed(0)).isTrue();
        assertThat(restarts.incarnation(0)).isEqualTo(3);
        restarts.next(0, KILLED, 0, 5);
        assertThat(restarts.used(0)).isEqualTo(1);
        assertThat(restarts.incarnation(0)).isEqualTo(4);
        assertThat(restarts.incarnation(1)).isEqualTo(1);
    }

    @Test
    void replayingProcessDoesNotResetRestartCount() {
        Restarts restarts = new Restarts(1, 1);
        restarts.there(0, 0);
        restarts.ended(0, 5);
        restarts.next(0, KILLED, 0, 5);
        restarts.ended(0, TimeUnit.DAYS.toNanos(1));
        assertThat(restarts.isAllowed(0)).isFalse();
    }

    @Test
    void allowsTheConfiguredNumberOfRestarts() {
        Restarts restarts = new Restarts(1, 100);
        for (int restart = 0; restart < 100; restart++) {
            assertThat(restarts.isAllowed(0)).isTrue();
            restarts.next(0, KILLED, 0, 5);
        }
        assertThat(restarts.refusal(0)).isEqualTo(", after 100 of 100 restarts");
    }

    @Test
    void statusesInWords() {
        assertThat(ExitStatus.words(137)).isEqualTo("was killed by signal 9 (SIGKILL)");
        assertThat(ExitStatus.words(143)).isEqualTo("was killed by signal 15 (SIGTERM)");
        assertThat(ExitStatus.words(159)).isEqualTo("was killed by signal 31 (SIGSYS)");
        assertThat(ExitStatus.words(160)).isEqualTo("exited with status 160");
        assertThat(ExitStatus.words(128)).isEqualTo("exited with status 128");
    }
}
