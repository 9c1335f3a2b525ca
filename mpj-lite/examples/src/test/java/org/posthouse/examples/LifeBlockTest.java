package org.posthouse.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class LifeBlockTest {

    /** Boards of every kind of width: below, at and beyond a word, and those where a cell is its own neighbour. */
    @ParameterizedTest
    @CsvSource({"1,1", "1,2", "2,1", "2,2", "3,3", "1,64", "5,63", "6,64", "7,65", "9,128", "8,129", "20,200", "33,7"})
    void obeysTheRulesCellByCell(int rows, int columns) {
        Random random = new Random(rows * 1000L + columns);
        for (int trial = 0; trial < 20; trial++) {
            boolean[][] plain = new boolean[rows][columns];
            LifeBlock block = new LifeBlock(rows, columns);
            for (int row = 0; row < rows; row++) {
                for (int column = 0; column < columns; column++) {
                    if (random.nextInt(1 + trial) < 3) {
                        plain[row][column] = true;
                        block.bear(row + 1, column);
                    }
                }
            }
            for (int generation = 0; generation < 8; generation++) {
                assertSame(block, plain);
                block.advanceAlone(1);
                plain = next(plain);
            }
        }
    }

    private static boolean[][] next(boolean[][] now) {
        int rows = now.length;
        int columns = now[0].length;
        boolean[][] next = new boolean[rows][columns];
        for (int row = 0; row < rows; row++) {
            for (int column = 0; column < columns; column++) {
                int neighbours = 0;
                for (int place = 0; place < 9; place++) {
                    int y = (row + place / 3 - 1 + rows) % rows;
                    int x = (column + place % 3 - 1 + columns) % columns;
                    neighbours += place != 4 && now[y][x] ? 1 : 0;
                }
                next[row][column] = neighbours == 3 || neighbours == 2 && now[row][column];
            }
        }
        return next;
    }

    private static void assertSame(LifeBlock block, boolean[][] plain) {
        int population = 0;
        for (int row = 0; row < plain.length; row++) {
            for (int column = 0; column < plain[row].length; column++) {
                assertThat(block.isAlive(row + 1, column)).isEqualTo(plain[row][column]);
                population += plain[row][column] ? 1 : 0;
            }
        }
        assertThat(block.population()).isEqualTo(population);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ACORN") // takes seconds
    void patternsGrowAsIsKnown(LifePattern pattern) {
        LifeTask task = LifeTask.read(new String[] {"--pattern", pattern.word()});
        assertThat(task.hasKnownEnd()).isTrue();
        LifeBlock board = task.board();
        board.advanceAlone(task.generations());

        assertThat(board.population()).isEqualTo(pattern.population());
    }

    @Test
    void diehardLivesUntilTheGenerationBefore() {
        LifeBlock board = LifeTask.read(new String[] {"--pattern", "diehard"}).board();
        board.advanceAlone(129);
        assertThat(board.population()).isEqualTo(2);
    }

    @Test
    void picturesShowWhereAnythingLives() {
        LifeBlock small = new LifeBlock(2, 3);
        small.bear(1, 2);
        small.bear(2, 0);
        assertThat(LifePicture.of(small)).containsExactly("..#", "#..");

        LifeBlock large = new LifeBlock(81, 200);
        large.bear(81, 199);
        large.bear(3, 2);
        assertThat(LifePicture.of(large)).hasSize(27).allMatch(line -> line.length() == 67);
        assertThat(LifePicture.of(large).get(0)).startsWith("#.").doesNotEndWith("#");
        assertThat(LifePicture.of(large).get(26)).startsWith("..").endsWith(".#");
    }
}
