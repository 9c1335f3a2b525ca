package org.posthouse.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SpeedHistoryTest {
    private static final String MESSAGES = "messages";
    private final SpeedHistory history = new SpeedHistory();

    private static Overview at(long messages) {
        return Overview.of(List.of(new Scenes.MovingRelay(Scenes.relay("rennes", "rennes-a", messages, List.of()))));
    }

    private List<Double> messages() {
        return history.shown().series().get(MESSAGES);
    }

    @Test
    void givesTheSpeedOfEachStep() {
        history.tick(at(100), 50_000);
        history.tick(at(150), 52_000); // Within the step.
        history.tick(at(200), 55_000);
        history.tick(at(200), 60_000);
        assertThat(messages()).hasSize(SpeedHistory.STEPS).endsWith(null, 20.0, 0.0);
        assertThat(history.shown().from() + (SpeedHistory.STEPS - 1) * SpeedHistory.STEP_MS).isEqualTo(60_000);
    }

    @Test
    void aRelayThatHasRestartedStandsStillOnce() {
        history.tick(at(100), 50_000);
        history.tick(at(7), 55_000);
        history.tick(at(17), 60_000);
        assertThat(messages()).endsWith(0.0, 2.0);
    }

    /** Somebody begins to look, so relays of other processes are asked. */
    @Test
    void aRelayThatIsSeenAnewIsNoTraffic() {
        history.tick(at(100), 50_000);
        Overview both = Overview.of(List.of(
                new Scenes.MovingRelay(Scenes.relay("rennes", "rennes-a", 110, List.of())),
                new Scenes.MovingRelay(Scenes.relay("orsay", "orsay-a", 1_000_000, List.of()))));
        history.tick(both, 55_000);
        history.tick(at(110), 60_000);
        assertThat(messages()).endsWith(2.0, 0.0);
    }

    @Test
    void forgetsASeriesAQuarterOfAnHourAfterItsEnd() {
        history.tick(at(100), 50_000);
        history.tick(at(110), 55_000);
        Overview none = new Overview(List.of());
        String series = "relay rennes/rennes-a messagesIn";
        for (int step = 2; step < SpeedHistory.STEPS + 1; step++) {
            history.tick(none, 50_000 + step * SpeedHistory.STEP_MS);
            assertThat(history.shown().series()).as("step %d", step).containsKey(series);
        }
        history.tick(none, 50_000 + (SpeedHistory.STEPS + 1) * SpeedHistory.STEP_MS);
        assertThat(history.shown().series()).doesNotContainKey(series).containsKey(MESSAGES);
    }
}
