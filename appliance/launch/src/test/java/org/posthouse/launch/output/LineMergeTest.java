package org.posthouse.launch.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which bytes come next of several streams. */
class LineMergeTest {
    private static final int FULL = 100;

    private LineMerge merge = new LineMerge(true, false, FULL);
    private LineMerge.Source zero = merge.source("[0] ");
    private LineMerge.Source one = merge.source("[1] ");

    private void bare() {
        merge = new LineMerge(false, false, FULL);
        zero = merge.source("[0] ");
        one = merge.source("[1] ");
    }

    private static void put(LineMerge.Source source, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        source.put(bytes, 0, bytes.length);
    }

    private List<String> all() {
        List<String> all = new ArrayList<>();
        for (byte[] next = merge.next(); next != null; next = merge.next()) {
            all.add(new String(next, StandardCharsets.UTF_8));
        }
        return all;
    }

    @Test
    void linesAreTaggedAndStreamsAlternate() {
        put(zero, "a\nb\n");
        put(one, "c\n\n");
        assertThat(all()).containsExactly("[0] a\n", "[1] c\n", "[0] b\n", "[1] \n");
        assertThat(merge.isEmpty()).isTrue();
    }

    @Test
    void aPromptShowsAtOnceAndItsLineHasOneTag() {
        put(zero, "Name? ");
        assertThat(all()).containsExactly("[0] Name? ");
        put(zero, "Bob\nnext");
        assertThat(all()).containsExactly("Bob\n", "[0] next");
    }

    @Test
    void wholeLinesGoBeforeOneThatIsBegun() {
        put(zero, "half");
        put(one, "whole\n");
        assertThat(all()).containsExactly("[1] whole\n", "[0] half");
    }

    @Test
    void anotherLineWaitsForTheEndOfAnOpenOneAndABegunOneNeverInterrupts() {
        put(zero, "a");
        assertThat(all()).containsExactly("[0] a");
        put(one, "b");
        assertThat(all()).isEmpty();
        assertThat(merge.isHeldUp()).isFalse();
        put(one, "b\n");
        assertThat(all()).isEmpty();
        assertThat(merge.isHeldUp()).isTrue();
        put(zero, "a\n");
        assertThat(all()).containsExactly("a\n", "[1] bb\n");
    }

    @Test
    void anOpenLineThatIsInterruptedGoesOnBehindItsTag() {
        put(zero, "Name? ");
        all();
        put(one, "b\n");
        assertThat(merge.interrupt()).isEqualTo(new byte[] {'\n'});
        assertThat(all()).containsExactly("[1] b\n");
        put(zero, "Bob\n");
        assertThat(all()).containsExactly("[0] Bob\n");
    }

    @Test
    void nothingIsAddedToAProgressBar() {
        put(zero, "10%\r");
        assertThat(all()).containsExactly("[0] 10%\r");
        put(zero, "20%\r");
        assertThat(all()).containsExactly("20%\r");
        assertThat(merge.isAtReturn()).isTrue();
        put(one, "b\n");
        assertThat(merge.interrupt()).isEmpty();
        put(zero, "30%\r");
        assertThat(all()).containsExactly("[1] b\n", "[0] 30%\r");
    }

    @Test
    void aLineThatNobodyEndsIsInterruptedByTheNext() {
        put(zero, "last words");
        zero.end();
        assertThat(all()).containsExactly("[0] last words");
        put(one, "b\n");
        assertThat(all()).containsExactly("\n", "[1] b\n");
    }

    @Test
    void aLineOfAnyLengthHasOneTagAndNothingInIt() {
        put(zero, "x".repeat(FULL));
        put(one, "whole\n");
        List<String> all = all();
        put(zero, "y".repeat(3 * FULL));
        all.addAll(all());
        put(zero, "\n");
        all.addAll(all());
        assertThat(String.join("", all)).isEqualTo("[0] " + "x".repeat(FULL) + "y".repeat(3 * FULL) + "\n[1] whole\n");
    }

    @Test
    void theLaunchersLinesWaitForNoOnesEnd() {
        put(zero, "a");
        all();
        put(merge.launcher(), "posthouse: news\n");
        assertThat(all()).containsExactly("\n", "posthouse: news\n");
        put(zero, "b\n");
        assertThat(all()).containsExactly("[0] b\n");
    }

    @Test
    void withoutTagsNothingIsAdded() {
        bare();
        put(zero, "a");
        all();
        put(one, "b\n");
        assertThat(merge.isHeldUp()).isTrue();
        assertThat(merge.interrupt()).isEmpty();
        assertThat(all()).containsExactly("b\n");
        put(zero, "c\n");
        assertThat(all()).containsExactly("c\n");
    }

    @Test
    void wholeLineModeHoldsBackPartialLines() {
        merge = new LineMerge(true, true, FULL);
        zero = merge.source("[0] ");
        put(zero, "a");
        assertThat(all()).isEmpty();
        zero.end();
        assertThat(all()).containsExactly("[0] a\n");
    }
}
