package org.posthouse.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CgMatrixTest {

    /** The numbers of entries are those that NAS states for these classes. */
    @ParameterizedTest
    @CsvSource({"S,78148", "W,508402", "A,1853104"})
    void hasAsManyEntriesAsNasCounts(CgClass problem, int entries) {
        assertThat(whole(problem).nonzeros()).isEqualTo(entries);
    }

    @Test
    void isSymmetric() {
        CgMatrix matrix = whole(CgClass.S);
        for (int row = 0; row < matrix.rows(); row++) {
            for (int column = 0; column < row; column++) {
                assertThat(matrix.at(row, column)).isCloseTo(matrix.at(column, row), within(1e-15));
            }
        }
    }

    /** Every vector has one half on its diagonal, so the diagonal has a quarter of its weight at least. */
    @Test
    void carriesTheShiftOnItsDiagonal() {
        CgMatrix matrix = whole(CgClass.S);
        double weight = 1;
        for (int row = 0; row < matrix.rows(); row++) {
            assertThat(matrix.at(row, row)).isGreaterThanOrEqualTo(0.25 * weight + 0.1 - 10);
            weight *= Math.pow(0.1, 1.0 / 1400);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 7, 1500})
    void piecesGiveTheBitsOfTheWhole(int ranks) {
        CgMatrix whole = whole(CgClass.S);
        double[] x = IntStream.range(0, 1400).mapToDouble(i -> 1 + Math.sin(i)).toArray();
        double[] expected = new double[1400];
        whole.multiply(x, expected);
        CgVectors vectors = new CgVectors(CgClass.S);
        Partition shares = new Partition(1400, ranks);
        int nonzeros = 0;
        for (int rank = 0; rank < ranks; rank += 1 + ranks / 20) {
            CgMatrix piece = new CgMatrix(CgClass.S, vectors, shares.first(rank), shares.count(rank));
            double[] y = new double[piece.rows()];
            piece.multiply(x, y);
            for (int row = 0; row < y.length; row++) {
                assertThat(y[row]).isEqualTo(expected[shares.first(rank) + row]);
            }
            nonzeros += piece.nonzeros();
        }
        if (ranks < 20) {
            assertThat(nonzeros).isEqualTo(whole.nonzeros());
        }
    }

    @Test
    void multiplyMatchesSumOverMatrixEntries() {
        CgMatrix matrix = new CgMatrix(CgClass.S, new CgVectors(CgClass.S), 700, 40);
        double[] x = IntStream.range(0, 1400).mapToDouble(Math::cos).toArray();
        double[] y = new double[40];
        matrix.multiply(x, y);
        for (int row = 0; row < 40; row++) {
            double sum = 0;
            for (int column = 0; column < 1400; column++) {
                sum += matrix.at(700 + row, column) * x[column];
            }
            assertThat(y[row]).isCloseTo(sum, within(1e-12));
        }
    }

    private static CgMatrix whole(CgClass problem) {
        return new CgMatrix(problem, new CgVectors(problem), 0, problem.order());
    }
}
