package org.posthouse.mpj.coll;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Layout;
import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.operation.Content;

/** How many steps of the rotation are under way. */
class AlltoallTest {
    private static Region region(byte[] bytes) {
        return new Region(Base.BYTE, Layout.ONE, bytes, 0);
    }

    @ParameterizedTest
    @CsvSource({"0, 8", "262143, 8", "262144, 2", "300000, 1", "1048576, 1"})
    void largeBlocksAreFewAtOnce(int largest, int steps) {
        Content[] contents = {null, region(new byte[1]).content(0, 1), region(new byte[largest]).content(0, largest)};
        assertThat(Alltoall.stepsUnderWay(contents)).isEqualTo(steps);
    }

    /** Ranks with large blocks have one step under way, the others eight: nobody waits for ever. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void ranksNeedNotAgreeHowMany(int seed) {
        int size = 11;
        int[] bytes = IntStream.range(0, size).map(rank -> rank % 3 == seed % 3 ? 300_000 : rank + 1).toArray();
        new Machine(size, 2, "", seed).run((peers, rank) -> {
            Block[] send = new Block[size];
            Block[] receive = new Block[size];
            byte[][] got = new byte[size][];
            for (int peer = 0; peer < size; peer++) {
                byte[] given = new byte[bytes[rank]];
                Arrays.fill(given, (byte) (rank * size + peer));
                got[peer] = new byte[bytes[peer]];
                send[peer] = new Block(region(given), 0, given.length);
                receive[peer] = new Block(region(got[peer]), 0, got[peer].length);
            }
            Alltoall.run(peers, send, receive);
            for (int peer = 0; peer < size; peer++) {
                byte[] expected = new byte[bytes[peer]];
                Arrays.fill(expected, (byte) (peer * size + rank));
                assertThat(got[peer]).as("block of rank %d at rank %d", peer, rank).isEqualTo(expected);
            }
        });
    }
}
