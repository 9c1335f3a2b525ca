package org.posthouse.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

/** Tokens and reasons: the small values of the protocol. */
final class TokenTest {
    @Test
    void isReadFromItsHexDigits() {
        Token token = Token.random();
        assertThat(Token.parse(token.hex())).isEqualTo(token);
        assertThat(token.hex()).hasSize(32);
        assertThatIllegalArgumentException().isThrownBy(() -> Token.parse(token.hex().substring(1)));
        assertThatIllegalArgumentException().isThrownBy(() -> Token.parse("g".repeat(32)));
    }

    @Test
    void matchesOnlyWhenBothHalvesDo() {
        Token token = new Token(1, 2);
        assertThat(token.matches(new Token(1, 2))).isTrue();
        assertThat(token.matches(new Token(1, 3))).isFalse();
        assertThat(token.matches(new Token(3, 2))).isFalse();
        assertThat(token.matches(new Token(2, 1))).isFalse();
    }

    @Test
    void neverShowsItselfInText() {
        Token token = new Token(0x1234567890abcdefL, 0x1234567890abcdefL);
        assertThat(token.toString()).doesNotContain("1234", "abcd");
    }

    @Test
    void readsReasonsByTheirCode() {
        for (CloseReason closeReason : CloseReason.values()) {
            assertThat(CloseReason.of(closeReason.code())).isSameAs(closeReason);
            assertThat(closeReason.meaning()).isNotBlank();
            assertThat(closeReason.advice()).isNotBlank();
        }
        assertThat(CloseReason.of(-1)).isSameAs(CloseReason.INTERNAL);
        assertThat(CloseReason.of(4711)).isSameAs(CloseReason.INTERNAL);
    }
}
