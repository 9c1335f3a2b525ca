package org.posthouse.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.io.StringReader;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TableTest {

    @Test
    void takesTheColumnsThatHaveNumbers() throws IOException {
        Table table = read("length,kind,width\n1.5,a,-2\n3e2,4,.5\n", null);

        assertThat(table.names()).containsExactly("length", "width");
        assertThat(table.values()).containsExactly(1.5, -2, 300, 0.5);
        assertThat(table.rows()).isEqualTo(2);
    }

    @Test
    void takesChosenColumnsByNameOrNumberInThatOrder() throws IOException {
        Table table = read("length,kind,width\n1.5,7,-2\n3,4,.5\n", "width, 1");

        assertThat(table.names()).containsExactly("width", "length");
        assertThat(table.values()).containsExactly(-2, 1.5, 0.5, 3);
    }

    @Test
    void needsNoHeader() throws IOException {
        Table table = read("1,2\n3,4", null);

        assertThat(table.names()).containsExactly("column 1", "column 2");
        assertThat(table.values()).containsExactly(1, 2, 3, 4);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a,b\n1,2\n", "a,b\r\n1,2\r\n", "a,b\r1,2", "\uFEFFa,b\n\n1,2\n\n\n", " a , b \n 1 , 2 ", "\"a\",\"b\"\n\"1\",2"})
    void readsLinesHoweverTheyEnd(String text) throws IOException {
        Table table = read(text, null);

        assertThat(table.names()).containsExactly("a", "b");
        assertThat(table.values()).containsExactly(1, 2);
    }

    @Test
    void quotedCellsMayHoldAnything() throws IOException {
        Table table = read("\"the \"\"long\"\" one,\nin cm\",n\n1,2\n", null);

        assertThat(table.names()).containsExactly("the \"long\" one,\nin cm", "n");
    }

    @Test
    void takesAnotherSeparator() throws IOException {
        assertThat(Table.read(new StringReader("a;b\n1;2"), ';', "b").values()).containsExactly(2);
    }

    @Test
    void readsMoreRowsThanItExpected() throws IOException {
        String text = IntStream.range(0, 5000).mapToObj(i -> i + "," + -i).collect(Collectors.joining("\n"));
        Table table = read(text, null);

        assertThat(table.rows()).isEqualTo(5000);
        assertThat(table.values()[9999]).isEqualTo(-4999);
    }

    @Test
    void errorNamesLineAndColumnOfNonNumericCell() {
        assertComplaint("line 3, column 2 (b) is 'x', expected a number", "a,b\n1,2\n3,x\n", null);
        assertComplaint("line 4, column 2 (b) is '', expected a number", "a,b\n\"1\",2\n\n3,\n", null);
        assertComplaint("line 4, column 1 (a) is 'NaN', expected a number", "a,\"b\nc\"\n1,2\nNaN,2\n", null);
        assertComplaint("line 2, column 2 (b) is 'z', expected a number", "a,b\n1,z\n", "a,b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1f", "0x10", "Infinity", "1e999", "1-2", "1 2", "--1", "e", "1,5;"})
    void javasOwnWordsAreNoNumbers(String cell) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Table.read(new StringReader("a|b\n1|2\n3|" + cell), '|', null))
                .withMessage("line 3, column 2 (b) is '" + cell + "', expected a number");
    }

    @Test
    void refusesMalformedTables() {
        assertComplaint("there is no line in it", "\n\n", null);
        assertComplaint("there is a header in line 1, but no line of numbers", "a,b\n", null);
        assertComplaint("line 2 has no number in any column", "a,b\nc,d\n", null);
        assertComplaint("line 3 has 3 columns, expected 2 as in the first line", "a,b\n1,2\n1,2,3\n", null);
        assertComplaint("line 2 has 1 columns, expected 2 as in the first line", "a,b\n1\n", null);
        assertComplaint("line 2: a quoted cell has no end", "a,b\n1,\"2\n3,4\n", null);
        assertComplaint("line 2: expected ',' or the line's end behind a quoted cell, not 'x'", "a,b\n\"1\"x,2\n", null);
    }

    @Test
    void complainsOfColumnsThatAreNotThere() {
        assertComplaint("there is no column 'c', expected some of [a, b] or numbers from 1 to 2", "a,b\n1,2\n", "a,c");
        assertComplaint("there is no column '3', expected some of [a, b] or numbers from 1 to 2", "a,b\n1,2\n", "3");
        assertComplaint("there is no column '', expected some of [a, b] or numbers from 1 to 2", "a,b\n1,2\n", "a,");
        assertComplaint("'a,1' names a column twice", "a,b\n1,2\n", "a,1");
    }

    private static void assertComplaint(String message, String text, String columns) {
        assertThatIllegalArgumentException().isThrownBy(() -> read(text, columns)).withMessage(message);
    }

    private static Table read(String text, String columns) throws IOException {
        return Table.read(new StringReader(text), ',', columns);
    }
}
