package org.posthouse.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LifeTaskTest {

    @TempDir
    private Path folder;

    @Test
    void readsRuns() {
        assertThat(cells("#N glider\nx = 3, y = 3, rule = B3/S23\nbo$2bo\n$3o! and whatever follows"))
                .containsExactly("0,1", "1,2", "2,0", "2,1", "2,2");
        assertThat(cells("2o3$12bo$!")).containsExactly("0,0", "0,1", "3,12");
        assertThat(cells("!")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"x=1,y=1\no!", "X = 1 , Y = 1 , RULE = b3/s23\no!", "x = 1, y = 1, rule = 23/3\no!", "o!"})
    void readsHeadersAsTheyAreWritten(String text) {
        assertThat(cells(text)).containsExactly("0,0");
    }

    @Test
    void patternErrorNamesItsLine() {
        assertComplaint("line 2: the rule is B36/S23, expected B3/S23", "#C\nx = 1, y = 1, rule = B36/S23\no!");
        assertComplaint("line 1: the header is 'x = 1', expected such as x = 3, y = 3, rule = B3/S23", "x = 1\no!");
        assertComplaint("line 2: there is 'A', expected a number, b, o, $ or !", "bo$\n2Ao!");
        assertComplaint("line 2: there is no ! at the end", "bo$\n2o");
        assertComplaint("line 1: the pattern is larger than 1048576 cells", "99999999999o!");
        assertComplaint("line 1: the pattern is larger than 1048576 cells", "1048570b9o!");
    }

    @Test
    void putsPatternInTheMiddle() throws IOException {
        Path file = Files.writeString(folder.resolve("blinker.rle"), "3o!");
        LifeBlock board = task("--rle", file.toString(), "--rows", "5", "--columns", "7").board();

        assertThat(LifePicture.of(board)).containsExactly(".......", ".......", "..###..", ".......", ".......");
    }

    @Test
    void boardOfFileIsLargeEnough() throws IOException {
        Path file = Files.writeString(folder.resolve("long.rle"), "1000o!");
        LifeTask task = task("--rle", file.toString());

        assertThat(task.rows()).isEqualTo(2000);
        assertThat(task.board().population()).isEqualTo(1000);
        assertThat(task.hasKnownEnd()).isFalse();
    }

    @Test
    void knowsTheEndOnlyForTheGenerationAndBoardThatItIsKnownFor() {
        assertThat(task().hasKnownEnd()).isTrue();
        assertThat(task("--rows", "1000").hasKnownEnd()).isTrue();
        assertThat(task("--generations", "1102").hasKnownEnd()).isFalse();
        assertThat(task("--columns", "639").hasKnownEnd()).isFalse();
    }

    @Test
    void refusesInvalidOrContradictoryOptions() {
        assertRefused("there are both --pattern and --rle, expected one of them", "--pattern", "acorn", "--rle", "x");
        assertRefused("there is no pattern 'r_pentomino', expected one of "
                + "[glider, r-pentomino, diehard, acorn, gosper-gun]", "--pattern", "r_pentomino");
        assertRefused("--picture is 'x', expected yes or no", "--picture", "x");
        assertRefused("--rows is '0', expected a whole number from 1 to 32768", "--rows", "0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> task("--pattern", "gosper-gun", "--columns", "35").board())
                .withMessage("gosper-gun has 9 rows and 36 columns of cells, the board only 384 and 35: "
                        + "give --rows and --columns");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> task("--rle", folder.resolve("none").toString()))
                .withMessageContaining("none: there is no such file");
    }

    private static void assertRefused(String message, String... words) {
        assertThatIllegalArgumentException().isThrownBy(() -> task(words)).withMessage(message);
    }

    private static void assertComplaint(String message, String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> RleReader.read(text)).withMessage(message);
    }

    private static LifeTask task(String... words) {
        return LifeTask.read(words);
    }

    private static List<String> cells(String text) {
        return RleReader.read(text).stream().map(cell -> cell[0] + "," + cell[1]).toList();
    }
}
