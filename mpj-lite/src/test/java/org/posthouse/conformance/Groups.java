package org.posthouse.conformance;

import java.util.stream.IntStream;
import mpi.Freeable;
import mpi.Group;
import mpi.Intracomm;
import mpi.MPI;

/** Groups and what is made of them, in both spellings. */
final class Groups {
    private Groups() {}

    private static int[] ranks(int size) {
        return IntStream.range(0, size).toArray();
    }

    private static int[] reversed(int size) {
        return IntStream.range(0, size).map(i -> size - 1 - i).toArray();
    }

    /** Requires that a group's ranks are these ones of the world. */
    private static void requireMembers(Intracomm world, Group group, int... expected) {
        Check.equal("size", group.Size(), expected.length);
        int[] worldRanks = Group.Translate_ranks(group, ranks(expected.length), world.Group());
        Check.equal("members", worldRanks, expected);
        int own = MPI.UNDEFINED;
        for (int i = 0; i < expected.length; i++) {
            own = expected[i] == world.Rank() ? i : own;
        }
        Check.equal("rank", group.Rank(), own);
    }

    private static int[] even(int size) {
        return IntStream.range(0, size).filter(i -> i % 2 == 0).toArray();
    }

    private static int[] odd(int size) {
        return IntStream.range(0, size).filter(i -> i % 2 != 0).toArray();
    }

    static void theWorldsGroup(Intracomm world) {
        requireMembers(world, world.Group(), ranks(world.Size()));
        Check.equal("rank", world.Group().Rank(), world.Rank());
    }

    static void inclusion(Intracomm world) {
        int size = world.Size();
        requireMembers(world, world.Group().Incl(reversed(size)), reversed(size));
        requireMembers(world, world.Group().Incl(new int[] {size - 1}), size - 1);
        requireMembers(world, world.Group().Incl(new int[0]));
        requireMembers(world, world.getGroup().incl(even(size)), even(size));
    }

    static void exclusion(Intracomm world) {
        int size = world.Size();
        requireMembers(world, world.Group().Excl(even(size)), odd(size));
        requireMembers(world, world.Group().excl(odd(size)), even(size));
    }

    static void ranges(Intracomm world) {
        int size = world.Size();
        int lastEven = (size - 1) / 2 * 2;
        int[][] evens = {{0, size - 1, 2}};
        int[][] evensBackwards = {{lastEven, 0, -2}};
        requireMembers(world, world.Group().Range_incl(evens), even(size));
        requireMembers(world, world.Group().Range_excl(evens), odd(size));
        int[] backwards = IntStream.of(even(size)).map(i -> lastEven - i).toArray();
        requireMembers(world, world.Group().rangeIncl(evensBackwards), backwards);
        requireMembers(world, world.Group().rangeExcl(evensBackwards), odd(size));
    }

    static void setsOfGroups(Intracomm world) {
        int size = world.Size();
        Group evens = world.Group().Incl(even(size));
        Group back = world.Group().Incl(reversed(size));
        int[] evensBackwards = IntStream.of(reversed(size)).filter(i -> i % 2 == 0).toArray();
        int[] oddsBackwards = IntStream.of(reversed(size)).filter(i -> i % 2 != 0).toArray();
        int[] evensThenRest =
                IntStream.concat(IntStream.of(even(size)), IntStream.of(oddsBackwards)).toArray();
        requireMembers(world, Group.Union(evens, back), evensThenRest);
        requireMembers(world, Group.union(evens, back), evensThenRest);
        requireMembers(world, Group.Intersection(back, evens), evensBackwards);
        requireMembers(world, Group.intersection(back, evens), evensBackwards);
        requireMembers(world, Group.Difference(back, evens), oddsBackwards);
        requireMembers(world, Group.difference(back, evens), oddsBackwards);
        requireMembers(world, Group.Union(MPI.GROUP_EMPTY, evens), even(size));
    }

    static void comparison(Intracomm world) {
        int size = world.Size();
        Group all = world.Group();
        Group back = all.Incl(reversed(size));
        int expected = size == 1 ? MPI.IDENT : MPI.SIMILAR;
        Check.equal("a group and its reverse", Group.Compare(all, back), expected);
        Check.equal("a group and its reverse", Group.compare(all, back), expected);
        Check.equal("equal groups", Group.Compare(all, all.Incl(ranks(size))), MPI.IDENT);
        Check.equal("a group and nobody", Group.Compare(all, MPI.GROUP_EMPTY), MPI.UNEQUAL);
    }

    static void translation(Intracomm world) {
        int size = world.Size();
        Group evens = world.Group().Incl(even(size));
        int[] expected = IntStream.range(0, size).map(i -> i % 2 == 0 ? i / 2 : MPI.UNDEFINED).toArray();
        Check.equal("ranks", Group.Translate_ranks(world.Group(), ranks(size), evens), expected);
        Check.equal("ranks", Group.translateRanks(world.Group(), ranks(size), evens), expected);
        int[] nobody = {MPI.PROC_NULL};
        Check.equal("nobody", Group.Translate_ranks(world.Group(), nobody, evens), nobody);
    }

    static void openMpiAccessors(Intracomm world) {
        Group evens = world.getGroup().incl(even(world.getSize()));
        Check.equal("size", evens.getSize(), (world.Size() + 1) / 2);
        Check.equal("rank", evens.getRank(), world.Rank() % 2 == 0 ? world.Rank() / 2 : MPI.UNDEFINED);
    }

    @SuppressWarnings({"deprecation", "removal"}) // The API has finalize.
    static void givenBack(Intracomm world) {
        Group first = world.Group().Incl(new int[] {0});
        first.finalize();
        Check.that(!first.isNull(), "finalize changes nothing");
        first.free();
        Check.that(first.isNull(), "a freed group is null");
        Group second = world.Group().Incl(new int[] {0});
        second.Free();
        Check.that(second.isNull(), "a freed group is null");
        Group third = world.Group().Incl(new int[] {0});
        Freeable freeable = third;
        freeable.free();
        Check.that(third.isNull(), "a freed group is null");
        Check.that(MPI.GROUP_NULL.isNull(), "GROUP_NULL is null");
        Check.equal("size of GROUP_EMPTY", MPI.GROUP_EMPTY.Size(), 0);
    }

    static void wrongArguments(Intracomm world) {
        int size = world.Size();
        Group group = world.Group();
        Check.error(MPI.ERR_RANK, "Incl", () -> group.Incl(new int[] {size}));
        Check.error(MPI.ERR_RANK, "Incl", () -> group.Incl(new int[] {0, 0}));
        Check.error(MPI.ERR_RANK, "Excl", () -> group.Excl(new int[] {-1}));
        Check.error(MPI.ERR_ARG, "Incl", () -> group.Incl(null));
        Check.error(MPI.ERR_ARG, "Range_incl", () -> group.Range_incl(new int[][] {{0, 0, 0}}));
        Check.error(MPI.ERR_RANK, "Range_excl", () -> group.Range_excl(new int[][] {{0, size, 1}}));
        Check.error(MPI.ERR_RANK, "Translate_ranks", () -> Group.Translate_ranks(group, new int[] {size}, group));
        Check.error(MPI.ERR_GROUP, "Union", () -> Group.Union(group, null));
        Check.error(MPI.ERR_GROUP, "Size", () -> MPI.GROUP_NULL.Size());
    }
}
