package org.posthouse.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The map from rank to home: its two forms, their bytes, and what is refused. */
final class RankMapCodecTest {
    private static final int HOMES = 3;

    private static byte[] encoded(int[] homeOf) {
        FrameWriter out = new FrameWriter("MAP", Wire.FRAME_BYTES_MAX);
        RankMapCodec.write(out, homeOf);
        ByteBuffer part = out.finishPart();
        byte[] bytes = new byte[part.remaining()];
        part.get(bytes);
        return bytes;
    }

    private static int[] decoded(byte[] bytes, int homes) throws WireException {
        FrameReader in = new FrameReader("MAP", ByteBuffer.wrap(bytes));
        int[] homeOf = RankMapCodec.read(in, homes);
        in.end();
        return homeOf;
    }

    /** Ranks in blocks of {@code ranks / homes}. */
    private static int[] blocks(int ranks, int homes) {
        return IntStream.range(0, ranks).map(rank -> (int) ((long) rank * homes / ranks)).toArray();
    }

    @Test
    void largestJobInBlocksOverFourHomesIsOpenedIn4KiB() throws WireException {
        List<HomeRelay> homes = IntStream.range(0, 4)
                .mapToObj(i -> new HomeRelay("s".repeat(255), "r".repeat(254) + i, "a".repeat(255)))
                .toList();
        int[] homeOf = blocks(JobOpen.RANKS_MAX, homes.size());
        JobOpen open = new JobOpen(1, Token.NONE, true, "n".repeat(255), homes, homeOf);
        ByteBuffer frame = open.encode();
        assertThat(frame.remaining()).isLessThanOrEqualTo(4 * 1024);
        assertThat(((JobOpen) SampleFrames.decode(frame)).homeOf()).isEqualTo(homeOf);
    }

    @Test
    void runsAndListHaveTheseBytes() {
        assertThat(HexFormat.of().formatHex(encoded(new int[] {2, 2, 2, 2, 2, 2, 2, 2})))
                .isEqualTo("fffffff8" + "00000001" + "00000000" + "00000008" + "0002");
        assertThat(HexFormat.of().formatHex(encoded(new int[] {2, 2, 2, 2, 2, 2, 2})))
                .as("a list of the same length").isEqualTo("00000007" + "0002".repeat(7));
        assertThat(encoded(new int[0])).containsExactly(0, 0, 0, 0);
    }

    @Test
    void anyMapComesBackAndIsNoLongerThanItsList() throws WireException {
        for (long seed = 0; seed < 500; seed++) {
            Random random = new Random(seed);
            int homes = 1 + random.nextInt(20);
            int[] homeOf = random(random, 1 + random.nextInt(1_000), homes);
            byte[] bytes = encoded(homeOf);
            assertThat(decoded(bytes, homes)).as("seed %d", seed).isEqualTo(homeOf);
            assertThat(bytes.length).as("seed %d", seed).isLessThanOrEqualTo(Integer.BYTES + Short.BYTES * homeOf.length);
        }
    }

    /** Blocks of random length, so that both forms occur. */
    private static int[] random(Random random, int ranks, int homes) {
        int[] homeOf = new int[ranks];
        int longest = 1 + random.nextInt(40);
        for (int rank = 0; rank < ranks;) {
            int end = Math.min(ranks, rank + 1 + random.nextInt(longest));
            Arrays.fill(homeOf, rank, end, random.nextInt(homes));
            rank = end;
        }
        return homeOf;
    }

    /** The form of earlier builds, which is in the logs of their jobs. */
    @Test
    void listIsReadAlsoWhereRunsAreShorter() throws WireException {
        ByteBuffer list = ByteBuffer.allocate(4 + 2 * 100).putInt(100);
        assertThat(decoded(list.array(), 1)).isEqualTo(new int[100]);
    }

    static Stream<Arguments> brokenRuns() {
        return Stream.of(
                Arguments.of("overlapping", runs(8, 0, 5, 0, 4, 4, 1), "run of 4 ranks from rank 4, expected 1 to 3 from rank 5"),
                Arguments.of("with a hole", runs(8, 0, 3, 0, 4, 4, 1), "run of 4 ranks from rank 4, expected 1 to 5 from rank 3"),
                Arguments.of("not from rank 0", runs(8, 1, 7, 0), "run of 7 ranks from rank 1, expected 1 to 8 from rank 0"),
                Arguments.of("out of order", runs(8, 4, 4, 0, 0, 4, 1), "run of 4 ranks from rank 4, expected 1 to 8 from rank 0"),
                Arguments.of("behind the last rank", runs(8, 0, 9, 0), "run of 9 ranks from rank 0, expected 1 to 8 from rank 0"),
                Arguments.of("whose end overflows", runs(8, 0, 4, 0, 4, Integer.MAX_VALUE, 0), "run of 2147483647 ranks from rank 4"),
                Arguments.of("negative", runs(8, 0, -1, 0), "run of -1 ranks from rank 0"),
                Arguments.of("from a negative rank", runs(8, -1, 8, 0), "run of 8 ranks from rank -1"),
                Arguments.of("empty", runs(8, 0, 0, 0, 0, 8, 0), "run of 0 ranks from rank 0"),
                Arguments.of("empty behind the last", runs(8, 0, 8, 0, 8, 0, 0), "run of 0 ranks from rank 8"),
                Arguments.of("missing", runs(8, 0, 5, 0), "runs end before rank 5 of 8"),
                Arguments.of("none", runs(8), "runs end before rank 0 of 8"),
                Arguments.of("at no home", runs(8, 0, 5, 0, 5, 3, HOMES), "rank 5 placed at home 3 of 3"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("brokenRuns")
    void refusesRunsThatAreNoMap(String what, byte[] bytes, String message) {
        assertThatExceptionOfType(WireException.class)
                .isThrownBy(() -> decoded(bytes, HOMES))
                .withMessageContaining(message)
                .satisfies(e -> assertThat(e.reason()).isEqualTo(CloseReason.MALFORMED_FRAME))
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("\n"));
    }

    @Test
    void refusesMoreRanksThanAJobHasBeforeItAllocates() {
        for (int count : new int[] {-JobOpen.RANKS_MAX - 1, Integer.MIN_VALUE}) {
            byte[] bytes = ByteBuffer.allocate(18).putInt(count).putInt(1).putInt(0).putInt(-count).array();
            assertThatExceptionOfType(WireException.class)
                    .isThrownBy(() -> decoded(bytes, HOMES))
                    .withMessageContaining("job of " + -(long) count + " ranks, expected 1 to 16384")
                    .satisfies(e -> assertThat(e.reason()).isEqualTo(CloseReason.LIMIT));
        }
    }

    @Test
    void refusesACountOfRunsThatDoNotFollow() {
        for (int runs : new int[] {-1, 2, Integer.MAX_VALUE}) {
            byte[] bytes = ByteBuffer.allocate(18).putInt(-8).putInt(runs).putInt(0).putInt(8).array();
            assertThatExceptionOfType(WireException.class)
                    .isThrownBy(() -> decoded(bytes, HOMES))
                    .withMessageContaining("MAP announces " + runs + " runs of ranks in 10 bytes");
        }
    }

    @Test
    void refusesEveryTruncation() {
        byte[] whole = encoded(blocks(300, HOMES));
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatExceptionOfType(WireException.class).isThrownBy(() -> decoded(cut, HOMES));
        }
    }

    /** Any bytes either are a map of at most RANKS_MAX ranks or are refused in one line. */
    @Test
    void refusesOrReadsDamagedMaps() {
        List<Integer> sizes = new ArrayList<>();
        LongStream.range(0, 20_000).forEach(seed -> {
            Random random = new Random(seed);
            byte[] bytes = encoded(random(random, 1 + random.nextInt(200), HOMES));
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            try {
                sizes.add(decoded(bytes, HOMES).length);
            } catch (WireException e) {
                assertThat(e.getMessage()).as("seed %d", seed).isNotEmpty().doesNotContain("\n");
            }
        });
        assertThat(sizes).isNotEmpty().allMatch(size -> size <= JobOpen.RANKS_MAX);
    }

    /** @param fields first rank, ranks and home of each run */
    private static byte[] runs(int ranks, int... fields) {
        ByteBuffer out = ByteBuffer.allocate(8 + fields.length / 3 * 10).putInt(-ranks).putInt(fields.length / 3);
        for (int at = 0; at < fields.length; at += 3) {
            out.putInt(fields[at]).putInt(fields[at + 1]).putShort((short) fields[at + 2]);
        }
        return out.array();
    }
}
