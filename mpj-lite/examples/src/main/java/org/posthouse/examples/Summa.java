package org.posthouse.examples;

import java.util.List;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Request;

/**
 * One rank's part of a matrix product by SUMMA (van de Geijn and Watts, 1997): for each panel, everybody gets the
 * columns of A that belong to its rows of C, and the rows of B that belong to its columns, and adds their product to
 * its block of C.
 *
 * <p>Confined to its rank. Panels travel in rings, from their owner along its row or column of the grid from neighbour
 * to neighbour. There are two buffers for each kind: while one panel is multiplied, it goes on to the next rank and
 * the following one comes in. No rank needs more memory than its blocks and four panels.
 */
final class Summa {

    private static final int TAG_A = 1;
    private static final int TAG_B = 2;
    private static final int BUFFERS = 2;

    private final MatmulGrid grid;
    private final Tile blockOfA;
    private final Tile blockOfB;
    private final Tile blockOfC;
    private final double[] a;
    private final double[] b;
    private final double[] c;
    private final PanelRing alongRow;
    private final PanelRing alongColumn;

    /** One rank's blocks of A and B, and a block of C that the product is added to; keeps the arrays. */
    Summa(Intracomm comm, MatmulGrid grid, double[] a, double[] b, double[] c) {
        this.grid = grid;
        this.a = a;
        this.b = b;
        this.c = c;
        int rank = comm.Rank();
        blockOfA = grid.blockOfA(rank);
        blockOfB = grid.blockOfB(rank);
        blockOfC = grid.blockOfC(rank);
        int row = grid.gridRow(rank);
        int column = grid.gridColumn(rank);
        int left = grid.rank(row, (column + grid.gridColumns() - 1) % grid.gridColumns());
        int right = grid.rank(row, (column + 1) % grid.gridColumns());
        int up = grid.rank((row + grid.gridRows() - 1) % grid.gridRows(), column);
        int down = grid.rank((row + 1) % grid.gridRows(), column);
        alongRow = new PanelRing(comm, TAG_A, left, right, column, grid.gridColumns(), blockOfA.rows());
        alongColumn = new PanelRing(comm, TAG_B, up, down, row, grid.gridRows(), blockOfB.columns());
    }

    /** Multiplies; collective. */
    void run() {
        List<MatmulGrid.Panel> panels = grid.panels();
        for (int step = 0; step <= panels.size(); step++) {
            if (step < panels.size()) {
                expect(panels.get(step), step % BUFFERS);
            }
            if (step > 0) {
                multiply(panels.get(step - 1), (step - 1) % BUFFERS);
            }
        }
        alongRow.finish();
        alongColumn.finish();
    }

    private void expect(MatmulGrid.Panel panel, int buffer) {
        alongRow.expect(buffer, panel.gridColumn(), panel.width());
        alongColumn.expect(buffer, panel.gridRow(), panel.width());
    }

    private void multiply(MatmulGrid.Panel panel, int buffer) {
        if (alongRow.isOwn(panel.gridColumn())) {
            copyColumns(panel, alongRow.panel(buffer));
        }
        if (alongColumn.isOwn(panel.gridRow())) {
            int from = (panel.from() - blockOfB.firstRow()) * blockOfB.columns();
            System.arraycopy(b, from, alongColumn.panel(buffer), 0, panel.width() * blockOfB.columns());
        }
        alongRow.passOn(buffer, panel.gridColumn(), panel.width());
        alongColumn.passOn(buffer, panel.gridRow(), panel.width());
        double[] ofA = alongRow.panel(buffer);
        double[] ofB = alongColumn.panel(buffer);
        Dense.addProduct(c, ofA, ofB, blockOfC.rows(), blockOfC.columns(), panel.width());
    }

    private void copyColumns(MatmulGrid.Panel panel, double[] into) {
        int from = panel.from() - blockOfA.firstColumn();
        for (int row = 0; row < blockOfA.rows(); row++) {
            System.arraycopy(a, row * blockOfA.columns() + from, into, row * panel.width(), panel.width());
        }
    }

    /**
     * Panels that go round a row or a column of the grid, each from its owner to the owner's last follower. They stay
     * in order between two neighbours, so one tag is enough for all.
     */
    private static final class PanelRing {
        private final Intracomm comm;
        private final int tag;
        private final int before;
        private final int after;
        private final int place;
        private final int length;
        private final int thickness;
        private final double[][] panels;
        private final Request[] arrivals = new Request[BUFFERS];
        private final Request[] departures = new Request[BUFFERS];

        PanelRing(Intracomm comm, int tag, int before, int after, int place, int length, int thickness) {
            this.comm = comm;
            this.tag = tag;
            this.before = before;
            this.after = after;
            this.place = place;
            this.length = length;
            this.thickness = thickness;
            panels = new double[BUFFERS][thickness * MatmulGrid.PANEL_MAX];
        }

        boolean isOwn(int owner) {
            return owner == place;
        }

        double[] panel(int buffer) {
            return panels[buffer];
        }

        /** Waits until the buffer is free, and lets the panel come that {@code owner} sends off. */
        void expect(int buffer, int owner, int width) {
            finish(departures, buffer);
            if (!isOwn(owner)) {
                arrivals[buffer] = comm.Irecv(panels[buffer], 0, thickness * width, MPI.DOUBLE, before, tag);
            }
        }

        /** Waits for the panel, and sends it on if its way does not end here; it may be read meanwhile. */
        void passOn(int buffer, int owner, int width) {
            finish(arrivals, buffer);
            if ((place + 1) % length != owner) {
                departures[buffer] = comm.Isend(panels[buffer], 0, thickness * width, MPI.DOUBLE, after, tag);
            }
        }

        void finish() {
            for (int buffer = 0; buffer < BUFFERS; buffer++) {
                finish(departures, buffer);
            }
        }

        private static void finish(Request[] requests, int buffer) {
            if (requests[buffer] != null) {
                requests[buffer].Wait();
                requests[buffer] = null;
            }
        }
    }
}
