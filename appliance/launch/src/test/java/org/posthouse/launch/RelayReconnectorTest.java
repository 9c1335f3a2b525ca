package org.posthouse.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.launch.RelayReconnector.Refusal;
import org.posthouse.launch.job.JobSignal;

/** For how long a lost relay is dialled, on a clock of the test's. */
@Timeout(60)
class RelayReconnectorTest {
    private static final long TIMEOUT_MS = 60_000;
    private static final Refusal STARTING = new Refusal("it reads its log", Refusal.By.RELAY_AT_START);
    private static final Refusal NOBODY = new Refusal("nobody answers", Refusal.By.NOBODY);

    private final Queue<Refusal> refusals = new ArrayDeque<>();
    private final List<JobSignal> signals = new ArrayList<>();
    private long nowMs;

    /** Each try takes so long; the last one is successful. */
    private void dial(long tryMs, Refusal... refused) {
        refusals.addAll(List.of(refused));
        new RelayReconnector(3, "relay b", TIMEOUT_MS, () -> next(tryMs), signals::add, () -> TimeUnit.MILLISECONDS.toNanos(nowMs)).run();
    }

    private Refusal next(long tryMs) {
        nowMs += tryMs;
        return refusals.poll();
    }

    @Test
    void aRelayThatReadsItsLogIsDialledForAsLongAsItSaysSo() {
        dial(TIMEOUT_MS - 1, STARTING, STARTING, STARTING);
        assertThat(refusals).isEmpty();
        assertThat(signals).as("it is told once").containsExactly(new JobSignal.NotYet("it reads its log"));
    }

    /** As one that is started again and again, and ends each time: its log is damaged. */
    @Test
    void theTimeInWhichNobodyAnswersIsCountedBesideIt() {
        dial(TIMEOUT_MS / 2, NOBODY, STARTING, NOBODY, STARTING);
        assertThat(refusals).hasSize(1);
        assertThat(signals).containsExactly(new JobSignal.NotYet("it reads its log"),
                new JobSignal.RelayLost(3, "relay b has not come back within " + TIMEOUT_MS / 1_000 + " s (--relay-timeout): nobody answers", true));
    }
}
