package org.posthouse.mpj.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.ArgumentWords;
import org.posthouse.wire.Wire;

/** What users write into a rank's environment. */
class SettingsTest {
    @ParameterizedTest
    @CsvSource({"0, 0", "65536, 65536", "128k, 131072", "128K, 131072", "1m, 1048576", "' 64k ', 65536"})
    void readsNumbersOfBytes(String text, int bytes) {
        assertThat(Settings.of(Map.of(Settings.EAGER_MAX, text)).eagerBytesMax()).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "k", "-1", "1.5m", "12 k", "99999999999", "3000m", "1048577", "2m", "64kb"})
    void refusesMalformedSizeAndNamesIt(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Settings.of(Map.of(Settings.EAGER_MAX, text)))
                .withMessageStartingWith("POSTHOUSE_EAGER_MAX=" + text + ": ");
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "50, 50", "' 1000000 ', 1000000"})
    void readsHowLongToPoll(String text, int us) {
        assertThat(Settings.of(Map.of(Settings.BUSY_POLL, text, Settings.EAGER_MAX, "1k"))).isEqualTo(new Settings(1024, us));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "50us", "1.5", "1000001", "99999999999"})
    void refusesToPollForNoSuchTimeAndNamesIt(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Settings.of(Map.of(Settings.BUSY_POLL, text)))
                .withMessageStartingWith("POSTHOUSE_BUSY_POLL_US=" + text + ": ")
                .withMessageContaining("1000000");
    }

    @Test
    void pollsNotByDefault() {
        assertThat(Settings.DEFAULT.busyPollUs()).isZero();
        assertThat(new Settings(0).busyPollUs()).isZero();
    }

    @Test
    void runningAheadIsOnUnlessSwitchedOff() {
        assertThat(Settings.of(Map.of(Settings.AHEAD, "off")).ahead()).isFalse();
        assertThat(Settings.of(Map.of(Settings.AHEAD, " ON ")).ahead()).isTrue();
        assertThat(Settings.DEFAULT.ahead()).isTrue();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Settings.of(Map.of(Settings.AHEAD, "maybe")))
                .withMessage("POSTHOUSE_AHEAD=maybe: expected on or off");
    }

    @Test
    void sendsAtLeast128KiBEagerlyByDefault() {
        assertThat(Settings.of(Map.of())).isEqualTo(Settings.DEFAULT);
        assertThat(Settings.DEFAULT.eagerBytesMax()).isBetween(128 * 1024, Wire.EAGER_BYTES_MAX);
    }

    @Test
    void refusesUnknownArgumentWords() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ArgumentWords.of(Map.of(ArgumentWords.VARIABLE, "lam")))
                .withMessage("POSTHOUSE_ARGS=lam, expected default, mpjexpress or mpijava");
        assertThat(ArgumentWords.of(Map.of())).isSameAs(ArgumentWords.DEFAULT);
    }

    @Test
    void takesAwayItsOwnWordsOnly() {
        ArgumentWords three = ArgumentWords.MPJEXPRESS;
        String[] own = {"a", "b"};
        assertThat(three.strip(three.before(own, 7), 7)).containsExactly("a", "b");
        assertThat(three.strip(own, 7)).as("they are not there").containsExactly("a", "b");
        assertThat(three.strip(new String[] {"7", "posthouse.conf"}, 7)).as("not all").hasSize(2);
        assertThat(three.strip(three.before(own, 6), 7)).as("another rank's").hasSize(5);
        assertThat(ArgumentWords.DEFAULT.strip(new String[] {"7"}, 7)).containsExactly("7");
        assertThat(ArgumentWords.MPIJAVA.strip(new String[0], 7)).isEmpty();
    }
}
