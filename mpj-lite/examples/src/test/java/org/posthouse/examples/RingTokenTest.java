package org.posthouse.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RingTokenTest {

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100})
    void isIntactForItsOwnHopOnly(int payloadBytes) {
        RingToken token = new RingToken(payloadBytes);
        for (long hop = 0; hop < 300; hop++) {
            token.stamp(hop);
            assertThat(token.isIntact(hop)).isTrue();
            assertThat(token.isIntact(hop + 1)).isFalse();
        }
    }

    @Test
    void noticesAnyChangedByte() {
        RingToken token = new RingToken(10);
        token.stamp(4);
        for (int i = 0; i < token.bytes().length; i++) {
            token.bytes()[i] ^= 1;
            assertThat(token.isIntact(4)).as("byte %d changed", i).isFalse();
            token.bytes()[i] ^= 1;
        }
        assertThat(token.isIntact(4)).isTrue();
    }

    @Test
    void aFreshArrayIsNoToken() {
        assertThat(new RingToken(0).isIntact(0)).isFalse();
    }
}
