package mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Groups against java.util's sets and lists, in both spellings. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class GroupTest {
    private static final int WORLD = 9;

    private static Group group(int self, List<Integer> worldRanks) {
        return new Group(worldRanks.stream().mapToInt(Integer::intValue).toArray(), WORLD, self);
    }

    private static List<Integer> members(Group group) {
        return Arrays.stream(group.worldRanks()).boxed().toList();
    }

    private static List<Integer> draw(Random random) {
        List<Integer> all = new ArrayList<>();
        for (int each = 0; each < WORLD; each++) {
            all.add(each);
        }
        Collections.shuffle(all, random);
        return new ArrayList<>(all.subList(0, random.nextInt(WORLD + 1)));
    }

    /** A check of two random groups. */
    private interface Check {
        void of(List<Integer> left, List<Integer> right, Group leftGroup, Group rightGroup, Random random);
    }

    private static void always(Check check) {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            List<Integer> left = draw(random);
            List<Integer> right = draw(random);
            int self = random.nextInt(WORLD);
            check.of(left, right, group(self, left), group(self, right), random);
        }
    }

    @Test
    void combinesLikeSetsInOrder() {
        always((left, right, leftGroup, rightGroup, random) -> {
            Set<Integer> both = new LinkedHashSet<>(left);
            both.addAll(right);
            assertThat(members(Group.Union(leftGroup, rightGroup))).containsExactlyElementsOf(both);
            assertThat(members(Group.union(leftGroup, rightGroup))).containsExactlyElementsOf(both);
            List<Integer> common = new ArrayList<>(left);
            common.retainAll(right);
            assertThat(members(Group.Intersection(leftGroup, rightGroup))).isEqualTo(common);
            assertThat(members(Group.intersection(leftGroup, rightGroup))).isEqualTo(common);
            List<Integer> rest = new ArrayList<>(left);
            rest.removeAll(right);
            assertThat(members(Group.Difference(leftGroup, rightGroup))).isEqualTo(rest);
            assertThat(members(Group.difference(leftGroup, rightGroup))).isEqualTo(rest);
        });
    }

    @Test
    void translatesByWorldRank() {
        always((left, right, leftGroup, rightGroup, random) -> {
            int[] ranks = new int[left.size() + 1];
            int[] expected = new int[ranks.length];
            for (int rank = 0; rank < left.size(); rank++) {
                ranks[rank] = rank;
                int found = right.indexOf(left.get(rank));
                expected[rank] = found < 0 ? MPI.UNDEFINED : found;
            }
            ranks[left.size()] = MPI.PROC_NULL;
            expected[left.size()] = MPI.PROC_NULL;
            assertThat(Group.Translate_ranks(leftGroup, ranks, rightGroup)).containsExactly(expected);
            assertThat(Group.translateRanks(leftGroup, ranks, rightGroup)).containsExactly(expected);
        });
    }

    @Test
    void picksAndLeavesOutRanks() {
        always((left, right, leftGroup, rightGroup, random) -> {
            int[] ranks = right.stream().filter(rank -> rank < left.size()).mapToInt(Integer::intValue).toArray();
            List<Integer> picked = Arrays.stream(ranks).mapToObj(left::get).toList();
            List<Integer> others = new ArrayList<>(left);
            others.removeAll(picked);
            assertThat(members(leftGroup.Incl(ranks))).isEqualTo(picked);
            assertThat(members(leftGroup.incl(ranks))).isEqualTo(picked);
            assertThat(members(leftGroup.Excl(ranks))).isEqualTo(others);
            assertThat(members(leftGroup.excl(ranks))).isEqualTo(others);
            assertThat(Group.Compare(leftGroup.Incl(ranks), leftGroup)).isEqualTo(
                    picked.equals(left) ? MPI.IDENT : picked.size() == left.size() ? MPI.SIMILAR : MPI.UNEQUAL);
        });
    }

    @Test
    void walksRanges() {
        Group world = Group.world(WORLD, 4);
        int[][] ranges = {{7, 1, -3}, {8, 8, 5}, {0, 6, 6}, {3, 2, 1}, {2, 3, -2}};
        assertThat(world.Range_incl(ranges).worldRanks()).containsExactly(7, 4, 1, 8, 0, 6);
        assertThat(world.rangeIncl(ranges).worldRanks()).containsExactly(7, 4, 1, 8, 0, 6);
        assertThat(world.Range_excl(ranges).worldRanks()).containsExactly(2, 3, 5);
        assertThat(world.rangeExcl(ranges).worldRanks()).containsExactly(2, 3, 5);
        assertThat(world.Range_incl(new int[0][]).getSize()).isZero();
        assertThat(world.Range_excl(new int[0][]).getSize()).isEqualTo(WORLD);
    }

    @Test
    void knowsTheCallersRankAlsoWhenItIsNoMember() {
        Group world = Group.world(WORLD, 4);
        assertThat(world.Rank()).isEqualTo(4);
        Group some = world.incl(new int[] {8, 4});
        assertThat(some.getRank()).isEqualTo(1);
        assertThat(some.Size()).isEqualTo(2);
        Group others = Group.difference(world, some);
        assertThat(others.Rank()).isEqualTo(MPI.UNDEFINED);
        assertThat(Group.union(others, some).Rank()).isEqualTo(8);
    }

    @Test
    void comparesOrderAndMembers() {
        Group world = Group.world(3, 0);
        assertThat(Group.compare(world, world.copy())).isEqualTo(MPI.IDENT);
        assertThat(Group.compare(world, world.incl(new int[] {2, 1, 0}))).isEqualTo(MPI.SIMILAR);
        assertThat(Group.Compare(world, world.incl(new int[] {0, 1}))).isEqualTo(MPI.UNEQUAL);
        assertThat(Group.Compare(world.incl(new int[] {0}), world.incl(new int[] {1}))).isEqualTo(MPI.UNEQUAL);
    }

    @Test
    void theEmptyGroupIsThereBeforeInitAndStays() {
        Group empty = MPI.GROUP_EMPTY;
        assertThat(empty.Size()).isZero();
        assertThat(empty.Rank()).isEqualTo(MPI.UNDEFINED);
        empty.free();
        assertThat(empty.isNull()).isFalse();
        Group world = Group.world(4, 2);
        for (Group sum : List.of(Group.union(empty, world), Group.union(world, empty))) {
            assertThat(Group.compare(sum, world)).isEqualTo(MPI.IDENT);
            assertThat(sum.Rank()).isEqualTo(2);
        }
        assertThat(Group.compare(empty, Group.difference(world, world))).isEqualTo(MPI.IDENT);
        assertThat(Group.translateRanks(world, new int[] {3}, empty)).containsExactly(MPI.UNDEFINED);
        assertThat(Group.union(empty, empty).Size()).isZero();
    }

    @Test
    void freeingACopyLeavesTheOriginal() {
        Group world = Group.world(4, 2);
        Group copy = world.copy();
        copy.Free();
        assertThat(copy.isNull()).isTrue();
        assertThat(world.isNull()).isFalse();
        assertThat(world.Size()).isEqualTo(4);
        assertThat(MPI.GROUP_NULL.isNull()).isTrue();
    }

    @Test
    void freeingAGroupLeavesTheCommunicatorsMadeOfIt() {
        Ranks.run(3, (world, rank) -> {
            world.Group().free();
            Group group = world.getGroup();
            Intracomm two = world.Create(group.incl(new int[] {0, 1}));
            Intracomm all = world.createGroup(group, 1);
            group.free();
            requireError(MPI.ERR_GROUP, "Create at rank", () -> world.Create(group));
            int[] sum = new int[1];
            for (Intracomm each : rank < 2 ? List.of(world, all, two) : List.of(world, all)) {
                each.Allreduce(new int[] {1}, 0, sum, 0, 1, MPI.INT, MPI.SUM);
                assertThat(sum[0]).isEqualTo(each.Size());
                assertThat(each.Group().Size()).isEqualTo(each.Size());
            }
        });
    }

    private interface Use {
        void of(Group group);
    }

    static Stream<Arguments> usesOfAFreedGroup() {
        int[] none = new int[0];
        return Stream.of(
                use("Size", Group::Size), use("getSize", Group::getSize), use("Rank", Group::Rank),
                use("getRank", Group::getRank), use("free", Group::free), use("Incl", g -> g.Incl(none)),
                use("incl", g -> g.incl(none)), use("Excl", g -> g.Excl(none)), use("excl", g -> g.excl(none)),
                use("Range_incl", g -> g.Range_incl(null)), use("rangeIncl", g -> g.rangeIncl(null)),
                use("Range_excl", g -> g.Range_excl(null)), use("rangeExcl", g -> g.rangeExcl(null)),
                use("Compare", g -> Group.Compare(MPI.GROUP_EMPTY, g)), use("compare", g -> Group.compare(g, null)),
                use("Union", g -> Group.Union(g, MPI.GROUP_EMPTY)), use("union", g -> Group.union(g, null)),
                use("Intersection", g -> Group.Intersection(g, g)), use("intersection", g -> Group.intersection(g, g)),
                use("Difference", g -> Group.Difference(g, g)), use("difference", g -> Group.difference(g, g)),
                use("Translate_ranks", g -> Group.Translate_ranks(g, none, g)),
                use("translateRanks", g -> Group.translateRanks(MPI.GROUP_EMPTY, none, g)));
    }

    private static Arguments use(String call, Use use) {
        return Arguments.of(call, use);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("usesOfAFreedGroup")
    void refusesAFreedGroup(String call, Use use) {
        Group group = Group.world(3, 0);
        group.free();
        requireError(MPI.ERR_GROUP, call + ": the group was freed", () -> use.of(group));
    }

    @Test
    void refusesWrongRanksAndRanges() {
        Group world = Group.world(3, 0);
        requireError(MPI.ERR_RANK, "Incl of a group of 3: rank is 3, expected 0 to 2", () -> world.Incl(new int[] {3}));
        requireError(MPI.ERR_RANK, "excl of a group of 3: rank is -1", () -> world.excl(new int[] {-1}));
        requireError(MPI.ERR_RANK, "incl of a group of 3: rank 1 is named twice", () -> world.incl(new int[] {1, 1}));
        requireError(MPI.ERR_RANK, "Excl", () -> world.Excl(new int[] {2, 2}));
        requireError(MPI.ERR_ARG, "incl of a group of 3: the ranks are null", () -> world.incl(null));
        requireError(MPI.ERR_ARG, "Range_incl of a group of 3: the ranges are null", () -> world.Range_incl(null));
        requireError(MPI.ERR_ARG, "a range is [0, 2, 0]", () -> world.rangeIncl(new int[][] {{0, 2, 0}}));
        requireError(MPI.ERR_ARG, "a range is [0, 2]", () -> world.rangeExcl(new int[][] {{0, 2}}));
        requireError(MPI.ERR_ARG, "a range is null", () -> world.rangeExcl(new int[][] {null}));
        requireError(MPI.ERR_RANK, "rank is 3", () -> world.Range_excl(new int[][] {{0, 3, 1}}));
        requireError(MPI.ERR_RANK, "rank is 3", () -> world.Range_incl(new int[][] {{3, 0, 1}}));
        int[][] endless = {{0, Integer.MAX_VALUE, 1}};
        requireError(MPI.ERR_RANK, "rank is " + Integer.MAX_VALUE, () -> world.Range_incl(endless));
        requireError(MPI.ERR_RANK, "named twice", () -> world.rangeIncl(new int[][] {{0, 2, 1}, {2, 2, 1}}));
        requireError(MPI.ERR_RANK, "rank is 3", () -> Group.Translate_ranks(world, new int[] {3}, world));
        requireError(MPI.ERR_GROUP, "Union: a group is null", () -> Group.Union(world, null));
    }

    private static void requireError(int errorClass, String message, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        MPIException.class, e -> assertThat(e.getErrorClass()).isEqualTo(errorClass))
                .hasMessageContaining(message);
    }
}
