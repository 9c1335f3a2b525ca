package org.posthouse.names;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NameTest {
    @ParameterizedTest
    @ValueSource(strings = {"", "/", "a/", "/a", "a//b", "a b", "a#b", "ü", "a/b/c/d/e/f/g/h/i", "a\nb", "..\\x", "a*"})
    void whatIsNoNameIsRefusedAndShown(String text) {
        assertThatThrownBy(() -> Name.parse(text)).isInstanceOf(NameException.class)
                .hasMessageStartingWith("\"" + text + "\" is no name: expected 1 to 8 parts");
    }

    @Test
    void partsHaveAtMost64Characters() {
        assertThat(Name.parse("x".repeat(64)).parts()).hasSize(1);
        assertThatThrownBy(() -> Name.parse("x".repeat(65))).isInstanceOf(NameException.class);
        assertThatThrownBy(() -> Name.parse("x".repeat(500))).hasMessageContaining("x".repeat(100) + "…");
    }

    @Test
    void aPrefixIsOfWholeParts() {
        assertThat(Name.parse("a/b").isBelow(Name.parse("a"))).isTrue();
        assertThat(Name.parse("a/b").isBelow(Name.parse("a/b"))).isTrue();
        assertThat(Name.parse("ab").isBelow(Name.parse("a"))).isFalse();
        assertThat(Name.parse("a").isBelow(Name.parse("a/b"))).isFalse();
    }
}
