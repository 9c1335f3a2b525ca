package org.posthouse.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NasRandomTest {

    private static final long SEED = 271_828_183L;
    private static final BigInteger MODULUS = BigInteger.TWO.pow(46);
    private static final BigInteger MULTIPLIER = BigInteger.valueOf(5).pow(13);

    @Test
    void followsTheDefinition() {
        NasRandom random = new NasRandom(SEED);
        BigInteger expected = BigInteger.valueOf(SEED);
        for (int step = 0; step < 1000; step++) {
            expected = expected.multiply(MULTIPLIER).mod(MODULUS);
            assertThat(random.nextBits()).isEqualTo(expected.longValueExact());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 7, 64, 1000, 65_535, 131_072})
    void skippingIsSteppingWithoutLooking(int steps) {
        NasRandom stepped = new NasRandom(SEED);
        for (int step = 0; step < steps; step++) {
            stepped.nextBits();
        }
        assertThat(new NasRandom(SEED).skip(steps).nextBits()).isEqualTo(stepped.nextBits());
    }

    @Test
    void skipsFurtherThanAnybodyCouldStep() {
        BigInteger expected = BigInteger.valueOf(SEED)
                .multiply(MULTIPLIER.modPow(BigInteger.valueOf(1_000_000_000_001L), MODULUS))
                .mod(MODULUS);
        assertThat(new NasRandom(SEED).skip(1_000_000_000_000L).nextBits()).isEqualTo(expected.longValueExact());
    }

    @Test
    void fractionsAreTheBitsOverTwoToThe46() {
        assertThat(new NasRandom(SEED).nextFraction()).isEqualTo(new NasRandom(SEED).nextBits() / 0x1p46);
    }
}
