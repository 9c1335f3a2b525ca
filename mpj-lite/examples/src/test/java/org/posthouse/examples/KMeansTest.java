package org.posthouse.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import mpi.Ranks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The figures of the irises come from a separate program in another language. */
class KMeansTest {

    private static final int COLUMNS = 4;

    @Test
    void irisesAreFishersOwn() throws IOException {
        Table irises = irises();

        assertThat(irises.rows()).isEqualTo(150);
        assertThat(irises.names()).containsExactly("sepal_length", "sepal_width", "petal_length", "petal_width");
        double[] means = new double[COLUMNS];
        for (int i = 0; i < irises.values().length; i++) {
            means[i % COLUMNS] += irises.values()[i] / 150;
        }
        assertThat(means[0]).isCloseTo(5.843333, within(1e-6));
        assertThat(means[1]).isCloseTo(3.057333, within(1e-6));
        assertThat(means[2]).isCloseTo(3.758, within(1e-6));
        assertThat(means[3]).isCloseTo(1.199333, within(1e-6));
    }

    @ParameterizedTest
    @CsvSource({"1,1,681.370600000", "2,1,152.347951760", "2,5,152.347951760", "3,1,78.851441426", "3,2,78.851441426",
        "3,3,78.851441426", "3,5,78.851441426", "3,8,78.851441426"})
    void findsTheKnownClustersOfTheIrises(int k, int ranks, double inertia) throws IOException {
        double[] all = irises().values();
        Ranks.run(ranks, (comm, rank) -> {
            double[] rows = KMeans.scatter(comm, rank == 0 ? all : new double[0], 150, COLUMNS);
            Lloyd lloyd = new Lloyd(rows, COLUMNS, Seeding.choose(comm, rows, COLUMNS, k, 1));
            lloyd.run(1000, own -> AllSum.of(comm, own));

            assertThat(lloyd.inertia()).isCloseTo(inertia, within(1e-9));
            assertThat(lloyd.isAtRest()).isTrue();
            long sizes = 0;
            for (int cluster = 0; cluster < k; cluster++) {
                sizes += lloyd.size(cluster);
            }
            assertThat(sizes).isEqualTo(150);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 7, 200})
    void seedsDoNotDependOnTheNumberOfRanks(int ranks) throws IOException {
        double[] all = irises().values();
        double[][] expected = new double[20][];
        Ranks.run(1, (comm, rank) -> Arrays.setAll(
                expected, seed -> Seeding.choose(comm, all, COLUMNS, 5, seed)));
        assertThat(expected[0]).isNotEqualTo(expected[1]);
        int seeds = ranks > 10 ? 1 : expected.length;
        Ranks.run(ranks, (comm, rank) -> {
            double[] rows = KMeans.scatter(comm, all, 150, COLUMNS);
            for (int seed = 0; seed < seeds; seed++) {
                assertThat(Seeding.choose(comm, rows, COLUMNS, 5, seed)).isEqualTo(expected[seed]);
            }
        });
    }

    @Test
    void seedsAreDifferentRows() {
        double[] all = {1, 1, 1, 2, 2, 3, 3, 3, 3, 4};
        Ranks.run(3, (comm, rank) -> {
            double[] rows = KMeans.scatter(comm, all, 10, 1);
            assertThat(Seeding.choose(comm, rows, 1, 4, 1)).containsExactlyInAnyOrder(1, 2, 3, 4);
            assertThat(Seeding.choose(comm, rows, 1, 6, 1)).containsExactlyInAnyOrder(1, 2, 3, 4);
        });
    }

    private static Table irises() throws IOException {
        try (Reader text = new InputStreamReader(
                KMeans.class.getResourceAsStream("iris.csv"), StandardCharsets.UTF_8)) {
            return Table.read(text, ',', null);
        }
    }
}
