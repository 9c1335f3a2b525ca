package org.posthouse.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ArgumentsTest {

    @Test
    void missingWordsMeanTheDefault() {
        Arguments none = new Arguments("ring", new String[0]);

        assertThat(none.number(0, "laps", 100, 1, 1000)).isEqualTo(100);
        assertThat(none.problemClass(EpClass.W)).isEqualTo(EpClass.W);
    }

    @Test
    void readsNumbersUpToTheirLimits() {
        Arguments given = new Arguments("ring", new String[] {"1", "1000"});

        assertThat(given.number(0, "laps", 100, 1, 1000)).isEqualTo(1);
        assertThat(given.number(1, "payload bytes", 100, 1, 1000)).isEqualTo(1000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1001", "abc", "", "1.5", "99999999999999999999"})
    void refusesInvalidNumberNamingArgumentAndRange(String word) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Arguments.parseNumber("laps", word, 1, 1000))
                .withMessage("laps is '" + word + "', expected a whole number from 1 to 1000");
    }

    @Test
    void readsClassesInEitherCase() {
        assertThat(Arguments.parseClass("a", IsClass.class)).isEqualTo(IsClass.A);
        assertThat(Arguments.parseClass("A", IsClass.class)).isEqualTo(IsClass.A);
    }

    @Test
    void refusesUnknownClassAndNamesTheKnownOnes() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Arguments.parseClass("B", EpClass.class))
                .withMessage("class is 'B', expected one of [S, W, A]");
    }
}
