package org.posthouse.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What launchers that followed each other have shown, against what their folder keeps. */
class OutputCheckTest {
    private static final List<List<String>> KEPT = List.of(List.of("a", "a", "b"), List.of("x", "", "y"));

    private final List<String> unshown = new ArrayList<>();

    private String compare(int killed, String... shown) {
        unshown.clear();
        OutputCheck all = new OutputCheck(2);
        List.of(shown).forEach(line -> all.onLine(line + "\n"));
        return all.compare(KEPT, killed, unshown::add);
    }

    @Test
    void acceptsLinesShownOnceByAnyLauncher() {
        assertThat(compare(0, "[1] x", "[0] a", "[0] a", "[1] ", "[0] b", "[1] y")).isEmpty();
        assertThat(unshown).isEmpty();
    }

    @Test
    void aLauncherThatWasKilledMayLackALineOfEachRank() {
        assertThat(compare(1, "[0] a", "[0] a", "[1] x", "[1] y")).isEmpty();
        assertThat(unshown).containsExactly("[0] b\n", "[1] \n");
        assertThat(compare(1, "[0] a", "[1] x", "[1] y")).isEqualTo(
                "2 lines of rank 0 were kept and not shown, expected at most one for each of 1 launchers that were killed");
        assertThat(compare(0, "[0] a", "[0] a", "[0] b", "[1] x", "[1] y")).startsWith("1 lines of rank 1 were kept and not shown");
    }

    @Test
    void aLineThatIsShownTwiceIsNamed() {
        assertThat(compare(3, "[0] a", "[0] a", "[0] a", "[0] b")).isEqualTo("rank 0 was shown with a line twice, or one that was not kept: \"a\"");
        assertThat(compare(3, "[1] x", "[1] ", "[1] y", "[1] y")).contains("rank 1 was shown with a line twice", "\"y\"");
    }
}
