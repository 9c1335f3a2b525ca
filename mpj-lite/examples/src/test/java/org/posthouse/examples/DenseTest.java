package org.posthouse.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DenseTest {

    @ParameterizedTest
    @CsvSource({"1,1,1", "2,3,4", "5,257,7", "3,600,9", "16,16,64", "4,0,3", "0,5,3", "4,5,0"})
    void addsTheProductThatTheDefinitionGives(int rows, int columns, int inner) {
        double[] a = Dense.fill(1, new Tile(0, rows, 0, inner));
        double[] b = Dense.fill(2, new Tile(0, inner, 0, columns));
        double[] c = Dense.fill(3, new Tile(0, rows, 0, columns));
        double[] expected = c.clone();
        for (int row = 0; row < rows; row++) {
            for (int column = 0; column < columns; column++) {
                for (int k = 0; k < inner; k++) {
                    expected[row * columns + column] += a[row * inner + k] * b[k * columns + column];
                }
            }
        }
        Dense.addProduct(c, a, b, rows, columns, inner);
        assertThat(c).isEqualTo(expected);
    }

    @Test
    void entriesAreSmallWholeNumbersOfEveryKind() {
        double[] values = Dense.fill(1, new Tile(0, 100, 0, 100));

        assertThat(Arrays.stream(values).distinct().sorted())
                .containsExactly(-8.0, -7.0, -6.0, -5.0, -4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0);
        assertThat(Arrays.stream(values).filter(value -> value == -Dense.ENTRY_MAX).count()).isBetween(500L, 750L);
        assertThat(values).isNotEqualTo(Dense.fill(2, new Tile(0, 100, 0, 100)));
    }

    @Test
    void entriesDependOnTheirPlacesOnly() {
        double[] whole = Dense.fill(1, new Tile(0, 10, 0, 10));
        double[] block = Dense.fill(1, new Tile(3, 4, 5, 2));

        for (int row = 0; row < 4; row++) {
            assertThat(block[row * 2]).isEqualTo(whole[(3 + row) * 10 + 5]);
            assertThat(block[row * 2 + 1]).isEqualTo(whole[(3 + row) * 10 + 6]);
        }
    }
}
