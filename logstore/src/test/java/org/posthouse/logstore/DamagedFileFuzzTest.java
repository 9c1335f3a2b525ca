package org.posthouse.logstore;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.posthouse.testkit.FuzzRuns;

/** The build's short run of {@link DamagedFileFuzz}. */
final class DamagedFileFuzzTest {
    private static final int ROUNDS = Boolean.getBoolean("posthouse.long") ? 3_000 : 30;
    private static final long ALLOCATED_BYTES_MAX = 64L << 20;

    /** Offsets of the queue file's head, its index and the records. */
    private static final int HEAD_BYTES = 256;

    @Test
    void aDamagedLogIsRefusedOrContinuedWithoutADefect() {
        assertThat(DamagedFileFuzz.opens(new byte[0])).as("the whole log opens").isTrue();
        List<byte[]> samples = new ArrayList<>();
        Random random = new Random(1);
        int used = (int) DamagedFileFuzz.usedBytes();
        for (int kind = 0; kind < 4; kind++) {
            for (int i = 0; i < 4; i++) {
                int offset = i < 2 ? random.nextInt(HEAD_BYTES) : used - 1 - random.nextInt(used / 4);
                samples.add(DamagedFileFuzz.input(kind, offset, random.nextInt()));
            }
        }
        FuzzRuns.each(ROUNDS, samples, ALLOCATED_BYTES_MAX, DamagedFileFuzz::fuzzerTestOneInput);
    }
}
