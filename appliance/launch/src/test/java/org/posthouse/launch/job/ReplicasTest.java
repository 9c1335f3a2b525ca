package org.posthouse.launch.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplicasTest {
    @Test
    void aDegreeAloneIsOfAllRanks() {
        assertThat(Replicas.of("3").degrees(4)).containsExactly(3, 3, 3, 3);
        assertThat(Replicas.of("1").areWanted()).isFalse();
        assertThat(Replicas.NONE.degrees(2)).containsExactly(1, 1);
    }

    @Test
    void ranksAndRangesAreReplicatedAndOthersAreNot() {
        Replicas some = Replicas.of("2:0,3,7-9");
        assertThat(some.degrees(11)).containsExactly(2, 1, 1, 2, 1, 1, 1, 2, 2, 2, 1);
        assertThat(some).hasToString("2:0,3,7-9").isEqualTo(Replicas.of(some.toString()));
        assertThat(Replicas.of("4")).hasToString("4");
    }

    @Test
    void aRankNamedTwiceCountsOnce() {
        assertThat(Replicas.of("2:0-2,1").degrees(4)).containsExactly(2, 2, 2, 1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "two | \"two\", expected a degree such as 2, or a degree and ranks such as 2:0,3,7-9",
        "2: | \"2:\", expected a degree such as 2, or a degree and ranks such as 2:0,3,7-9",
        "-2 | \"-2\", expected a degree such as 2, or a degree and ranks such as 2:0,3,7-9",
        "0 | degree 0, expected 1 to 16",
        "17 | degree 17, expected 1 to 16",
        "2:1,,2 | \"\" in \"1,,2\", expected a rank such as 3 or a range such as 7-9",
        "2:1-x | \"1-x\" in \"1-x\", expected a rank such as 3 or a range such as 7-9",
        "2:5-3 | range 5-3 ends before it begins"
    })
    void saysWhatIsWrong(String word, String why) {
        assertThatThrownBy(() -> Replicas.of(word)).isInstanceOf(IllegalArgumentException.class).hasMessage(why);
    }

    @Test
    void aRankThatTheJobHasNotIsRefusedByItsNumber() {
        assertThatThrownBy(() -> Replicas.of("2:1-4").degrees(4)).hasMessage("rank 4 of a job of 4 ranks, which has ranks 0 to 3");
    }
}
