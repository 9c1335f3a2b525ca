package org.posthouse.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlateTest {

    @Test
    void firstStepsAreThoseOneCanDoByHand() {
        Plate plate = new Plate(2, 0, 2);

        assertThat(plate.cells()).containsExactly(100, 100, 100, 100, 0, 48, 65, 0, 0, 79, 96, 0, 0, 0, 0, 0);

        assertThat(plate.relax(1, 3)).isEqualTo(60.0);
        plate.advance();
        assertThat(plate.cells()).containsExactly(100, 100, 100, 100, 0, 61, 61, 0, 0, 36, 36, 0, 0, 0, 0, 0);

        assertThat(plate.relax(1, 3)).isEqualTo(11.75);
        plate.advance();
        assertThat(plate.cells())
                .containsExactly(100, 100, 100, 100, 0, 49.25, 49.25, 0, 0, 24.25, 24.25, 0, 0, 0, 0, 0);
    }

    @Test
    void comesToRestWhereEveryCellIsTheMeanOfItsNeighbours() {
        Plate plate = new Plate(2, 0, 2);
        for (int step = 0; step < 200; step++) {
            plate.relax(1, 3);
            plate.advance();
        }
        // By symmetry two unknowns: upper = (100 + upper + lower)/4, lower = (upper + lower)/4.
        assertThat(plate.cells()[plate.at(1) + 1]).isEqualTo(37.5);
        assertThat(plate.cells()[plate.at(2) + 2]).isEqualTo(12.5);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 10})
    void piecesGiveTheBitsOfTheWhole(int size) {
        int n = 10;
        Plate whole = new Plate(n, 0, n);
        Partition shares = new Partition(n, size);
        Plate[] pieces = new Plate[size];
        for (int rank = 0; rank < size; rank++) {
            pieces[rank] = new Plate(n, shares.first(rank), shares.count(rank));
        }
        for (int step = 0; step < 50; step++) {
            double wholeChange = whole.relax(1, n + 1);
            whole.advance();
            assertThat(stepPieces(pieces)).isEqualTo(wholeChange);
        }
        for (int rank = 0; rank < size; rank++) {
            for (int cell = 0; cell < pieces[rank].rows() * whole.width(); cell++) {
                assertThat(pieces[rank].cells()[pieces[rank].at(1) + cell])
                        .isEqualTo(whole.cells()[whole.at(1 + shares.first(rank)) + cell]);
            }
        }
    }

    private static double stepPieces(Plate[] pieces) {
        for (int i = 1; i < pieces.length; i++) {
            copyRow(pieces[i - 1], pieces[i - 1].rows(), pieces[i], 0);
            copyRow(pieces[i], 1, pieces[i - 1], pieces[i - 1].rows() + 1);
        }
        double change = 0;
        for (Plate piece : pieces) {
            change = Math.max(change, piece.relax(1, piece.rows() + 1));
            piece.advance();
        }
        return change;
    }

    private static void copyRow(Plate from, int row, Plate to, int toRow) {
        System.arraycopy(from.cells(), from.at(row), to.cells(), to.at(toRow), from.width());
    }
}
