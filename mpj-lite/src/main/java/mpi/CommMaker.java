package mpi;

import java.util.Arrays;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/** One call that makes a communicator: all processes of the old one take part. For one use. */
final class CommMaker {
    /**
     * Number of distinct tags of {@link #createGroup}, each with 16 numbers of collectives; they have a context of
     * their own.
     */
    private static final int GROUP_TAGS = 1 << 26;

    private final String call;
    private final Comm parent;

    CommMaker(String call, Comm parent) {
        this.call = call;
        this.parent = parent;
        parent.requireLive(call);
    }

    /** Begins an agreement, after freed requests that have ended have given their communicators' numbers back. */
    private Agreement begin(Agreement agreement, Collectives in) {
        parent.self.freedRequests().look();
        return agreement.begin(in);
    }

    private int agree(Collectives all, boolean member) {
        Agreement agreement = begin(new Agreement(call, parent, parent.id, member), all);
        try {
            all.agreement(call, agreement).run();
        } finally {
            agreement.end();
        }
        return agreement.number();
    }

    /** As {@link #agree()}, in the background: {@code numbered} gets the number when the request's completion is seen. */
    Request start(IntConsumer numbered) {
        Collectives all = parent.everybody();
        Agreement agreement = begin(new Agreement(call, parent, parent.id, true), all);
        Request request = all.agreement(call, agreement).start();
        all.afterwards(agreement::end);
        return request.whenSeen(() -> numbered.accept(agreement.number()));
    }

    /** A number for a copy of the old communicator. */
    int agree() {
        return agree(true);
    }

    /** A number for a communicator of some of the old one's processes, taken in those. */
    int agree(boolean member) {
        return agree(parent.everybody(), member);
    }

    /** The communicator of the processes that give the same colour, by key, then by old rank; null for UNDEFINED. */
    Intracomm split(int colour, int key) {
        if (colour < 0 && colour != MPI.UNDEFINED) {
            throw parent.check.error(
                    MPI.ERR_ARG, call, "colour is " + colour + ", expected 0 or more, or UNDEFINED");
        }
        int size = parent.group.Size();
        int[] all = new int[2 * size];
        parent.collectives.allgather(call, new Elements(new int[] {colour, key}, 0, 2, MPI.INT), RankBlocks.even(all, 0, 2, MPI.INT)).run();
        int id = agree(colour != MPI.UNDEFINED);
        if (colour == MPI.UNDEFINED) {
            return null;
        }
        int[] members = IntStream.range(0, size)
                .filter(rank -> all[2 * rank] == colour)
                .boxed()
                .sorted((a, b) -> Integer.compare(all[2 * a + 1], all[2 * b + 1]))
                .mapToInt(rank -> rank)
                .toArray();
        return parent.heir(new Intracomm(parent.self, parent.group.Incl(members), id, name(parent)));
    }

    /** The communicator of a part of the old one's group; null for processes that are not in it. */
    Intracomm create(Group group) {
        checkPart(group);
        boolean member = group.Rank() != MPI.UNDEFINED;
        int id = agree(member);
        return member ? parent.heir(new Intracomm(parent.self, group.copy(), id, name(parent))) : null;
    }

    /** As {@link #create}, but only the processes of the group take part. */
    Intracomm createGroup(Group group, int tag) {
        checkPart(group);
        parent.check.sendTag(call, tag);
        if (group.Rank() == MPI.UNDEFINED) {
            return null;
        }
        Intracomm members = new Intracomm(parent.self.unlisted(), group, Contexts.ofGroups(parent.id), parent.check.name());
        int id = agree(Collectives.of(members, (tag & GROUP_TAGS - 1) * 16), true);
        return parent.heir(new Intracomm(parent.self, group.copy(), id, name(parent)));
    }

    private void checkPart(Group group) {
        if (group == null || group.isNull()) {
            throw parent.check.error(MPI.ERR_GROUP, call, "the group " + (group == null ? "is null" : "was freed"));
        }
        group.requireSameJob(call, parent.group);
        for (int worldRank : group.worldRanks()) {
            if (parent.group.rankOf(worldRank) == MPI.UNDEFINED) {
                throw parent.check.error(
                        MPI.ERR_GROUP, call, "the group has rank " + worldRank + " of COMM_WORLD, which is not in the communicator");
            }
        }
    }

    /** The old communicator is the one that the leaders meet in; the two local groups must have no common process. */
    Intercomm intercomm(Intracomm local, int localLeader, int remoteLeader, int tag) {
        if (local == null || local.isFreed()) {
            throw parent.check.error(MPI.ERR_COMM, call, "the local communicator is null or freed");
        }
        local.requireLive(call);
        local.group.requireSameJob(call, parent.group);
        if (tag == MPI.ANY_TAG) {
            throw parent.check.error(MPI.ERR_TAG, call, "tag is ANY_TAG, expected one by which the leaders know each other's messages");
        }
        Leaders leaders = new Leaders(local, localLeader, remoteLeader, tag);
        int[] remote = leaders.remoteGroup();
        for (int worldRank : remote) {
            if (local.group.rankOf(worldRank) != MPI.UNDEFINED) {
                throw parent.check.error(
                        MPI.ERR_COMM, call, "rank " + worldRank + " of COMM_WORLD is in both groups, expected none to be");
            }
        }
        int id = leaders.agree();
        Group remoteGroup = local.group.ofSameJob(remote);
        return local.heir(new Intercomm(local.self, local.group, remoteGroup, id, name(local)));
    }

    private String name(Comm old) {
        return ArgumentCheck.made(call, old.check.name());
    }

    /** Two groups that have no communicator in common yet, but leaders that do. */
    private final class Leaders {
        private final Intracomm local;
        private final int localLeader;
        private final int remoteLeader;
        private final int tag;
        private final boolean leading;
        /** Number of the other group's local communicator. */
        private int remoteId;

        Leaders(Intracomm local, int localLeader, int remoteLeader, int tag) {
            this.local = local;
            this.localLeader = localLeader;
            this.remoteLeader = remoteLeader;
            this.tag = tag;
            leading = local.group.Rank() == localLeader;
            if (leading) {
                parent.check.remoteLeader(call, remoteLeader);
            }
        }

        /** World ranks of the other group, in its order. */
        int[] remoteGroup() {
            int[] theirs = new int[2];
            exchange(new int[] {local.group.Size(), local.id}, theirs, MPI.INT);
            remoteId = theirs[1];
            int[] remote = new int[theirs[0]];
            exchange(local.group.worldRanks(), remote, MPI.INT);
            return remote;
        }

        /** A communicator number that is free in all processes of both groups, known by {@link #remoteGroup}. */
        int agree() {
            Agreement agreement = begin(new Agreement(call, local, local.id + remoteId, true), local.collectives);
            try {
                agreement.reach(values -> {
                    long[] theirs = new long[values.length];
                    local.collectives.allreduce(
                            call, new Elements(values, 0, values.length, MPI.LONG), new Elements(values, 0, values.length, MPI.LONG), MPI.BAND).run();
                    exchange(values, theirs, MPI.LONG);
                    Arrays.setAll(values, word -> values[word] & theirs[word]);
                });
            } finally {
                agreement.end();
            }
            return agreement.number();
        }

        /** Fills {@code theirs} at all processes with what the other leader gives as {@code ours}. */
        private void exchange(Object ours, Object theirs, Datatype type) {
            int count = type.base().length(theirs);
            if (leading) {
                parent.messages.exchange(
                        call, ours, 0, type.base().length(ours), type, remoteLeader, tag,
                        theirs, 0, count, type, remoteLeader, tag);
            }
            local.collectives.bcast(call, new Elements(theirs, 0, count, type), localLeader).run();
        }
    }
}
