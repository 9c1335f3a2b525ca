package org.posthouse.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class IsKeysTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 8, 100})
    void partsOfAllRanksMakeTheSameSequence(int size) {
        int[] joined = IntStream.range(0, size)
                .mapToObj(rank -> new IsKeys(IsClass.S, rank, size))
                .flatMapToInt(part -> Arrays.stream(part.array()))
                .toArray();

        assertThat(joined).isEqualTo(new IsKeys(IsClass.S, 0, 1).array());
    }

    /** With 16 keys a rank, iteration 6 alters key 6 of rank 0 and key 16, the first of rank 1. */
    @Test
    void exactlyOneRankHoldsAKeyAndAltersIt() {
        int size = IsClass.S.keys() / 16;
        for (int index : new int[] {6, 16}) {
            int[] holders = IntStream.range(0, size)
                    .filter(rank -> new IsKeys(IsClass.S, rank, size).holds(index))
                    .toArray();
            assertThat(holders).containsExactly(index / 16);
            IsKeys keys = new IsKeys(IsClass.S, holders[0], size);
            keys.alter(6);
            assertThat(keys.at(index)).isEqualTo(index == 6 ? 6 : IsClass.S.maxKey() - 6);
        }
    }

    @Test
    void keysStayBelowTheMaximum() {
        int[] keys = new IsKeys(IsClass.W, 0, 1).array();

        assertThat(Arrays.stream(keys)).allMatch(key -> 0 <= key && key < IsClass.W.maxKey());
    }

    /** The whole benchmark without messages: one rank that has all keys must find the published ranks. */
    @ParameterizedTest
    @EnumSource(IsClass.class)
    void publishedRanksAreFoundInEveryIteration(IsClass problem) {
        IsKeys keys = new IsKeys(problem, 0, 1);
        for (int iteration = 1; iteration <= IsClass.ITERATIONS; iteration++) {
            keys.alter(iteration);
            RankedKeys ranked = new RankedKeys(keys.array(), problem.keys(), 0, problem.maxKey(), 0);
            for (int test = 0; test < IsClass.TESTS; test++) {
                int key = keys.at(problem.testIndex(test));
                assertThat(ranked.rankOf(key))
                        .as("class %s, iteration %d, test key %d", problem, iteration, test)
                        .isEqualTo(problem.expectedRank(test, iteration));
            }
        }
    }
}
