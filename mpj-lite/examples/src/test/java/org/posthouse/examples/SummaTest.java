package org.posthouse.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import mpi.Intracomm;
import mpi.Ranks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.mpj.LocalWorld;

class SummaTest {

    private static final long RENDEZVOUS_ONLY = -1;

    @ParameterizedTest
    @CsvSource({"1,7,5,9", "2,64,64,64", "3,50,70,200", "4,65,33,129", "5,3,100,70", "6,40,90,65", "7,11,13,300",
        "8,100,5,77", "9,31,32,33", "12,2,3,1", "6,1,1,1", "4,1,50,4"})
    void anyNumberOfRanksMultipliesAnyShape(int ranks, int rows, int columns, int inner) {
        Ranks.run(ranks, (comm, rank) -> multiply(comm, MatmulGrid.of(ranks, rows, columns, inner)));
    }

    /** No send is complete before it is matched: whoever waits for one too early, waits for ever. */
    @ParameterizedTest
    @CsvSource({"2,20,20,400", "6,20,30,500", "9,12,12,700"})
    void needsNoBufferBetweenRanks(int ranks, int rows, int columns, int inner) {
        LocalWorld world = new LocalWorld(ranks).eagerBytesMax(RENDEZVOUS_ONLY);
        Ranks.run(world, ranks, (comm, rank) -> multiply(comm, MatmulGrid.of(ranks, rows, columns, inner)));
    }

    private static void multiply(Intracomm comm, MatmulGrid grid) {
        double[] a = Dense.fill(1, grid.blockOfA(comm.Rank()));
        double[] b = Dense.fill(2, grid.blockOfB(comm.Rank()));
        double[] c = new double[grid.blockOfC(comm.Rank()).size()];
        new Summa(comm, grid, a, b, c).run();

        assertThat(Freivalds.holds(comm, grid, a, b, c)).isTrue();
        double[] whole = Matmul.collect(comm, grid, c);
        if (comm.Rank() == 0) {
            assertThat(Matmul.countWrong(grid, whole)).isZero();
            whole[whole.length - 1]++;
            assertThat(Matmul.countWrong(grid, whole)).isEqualTo(1);
        }
        if (comm.Rank() == comm.Size() - 1 && c.length > 0) {
            c[c.length - 1]++;
        }
        boolean isWrong = AllSum.of(comm, comm.Rank() == comm.Size() - 1 ? c.length : 0)[0] > 0;
        assertThat(Freivalds.holds(comm, grid, a, b, c)).isEqualTo(!isWrong);
    }

    @Test
    void gridSuitsTheShape() {
        assertThat(MatmulGrid.of(12, 100, 100, 100)).isEqualTo(new MatmulGrid(100, 100, 100, 3, 4));
        assertThat(MatmulGrid.of(12, 1200, 100, 100)).isEqualTo(new MatmulGrid(1200, 100, 100, 12, 1));
        assertThat(MatmulGrid.of(12, 100, 1200, 100)).isEqualTo(new MatmulGrid(100, 1200, 100, 1, 12));
        assertThat(MatmulGrid.of(7, 100, 100, 100).gridRows()).isIn(1, 7);
    }

    @ParameterizedTest
    @CsvSource({"1,1,10", "2,3,100", "3,4,1000", "5,1,3", "4,4,2", "3,2,64"})
    void panelsCoverTheInnerDimensionOnceAndHaveOneOwner(int gridRows, int gridColumns, int inner) {
        MatmulGrid grid = new MatmulGrid(20, 20, inner, gridRows, gridColumns);
        List<MatmulGrid.Panel> panels = grid.panels();
        int next = 0;
        for (MatmulGrid.Panel panel : panels) {
            assertThat(panel.from()).isEqualTo(next);
            assertThat(panel.width()).isBetween(1, MatmulGrid.PANEL_MAX);
            Tile ofA = grid.blockOfA(grid.rank(0, panel.gridColumn()));
            Tile ofB = grid.blockOfB(grid.rank(panel.gridRow(), 0));
            assertThat(panel.from()).isGreaterThanOrEqualTo(ofA.firstColumn()).isGreaterThanOrEqualTo(ofB.firstRow());
            assertThat(panel.to()).isLessThanOrEqualTo(ofA.firstColumn() + ofA.columns());
            assertThat(panel.to()).isLessThanOrEqualTo(ofB.firstRow() + ofB.rows());
            next = panel.to();
        }
        assertThat(next).isEqualTo(inner);
    }
}
