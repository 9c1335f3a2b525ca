package org.posthouse.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code --sizes} understands. */
class SizeListTest {
    @Test
    void readsListsWithUnits() {
        assertThat(SizeList.parse("1,1k,64K,2m")).containsExactly(1, 1024, 65_536, 2_097_152);
    }

    @Test
    void rangesDoubleUpToTheirEnd() {
        assertThat(SizeList.parse("1..16")).containsExactly(1, 2, 4, 8, 16);
        assertThat(SizeList.parse("3..20")).containsExactly(3, 6, 12);
        assertThat(SizeList.parse("512k..1m")).containsExactly(524_288, 1_048_576);
        assertThat(SizeList.parse("7..7")).containsExactly(7);
    }

    @Test
    void mixturesAreSortedAndHaveEachSizeOnce() {
        assertThat(SizeList.parse("64,1..4,2,1k")).containsExactly(1, 2, 4, 64, 1024);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "-1", "1,", "65m", "1g", "8..4", "1..", "..8", "1...4", "12345678901", "2147483648", "4k5"})
    void refusesMalformedSize(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> SizeList.parse(text)).withMessageContaining("expected 1 to 64m");
    }

    @Test
    void textOfSizeParsesBack() {
        for (int size : new int[] {1, 1000, 1024, 1536, 65_536, 1_048_576, 1_572_864}) {
            assertThat(SizeList.parse(SizeList.text(size))).containsExactly(size);
        }
        assertThat(SizeList.text(1_572_864)).isEqualTo("1536k");
    }

    @Test
    void roundsUpToWholeElements() {
        assertThat(SizeList.ofElements(List.of(1, 2, 4, 5, 1024), Float.BYTES)).containsExactly(4, 8, 1024);
        assertThat(SizeList.ofElements(List.of(1, 2), 1)).containsExactly(1, 2);
    }
}
