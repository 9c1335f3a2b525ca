package org.posthouse.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TextTableTest {
    @Test
    void alignsWordsLeftAndNumbersRight() {
        String table = TextTable.of(List.of(List.of("SITE", "RANKS", "X"), List.of("a", "5", ""), List.of("site-b", "1,024", "y")), column -> column == 1);
        assertThat(table.lines()).containsExactly("SITE    RANKS  X", "a           5", "site-b  1,024  y");
    }
}
