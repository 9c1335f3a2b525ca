package org.posthouse.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One text stands for one relay. */
class RelayIdTest {
    @Test
    void theFirstRelayIsWrittenAsItsSite() {
        assertThat(new RelayId("lyon", RelayId.FIRST)).hasToString("lyon");
        assertThat(new RelayId("lyon", "2")).hasToString("lyon/2");
        assertThat(RelayId.parse("lyon")).isEqualTo(RelayId.parse("lyon/1")).isEqualTo(new RelayId("lyon", "1"));
        assertThat(RelayId.parse("lyon/east-2")).isEqualTo(new RelayId("lyon", "east-2"));
        assertThat(RelayId.isWritten("lyon")).isTrue();
        assertThat(RelayId.isWritten("lyon/1")).as("the second way of writing lyon").isFalse();
    }

    @Test
    void isOfTheSiteBeforeTheSlash() {
        assertThat(RelayId.isOf("lyon", "lyon")).isTrue();
        assertThat(RelayId.isOf("lyon", "lyon/2")).isTrue();
        assertThat(RelayId.isOf("lyon", "lyon-2")).isFalse();
        assertThat(RelayId.isOf("lyon", "nancy/lyon")).isFalse();
        assertThat(RelayId.isOf("", "")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/", "lyon/", "/2", "lyon/2/3", "Lyon", "lyon/Two", "lyon 2", "../2"})
    void refusesMalformedRelayId(String text) {
        assertThatThrownBy(() -> RelayId.parse(text)).hasMessageContaining("expected 1 to 63 of a-z, 0-9 and hyphen");
        assertThat(RelayId.isWritten(text)).isFalse();
    }
}
