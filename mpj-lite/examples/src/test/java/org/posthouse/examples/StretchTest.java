package org.posthouse.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StretchTest {

    @Test
    void firstStepsAreThoseOneCanDoByHand() {
        Stretch string = new Stretch(5, 0, 5);

        assertThat(string.height()).containsExactly(new double[] {0, 0.5, 1, 0.75, 0.5, 0.25, 0}, within(1e-15));

        string.advance(); // Only the kink is pulled: by (0.5 - 2 + 0.75) / 4.
        assertThat(string.height()).containsExactly(new double[] {0, 0.5, 0.8125, 0.75, 0.5, 0.25, 0}, within(1e-15));

        string.advance();
        assertThat(string.height()).containsExactly(new double[] {0, 0.453125, 0.53125, 0.703125, 0.5, 0.25, 0}, within(1e-15));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 10})
    void piecesGiveTheBitsOfTheWhole(int size) {
        int all = 10;
        Stretch whole = new Stretch(all, 0, all);
        Partition shares = new Partition(all, size);
        Stretch[] pieces = new Stretch[size];
        for (int rank = 0; rank < size; rank++) {
            pieces[rank] = new Stretch(all, shares.first(rank), shares.count(rank));
        }
        for (int step = 0; step < 100; step++) {
            whole.advance();
            swapEnds(pieces);
            for (Stretch piece : pieces) {
                piece.advance();
            }
        }
        for (int rank = 0; rank < size; rank++) {
            for (int point = 1; point <= pieces[rank].points(); point++) {
                assertThat(pieces[rank].height()[point]).isEqualTo(whole.height()[shares.first(rank) + point]);
            }
        }
    }

    private static void swapEnds(Stretch[] pieces) {
        for (int right = 1; right < pieces.length; right++) {
            Stretch left = pieces[right - 1];
            left.height()[left.points() + 1] = pieces[right].height()[1];
            pieces[right].height()[0] = left.height()[left.points()];
        }
    }
}
