package org.posthouse.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import mpi.Ranks;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LifeRingTest {

    /** Up to more ranks than rows, and boards of a single row. */
    @ParameterizedTest
    @CsvSource({"1,9,70", "2,9,70", "3,9,70", "4,2,65", "9,9,64", "5,3,130", "3,1,40", "2,1,1", "8,31,5"})
    void ranksTogetherPlayTheGameOfOneAlone(int ranks, int rows, int columns) {
        LifeBlock alone = new LifeBlock(rows, columns);
        LifeBlock given = new LifeBlock(rows, columns);
        Random random = new Random(7);
        for (int i = 0; i < rows * columns / 3; i++) {
            int row = 1 + random.nextInt(rows);
            int column = random.nextInt(columns);
            alone.bear(row, column);
            given.bear(row, column);
        }
        alone.advanceAlone(25);
        Ranks.run(ranks, (comm, rank) -> {
            LifeRing ring = new LifeRing(comm, rank == 0 ? given : null, rows, columns);
            ring.advance(11);
            ring.collect();
            ring.advance(14);
            assertThat(ring.population()).isEqualTo(alone.population());
            LifeBlock whole = ring.collect();
            if (rank == 0) {
                assertThat(LifePicture.of(whole)).isEqualTo(LifePicture.of(alone));
            } else {
                assertThat(whole).isNull();
            }
        });
    }
}
