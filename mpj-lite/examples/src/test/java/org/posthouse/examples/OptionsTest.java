package org.posthouse.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class OptionsTest {

    @Test
    void readsValuesInAnyOrder() {
        Options options = options("--k", "4", "--input", "-");

        assertThat(options.text("--input")).contains("-");
        assertThat(options.number("--k", 3, 1, 10)).isEqualTo(4);
        assertThat(options.isGiven("--k")).isTrue();
    }

    @Test
    void missingOptionYieldsDefault() {
        assertThat(options().text("--input")).isEmpty();
        assertThat(options().number("--k", 3, 1, 10)).isEqualTo(3);
        assertThat(options().isGiven("--k")).isFalse();
    }

    @Test
    void complainsByName() {
        assertComplaint("there is no option '--kk', expected one of --input, --k", "--kk", "3");
        assertComplaint("there is no option '3', expected one of --input, --k", "3");
        assertComplaint("--k needs a value behind it", "--input", "a", "--k");
        assertComplaint("--input needs a value behind it", "--input", "--k", "3");
        assertComplaint("--k is given twice", "--k", "3", "--k", "3");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options("--k", "11").number("--k", 3, 1, 10))
                .withMessage("--k is '11', expected a whole number from 1 to 10");
    }

    private static void assertComplaint(String message, String... words) {
        assertThatIllegalArgumentException().isThrownBy(() -> options(words)).withMessage(message);
    }

    private static Options options(String... words) {
        return new Options(words, "--input", "--k");
    }
}
