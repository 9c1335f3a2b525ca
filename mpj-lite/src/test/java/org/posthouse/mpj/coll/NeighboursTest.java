package org.posthouse.mpj.coll;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.posthouse.mpj.coll.Store.Kind;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Layout;
import org.posthouse.mpj.data.Region;

/** Exchanges with the neighbours of a topology: graphs drawn from a seed, and grids that meet themselves. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class NeighboursTest {
    private static final int NOBODY = -3;

    static Stream<Machine> machines() {
        return Machine.all().flatMap(machine -> IntStream.range(0, 4)
                .mapToObj(i -> new Machine(machine.size(), machine.sites(), "", machine.seed() + 100 * i)));
    }

    /** A directed graph that all ranks know, with edges to the rank itself, repeated ones, and ones to nobody. */
    private record Graph(int[][] sources, int[][] destinations) {
        static Graph draw(int size, Random random) {
            List<List<Integer>> sources = new ArrayList<>();
            List<List<Integer>> destinations = new ArrayList<>();
            for (int rank = 0; rank < size; rank++) {
                sources.add(new ArrayList<>());
                destinations.add(new ArrayList<>());
            }
            for (int edge = random.nextInt(4 * size); edge > 0; edge--) {
                int from = random.nextInt(size + 1);
                int to = random.nextInt(size + 1);
                if (from < size) {
                    destinations.get(from).add(to < size ? to : NOBODY);
                }
                if (to < size) {
                    sources.get(to).add(from < size ? from : NOBODY);
                }
            }
            return new Graph(arrays(sources), arrays(destinations));
        }

        private static int[][] arrays(List<List<Integer>> lists) {
            return lists.stream().map(list -> list.stream().mapToInt(i -> i).toArray()).toArray(int[][]::new);
        }

        /** Which of a rank's destinations an index of its sources belongs to. */
        int edgeOf(int rank, int index) {
            int from = sources[rank][index];
            int nth = (int) IntStream.range(0, index).filter(i -> sources[rank][i] == from).count();
            int[] edges = IntStream.range(0, destinations[from].length)
                    .filter(i -> destinations[from][i] == rank)
                    .toArray();
            return edges[nth];
        }
    }

    private static int[] values(int from, int edge, int data) {
        return IntStream.range(0, data).map(i -> i + 1000 * edge + 100_000 * from).toArray();
    }

    @ParameterizedTest
    @MethodSource("machines")
    void exchangesAlongEveryEdge(Machine machine) {
        Graph graph = Graph.draw(machine.size(), machine.random());
        int data = machine.random().nextBoolean() ? Kind.UNIT : 3000;
        machine.run((peers, rank) -> {
            Random own = machine.random(rank);
            int[] sources = graph.sources[rank];
            int[] destinations = graph.destinations[rank];
            Neighbours neighbours = Neighbours.inGraph(sources, destinations);
            Store send = new Store(Kind.draw(own), data * destinations.length, data);
            for (int edge = 0; edge < destinations.length; edge++) {
                send.fill(edge * data, values(rank, edge, data));
            }
            Store room = new Store(Kind.draw(own), data * sources.length, data);
            int[] expected = room.read();
            for (int i = 0; i < sources.length; i++) {
                if (sources[i] >= 0) {
                    int[] coming = values(sources[i], graph.edgeOf(rank, i), data);
                    System.arraycopy(coming, 0, expected, i * data, data);
                }
            }
            neighbours.alltoall(
                    peers, send.region(), Blocks.even(send.elements(data)), room.region(),
                    Blocks.even(room.elements(data)));
            room.requireData(machine + " rank " + rank, expected);

            Store same = Store.of(Kind.draw(own), data, values(rank, 0, data));
            Store all = new Store(Kind.draw(own), data * sources.length, data);
            int[] first = all.read();
            for (int i = 0; i < sources.length; i++) {
                if (sources[i] >= 0) {
                    System.arraycopy(values(sources[i], 0, data), 0, first, i * data, data);
                }
            }
            neighbours.allgather(peers, same.region(), same.count(), all.region(), Blocks.even(all.elements(data)));
            all.requireData(machine + " rank " + rank, first);
        });
    }

    private static Region ints(int... values) {
        return new Region(Base.INT, Layout.ONE, values, 0);
    }

    @Test
    void blockSentUpArrivesFromBelowInShortRings() {
        for (int size : new int[] {1, 2, 3}) {
            new Machine(size, 1, "", size).run((peers, rank) -> {
                int[] ring = {(rank + size - 1) % size, (rank + 1) % size, NOBODY, NOBODY};
                int[] room = {-1, -1, -1, -1};
                Neighbours.inGrid(ring)
                        .alltoall(peers, ints(10 * rank, 10 * rank + 1, 8, 9), Blocks.even(1), ints(room), Blocks.even(1));
                assertThat(room).containsExactly(10 * ring[0] + 1, 10 * ring[1], -1, -1);
            });
        }
    }

    /** Alltoallw in a ring: down go bytes, up go longs. */
    @Test
    void blocksOfTwoTypesGoTheirOwnWaysRoundAShortRing() {
        for (int size : new int[] {1, 2, 3}) {
            new Machine(size, 1, "", size).run((peers, rank) -> {
                int[] ring = {(rank + size - 1) % size, (rank + 1) % size};
                byte[] down = {(byte) rank};
                long[] up = {-1 - rank, 1L << 40};
                long[] fromBelow = new long[2];
                byte[] fromAbove = new byte[1];
                Neighbours.inGrid(ring)
                        .alltoall(
                                peers,
                                new Block[] {block(Base.BYTE, down, 1), block(Base.LONG, up, 2)},
                                new Block[] {block(Base.LONG, fromBelow, 2), block(Base.BYTE, fromAbove, 1)});
                assertThat(fromBelow).containsExactly(-1 - ring[0], 1L << 40);
                assertThat(fromAbove).containsExactly((byte) ring[1]);
            });
        }
    }

    private static Block block(Base base, Object array, int count) {
        return new Block(new Region(base, Layout.ONE, array, 0), 0, count);
    }

    @Test
    void sendAndReceiveBlocksMayLieInOneArray() {
        new Machine(3, 1, "", 1).run((peers, rank) -> {
            int[] next = {(rank + 1) % 3};
            int[] before = {(rank + 2) % 3};
            int[] values = new int[5000];
            Arrays.fill(values, rank);
            Neighbours.inGraph(before, next)
                    .alltoall(peers, ints(values), Blocks.even(5000), ints(values), Blocks.even(5000));
            assertThat(values).containsOnly(before[0]);
        });
    }
}
