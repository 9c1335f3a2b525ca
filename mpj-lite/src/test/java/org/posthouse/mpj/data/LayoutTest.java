package org.posthouse.mpj.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Layouts: which elements, in which order, and how far apart; against lists of single displacements. */
class LayoutTest {
    /** The displacements of {@code count} elements from index {@code offset} on, one by one. */
    private static List<Integer> walked(Layout layout, int offset, long from, int count) {
        List<Integer> indexes = new ArrayList<>();
        layout.walk(offset, from, count, (index, run) -> {
            assertThat(run).isPositive();
            for (int i = 0; i < run; i++) {
                indexes.add(index + i);
            }
        });
        return indexes;
    }

    private static Layout vector(int count, int length, int stride, Layout part) {
        LayoutBuilder builder = new LayoutBuilder();
        for (int block = 0; block < count; block++) {
            builder.add(block * stride * part.extent(), length, part);
        }
        return builder.build();
    }

    @Test
    void theExampleOfTheApiFacts() {
        Layout layout = new LayoutBuilder().add(1, 2, Layout.ONE).add(10, 2, Layout.ONE).build();
        assertThat(layout.lower()).isEqualTo(1);
        assertThat(layout.upper()).isEqualTo(12);
        assertThat(layout.extent()).isEqualTo(11);
        assertThat(layout.size()).isEqualTo(4);
        assertThat(walked(layout, 100, 0, 6)).containsExactly(101, 102, 110, 111, 112, 113);
    }

    @Test
    void markersSetTheBoundsOutrightAndSurviveNesting() {
        Layout marked = new LayoutBuilder()
                .add(-3, 1, Layout.lowerMarker())
                .add(0, 1, Layout.ONE)
                .add(6, 1, Layout.upperMarker())
                .build();
        assertThat(marked.lower()).isEqualTo(-3);
        assertThat(marked.upper()).isEqualTo(6);
        assertThat(marked.size()).isEqualTo(1);
        Layout two = new LayoutBuilder().add(0, 2, marked).build();
        assertThat(two.lower()).isEqualTo(-3);
        assertThat(two.upper()).isEqualTo(15);
        assertThat(walked(two, 0, 0, 2)).containsExactly(0, 9);
        Layout inside = new LayoutBuilder()
                .add(0, 4, Layout.ONE)
                .add(2, 1, Layout.upperMarker())
                .build();
        assertThat(inside.extent()).isEqualTo(2);
        assertThat(walked(inside, 0, 0, 8)).containsExactly(0, 1, 2, 3, 2, 3, 4, 5);
    }

    @Test
    void blocksOfLengthZeroContributeNothing() {
        Layout layout = new LayoutBuilder()
                .add(-9, 0, Layout.ONE)
                .add(2, 1, Layout.ONE)
                .add(50, 0, Layout.upperMarker())
                .build();
        assertThat(layout.lower()).isEqualTo(2);
        assertThat(layout.upper()).isEqualTo(3);
        assertThat(new LayoutBuilder().build().extent()).isZero();
    }

    @Test
    void adjacentBlocksAreOne() {
        assertThat(vector(3, 4, 4, Layout.ONE).isDense()).isTrue();
        assertThat(vector(3, 4, 5, Layout.ONE).isDense()).isFalse();
        assertThat(Layout.ONE.resized(0, 2).isDense()).isFalse();
        assertThat(Layout.ONE.resized(0, 2).resized(0, 1).isDense()).isTrue();
    }

    @Test
    void walksAnyPartInTheOrderOfTheTypeMap() {
        Random random = new Random(7);
        for (int trial = 0; trial < 500; trial++) {
            List<Integer> map = new ArrayList<>();
            LayoutBuilder builder = new LayoutBuilder();
            int blocks = 1 + random.nextInt(4);
            for (int block = 0; block < blocks; block++) {
                int at = random.nextInt(40) - 10;
                int length = random.nextInt(4);
                builder.add(at, length, Layout.ONE);
                for (int i = 0; i < length; i++) {
                    map.add(at + i);
                }
            }
            Layout layout = builder.build();
            assertThat(layout.size()).isEqualTo(map.size());
            if (map.isEmpty()) {
                continue;
            }
            int elements = 1 + random.nextInt(5);
            List<Integer> all = new ArrayList<>();
            for (int element = 0; element < elements; element++) {
                int start = 1000 + element * layout.extent();
                map.forEach(at -> all.add(start + at));
            }
            int from = random.nextInt(all.size());
            int count = random.nextInt(all.size() - from + 1);
            assertThat(walked(layout, 1000, from, count)).isEqualTo(all.subList(from, from + count));
            assertThat(1000 + layout.first(elements)).isEqualTo(all.stream().mapToInt(i -> i).min().getAsInt());
            assertThat(1000 + layout.end(elements)).isEqualTo(all.stream().mapToInt(i -> i).max().getAsInt() + 1);
        }
    }

    /** A layout, and its displacements one by one. */
    private record Mapped(Layout layout, List<Integer> map) {
        /** Copies at one distance, as a list. */
        void addTo(List<Integer> all, int at, int times, int distance) {
            for (int copy = 0; copy < times; copy++) {
                int start = at + copy * distance;
                map.forEach(each -> all.add(start + each));
            }
        }
    }

    private static Mapped random(Random random, int depth) {
        LayoutBuilder builder = new LayoutBuilder();
        List<Integer> map = new ArrayList<>();
        int calls = 1 + random.nextInt(3);
        for (int call = 0; call < calls; call++) {
            Mapped part = depth == 0 ? new Mapped(Layout.dense(1 + random.nextInt(3)), null) : random(random, depth - 1);
            part = part.map == null ? new Mapped(part.layout, walked(part.layout, 0, 0, part.layout.size())) : part;
            int at = random.nextInt(30) - 10;
            int times = random.nextInt(4);
            int distance = random.nextBoolean() ? part.layout.extent() : random.nextInt(15) - 5;
            if (distance == part.layout.extent()) {
                builder.add(at, times, part.layout);
            } else {
                builder.addEach(at, times, distance, part.layout);
            }
            part.addTo(map, at, times, distance);
        }
        Layout layout = builder.build();
        return new Mapped(random.nextInt(4) == 0 && layout.size() > 0 ? layout.scaled(1).resized(layout.lower(), layout.extent() + 2) : layout, map);
    }

    @Test
    void walksAnyPartOfLayoutsOfLayouts() {
        Random random = new Random(11);
        for (int trial = 0; trial < 3000; trial++) {
            Mapped drawn = random(random, random.nextInt(4));
            Layout layout = drawn.layout;
            assertThat(layout.size()).isEqualTo(drawn.map.size());
            if (drawn.map.isEmpty()) {
                continue;
            }
            int elements = 1 + random.nextInt(3);
            List<Integer> all = new ArrayList<>();
            drawn.addTo(all, 1000, elements, layout.extent());
            int from = random.nextInt(all.size());
            int count = random.nextInt(all.size() - from + 1);
            assertThat(walked(layout, 1000, from, count)).isEqualTo(all.subList(from, from + count));
            assertThat(1000 + layout.first(elements)).isEqualTo(all.stream().mapToInt(i -> i).min().getAsInt());
            assertThat(1000 + layout.end(elements)).isEqualTo(all.stream().mapToInt(i -> i).max().getAsInt() + 1);
            List<Integer> scaled = new ArrayList<>();
            all.forEach(at -> scaled.addAll(List.of(2 * at, 2 * at + 1)));
            assertThat(walked(layout.scaled(2), 2000, 0, scaled.size())).isEqualTo(scaled);
        }
    }

    @Test
    void regularLayoutIsOneRun() {
        int many = 200_000_000;
        Layout vector = new LayoutBuilder().addEach(0, many, 2, Layout.ONE).build();
        assertThat(vector.runs().at()).hasSize(1);
        assertThat(vector.size()).isEqualTo(many);
        assertThat(vector.extent()).isEqualTo(2 * many - 1);
        assertThat(walked(vector, 5, many - 2, 3)).containsExactly(5 + 2 * (many - 2), 5 + 2 * (many - 1), 5 + 2 * many - 1);
        Layout gap = Layout.ONE.resized(0, 2);
        assertThat(new LayoutBuilder().add(0, many, gap).build().runs().at()).hasSize(1);
        Layout rows = new LayoutBuilder().addEach(0, 1000, 5, gap).build();
        Layout cube = new LayoutBuilder().addEach(3, 400_000, 5000, rows).build();
        assertThat(cube.runs().at()).as("a regular run of regular runs").hasSize(1);
        assertThat(cube.runs().part()).isNull();
        Layout block = new LayoutBuilder().addEach(0, 20_000, 50_000, new LayoutBuilder().addEach(0, 10_000, 3, Layout.ONE).build()).build();
        assertThat(block.runs().at()).as("a part of a matrix").hasSize(1);
        assertThat(walked(block, 0, 10_000, 2)).containsExactly(50_000, 50_003);
        LayoutBuilder indexed = new LayoutBuilder();
        for (int i = 0; i < 100_000; i++) {
            indexed.add(7 * i, 2, Layout.ONE).add(7 * i + 2, 1, Layout.ONE);
        }
        assertThat(indexed.build().runs().at()).as("an index at one stride").hasSize(1);
    }

    @Test
    void refusesLayoutsThatOverflowInt() {
        assertThatThrownBy(() -> new LayoutBuilder().addEach(0, 3, 1 << 30, Layout.ONE).build()).isInstanceOf(ArithmeticException.class);
        assertThatThrownBy(() -> new LayoutBuilder().addEach(0, 2, 1L << 40, Layout.ONE).build()).isInstanceOf(ArithmeticException.class);
        assertThatThrownBy(() -> new LayoutBuilder().add(-1 << 30, 1, Layout.ONE).add(3 << 29, 1, Layout.ONE).build())
                .as("the extent").isInstanceOf(ArithmeticException.class);
        assertThatThrownBy(() -> new LayoutBuilder().add(0, 1 << 30, Layout.dense(4)))
                .isInstanceOf(ArithmeticException.class);
    }
}
