package org.posthouse.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class RankedKeysTest {

    @Test
    void rankIsTheNumberOfSmallerKeysEverywhere() {
        RankedKeys ranked = new RankedKeys(new int[] {12, 10, 12, 15, 99}, 4, 10, 16, 1000);

        assertThat(ranked.rankOf(10)).isEqualTo(1000);
        assertThat(ranked.rankOf(11)).isEqualTo(1001);
        assertThat(ranked.rankOf(12)).isEqualTo(1001);
        assertThat(ranked.rankOf(13)).isEqualTo(1003);
        assertThat(ranked.rankOf(15)).isEqualTo(1003);
    }

    @Test
    void coversItsHalfOpenRangeOnly() {
        RankedKeys ranked = new RankedKeys(new int[0], 0, 10, 16, 0);

        assertThat(ranked.covers(9)).isFalse();
        assertThat(ranked.covers(10)).isTrue();
        assertThat(ranked.covers(15)).isTrue();
        assertThat(ranked.covers(16)).isFalse();
    }

    @Test
    void sortsWithoutLosingKeys() {
        int[] keys = new IsKeys(IsClass.S, 0, 1).array();
        int[] expected = keys.clone();
        Arrays.sort(expected);

        int[] sorted = new RankedKeys(keys, keys.length, 0, IsClass.S.maxKey(), 0).sorted();

        assertThat(sorted).isEqualTo(expected);
        assertThat(RankedKeys.isAscending(sorted, sorted[0])).isTrue();
        assertThat(RankedKeys.fingerprint(sorted)).isEqualTo(RankedKeys.fingerprint(keys));
    }

    @Test
    void noticesKeysOutOfOrder() {
        assertThat(RankedKeys.isAscending(new int[] {1, 3, 2}, 0)).isFalse();
        assertThat(RankedKeys.isAscending(new int[] {1, 2, 3}, 2)).isFalse();
        assertThat(RankedKeys.isAscending(new int[] {2, 2, 3}, 2)).isTrue();
        assertThat(RankedKeys.isAscending(new int[0], 7)).isTrue();
    }

    @Test
    void fingerprintSeesExchangedKeysThatAPlainSumMisses() {
        assertThat(RankedKeys.fingerprint(new int[] {1, 5})).isNotEqualTo(RankedKeys.fingerprint(new int[] {2, 4}));
        assertThat(RankedKeys.fingerprint(new int[] {0})).isNotEqualTo(RankedKeys.fingerprint(new int[] {0, 0}));
    }
}
