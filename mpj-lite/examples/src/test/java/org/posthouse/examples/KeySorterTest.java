package org.posthouse.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class KeySorterTest {

    @Test
    void sharesBucketsByTheirKeys() {
        assertThat(KeySorter.shareBuckets(new int[] {1, 1, 6, 6, 1, 1}, 6, 2)).containsExactly(0, 3, 6);
    }

    @Test
    void oneRankTakesEverything() {
        assertThat(KeySorter.shareBuckets(new int[] {4, 0, 4}, 3, 1)).containsExactly(0, 3);
    }

    @Test
    void lastRankTakesEmptyBucketsAtTheEnd() {
        assertThat(KeySorter.shareBuckets(new int[] {4, 4, 0, 0}, 4, 2)).containsExactly(0, 1, 4);
    }

    @Test
    void ranksBeyondTheBucketsGetNone() {
        assertThat(KeySorter.shareBuckets(new int[] {4, 4}, 2, 5)).containsExactly(0, 1, 2, 2, 2, 2);
    }

    @Test
    void entriesBehindTheBucketsAreNoKeys() {
        assertThat(KeySorter.shareBuckets(new int[] {2, 2, 1000, 1000}, 2, 2)).containsExactly(0, 1, 2);
    }

    @Test
    void everyBucketHasOneOwnerForAnyRankCount() {
        int buckets = 512;
        int[] totals = new int[buckets];
        for (int key : new IsKeys(IsClass.S, 0, 1).array()) {
            totals[key >> IsClass.S.bucketShift()]++;
        }
        for (int size = 1; size < 700; size += 13) {
            int[] first = KeySorter.shareBuckets(totals, buckets, size);
            assertThat(first).hasSize(size + 1).isSorted().startsWith(0).endsWith(buckets);
        }
    }
}
