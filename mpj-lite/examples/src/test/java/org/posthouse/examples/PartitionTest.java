package org.posthouse.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PartitionTest {

    @ParameterizedTest
    @CsvSource({"10,1", "10,2", "10,3", "10,7", "10,10", "3,8", "1,5", "0,4", "2000000000,7"})
    void sharesAllEvenlyAndInOrder(int total, int parts) {
        Partition partition = new Partition(total, parts);
        int next = 0;
        for (int part = 0; part < parts; part++) {
            assertThat(partition.first(part)).isEqualTo(next);
            assertThat(partition.count(part)).isBetween(total / parts, total / parts + 1);
            next += partition.count(part);
        }
        assertThat(next).isEqualTo(total);
        assertThat(partition.first(parts)).isEqualTo(total);
    }

    @ParameterizedTest
    @CsvSource({"10,1", "10,3", "10,7", "10,10", "3,8", "1,5", "997,31"})
    void knowsTheOwnerOfEveryOne(int total, int parts) {
        Partition partition = new Partition(total, parts);
        for (int index = 0; index < total; index++) {
            int owner = partition.owner(index);
            assertThat(index).isBetween(partition.first(owner), partition.first(owner + 1) - 1);
        }
    }

    @Test
    void speaksOfElementsToCollectives() {
        Partition partition = new Partition(5, 3);

        assertThat(partition.counts(4)).containsExactly(4, 8, 8);
        assertThat(partition.displacements(4)).containsExactly(0, 4, 12);
    }
}
