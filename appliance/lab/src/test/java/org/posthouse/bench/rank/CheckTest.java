package org.posthouse.bench.rank;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** That the benches' own checks find wrong data. */
class CheckTest {
    private static final int BYTES = 600;

    /** An operation of rank 1 that should receive what rank 0 sends. */
    private static ByteOperation receiving(ByteOperation.Call call) {
        return new ByteOperation(1, BYTES, BYTES, true, call, i -> BYTES, (at, i) -> BenchOperation.content(0, at));
    }

    private static String faultOf(ByteOperation.Call call) {
        ByteOperation operation = receiving(call);
        operation.fill();
        operation.run(0);
        return operation.fault(0);
    }

    private static void arrive(byte[] in, int bytes) {
        for (int i = 0; i < bytes; i++) {
            in[i] = BenchOperation.content(0, i);
        }
    }

    @Test
    void findsNothingWhenAllIsRight() {
        assertThat(faultOf((out, in, i) -> arrive(in, BYTES))).isEmpty();
    }

    @Test
    void detectsMissingByte() {
        assertThat(faultOf((out, in, i) -> arrive(in, BYTES - 1))).startsWith("byte 599 is 0, expected ");
    }

    @Test
    void findsTheOwnBytesInPlaceOfAnothers() {
        assertThat(faultOf((out, in, i) -> System.arraycopy(out, 0, in, 0, BYTES))).startsWith("byte 0 is ");
    }

    @Test
    void findsASumThatMissesSummands() {
        FloatSum sum = new FloatSum(0, 3, 16, true);
        sum.fill();
        assertThat(sum.fault(0)).isEqualTo("float 0 is -1.0, expected 3.0");
    }

    @Test
    void neighbouringRanksAndBytesDiffer() {
        Set<Byte> seen = new HashSet<>();
        for (int rank = 0; rank < 4; rank++) {
            for (int index = 0; index < 4; index++) {
                seen.add(BenchOperation.content(rank, index));
            }
        }
        assertThat(seen).hasSize(16);
    }
}
