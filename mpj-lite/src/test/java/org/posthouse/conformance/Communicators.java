package org.posthouse.conformance;

import mpi.Comm;
import mpi.Errhandler;
import mpi.Group;
import mpi.Info;
import mpi.Intracomm;
import mpi.MPI;

/** Making, comparing and freeing communicators, and what hangs on one; both spellings. */
final class Communicators {
    private Communicators() {}

    /** Requires that a communicator works: a ring of messages, and a sum. */
    private static void requireWorking(Intracomm comm) {
        Ring ring = Ring.of(comm);
        int[] in = new int[1];
        comm.Sendrecv(new int[] {ring.rank()}, 0, 1, MPI.INT, ring.right(), 0, in, 0, 1, MPI.INT, ring.left(), 0);
        Check.equal("received", in[0], ring.left());
        comm.Allreduce(new int[] {1}, 0, in, 0, 1, MPI.INT, MPI.SUM);
        Check.equal("sum", in[0], ring.size());
    }

    static void whoIsInIt(Intracomm world) {
        Comm comm = world;
        Check.that(comm.Rank() >= 0 && comm.Rank() < comm.Size(), "a rank within the size");
        Check.equal("getRank", comm.getRank(), comm.Rank());
        Check.equal("getSize", comm.getSize(), comm.Size());
        Check.that(!comm.Test_inter() && !comm.isInter(), "it is no intercommunicator");
        Check.equal("topology", comm.Topo_test(), MPI.UNDEFINED);
        Check.equal("topology", comm.getTopology(), MPI.UNDEFINED);
        Check.equal("group", Group.Compare(comm.Group(), comm.getGroup()), MPI.IDENT);
        Check.equal("group", Group.Compare(comm.group, comm.Group()), MPI.IDENT);
        Check.that(!comm.isNull() && !comm.Is_null(), "it is a communicator");
        int[] ranks = new int[comm.Size()];
        world.Allgather(new int[] {comm.Rank()}, 0, 1, MPI.INT, ranks, 0, 1, MPI.INT);
        for (int rank = 0; rank < ranks.length; rank++) {
            Check.equal("rank", ranks[rank], rank);
        }
    }

    static void copies(Intracomm world) {
        Comm comm = world;
        Comm[] copies = {comm.Dup(), comm.dup(), comm.clone(), world.Dup(), world.dup(), world.clone()};
        for (Comm copy : copies) {
            Check.equal("a communicator and its copy", Comm.Compare(world, copy), MPI.CONGRUENT);
            requireWorking((Intracomm) copy);
            copy.Free();
            Check.that(copy.isNull(), "a freed communicator is null");
        }
    }

    static void copiesWithHints(Intracomm world) {
        Comm comm = world;
        for (Comm copy : new Comm[] {comm.dupWithInfo(new Info()), world.dupWithInfo(MPI.INFO_NULL)}) {
            Check.equal("a communicator and its copy", Comm.Compare(world, copy), MPI.CONGRUENT);
            Check.that(copy.getRequest() == null, "a copy that is there has no request");
            requireWorking((Intracomm) copy);
            copy.Free();
        }
    }

    static void copiesUnderWay(Intracomm world) {
        Comm comm = world;
        int key = Comm.createKeyval();
        world.setAttr(key, "of the time of the call");
        Comm[] copies = {comm.iDup(), world.iDup()};
        world.setAttr(key, "later");
        Intracomm other = world.dup();
        for (Comm copy : copies) {
            copy.getRequest().waitFor();
            Check.that(copy.getRequest().isNull(), "a request that was waited for is null");
            Check.equal("a communicator and its copy", Comm.Compare(world, copy), MPI.CONGRUENT);
            Check.equal("two copies", Comm.Compare(other, copy), MPI.CONGRUENT);
            Check.equal("attribute", copy.getAttr(key), "of the time of the call");
            requireWorking((Intracomm) copy);
            copy.Free();
        }
        other.Free();
        world.deleteAttr(key);
        Comm.freeKeyval(key);
    }

    static void comparison(Intracomm world) {
        Check.equal("itself", Comm.Compare(world, world), MPI.IDENT);
        Check.equal("itself", Comm.compare(world, world), MPI.IDENT);
        Intracomm reversed = world.Split(0, world.Size() - world.Rank());
        int expected = world.Size() == 1 ? MPI.CONGRUENT : MPI.SIMILAR;
        Check.equal("a communicator and its reverse", Comm.Compare(world, reversed), expected);
        Check.equal("a communicator and its reverse", Comm.compare(world, reversed), expected);
        reversed.Free();
    }

    static void splitByColour(Intracomm world) {
        Ring ring = Ring.of(world);
        Intracomm part = world.Split(ring.rank() % 3, 0);
        Check.equal("size", part.Size(), (ring.size() - ring.rank() % 3 + 2) / 3);
        Check.equal("rank", part.Rank(), ring.rank() / 3);
        requireWorking(part);
        part.Free();
        Intracomm reversed = world.split(7, -ring.rank());
        Check.equal("rank by key", reversed.Rank(), ring.size() - 1 - ring.rank());
        requireWorking(reversed);
        reversed.free();
        Check.that(reversed.isNull(), "a freed communicator is null");
    }

    static void splitWithoutColour(Intracomm world) {
        boolean first = world.Rank() == 0;
        Intracomm part = world.Split(first ? 1 : MPI.UNDEFINED, 0);
        Check.equal("whether there is one", part != null, first);
        Intracomm other = world.split(first ? 1 : MPI.UNDEFINED, 0);
        Check.equal("whether it is null", other.isNull(), !first);
        if (first) {
            Check.equal("size", part.Size(), 1);
            requireWorking(part);
            part.Free();
            other.free();
        }
    }

    static void splitByHost(Intracomm world) {
        Intracomm here = world.splitType(0, world.Rank(), MPI.INFO_NULL);
        requireWorking(here);
        int[] worldRanks = new int[here.Size()];
        here.Allgather(new int[] {world.Rank()}, 0, 1, MPI.INT, worldRanks, 0, 1, MPI.INT);
        Check.equal("own rank", worldRanks[here.Rank()], world.Rank());
        int[] leaders = {here.Rank() == 0 ? here.Size() : 0};
        world.Allreduce(leaders, 0, leaders, 0, 1, MPI.INT, MPI.SUM);
        Check.equal("members of all parts", leaders[0], world.Size());
        here.Free();
    }

    static void createdOfAGroup(Intracomm world) {
        Group evens = world.Group().Range_incl(new int[][] {{0, world.Size() - 1, 2}});
        boolean member = world.Rank() % 2 == 0;
        Intracomm part = world.Create(evens);
        Check.equal("whether there is one", part != null, member);
        Intracomm other = world.create(evens);
        Check.equal("whether it is null", other.isNull(), !member);
        if (member) {
            Check.equal("rank", part.Rank(), world.Rank() / 2);
            requireWorking(part);
            requireWorking(other);
            part.Free();
            other.Free();
        }
    }

    static void createdByAGroupAlone(Intracomm world) {
        if (world.Rank() % 2 == 0) {
            Group evens = world.Group().Range_incl(new int[][] {{0, world.Size() - 1, 2}});
            Intracomm part = world.createGroup(evens, 17);
            Check.equal("size", part.Size(), (world.Size() + 1) / 2);
            requireWorking(part);
            part.Free();
        }
    }

    static void aDisconnectedOneIsNull(Intracomm world) {
        Intracomm copy = world.dup();
        copy.disconnect();
        Check.that(copy.isNull(), "a disconnected communicator is null");
    }

    static void theNullCommunicator(Intracomm world) {
        Check.equal("COMM_NULL", MPI.COMM_NULL, null);
        Check.equal("what Create gives to those who are not in it", world.Create(MPI.GROUP_EMPTY), MPI.COMM_NULL);
        Check.error(MPI.ERR_COMM, "Compare", () -> Comm.Compare(world, MPI.COMM_NULL));
    }

    static void attributes(Intracomm world) {
        int key = Comm.createKeyval();
        Check.equal("attribute that nobody set", world.Attr_get(key), null);
        world.Attr_put(key, "kept");
        Check.equal("attribute", world.Attr_get(key), "kept");
        Comm copy = world.Dup();
        Check.equal("attribute of the copy", copy.getAttr(key), "kept");
        copy.Attr_delete(key);
        Check.equal("deleted attribute", copy.getAttr(key), null);
        copy.setAttr(key, 5);
        Check.equal("attribute", copy.getAttr(key), 5);
        copy.deleteAttr(key);
        Check.equal("deleted attribute", copy.Attr_get(key), null);
        Check.equal("attribute of the original", world.getAttr(key), "kept");
        world.Attr_delete(key);
        Comm.freeKeyval(key);
        // Open MPI tells the two apart, and its programs ask.
        Check.error(MPI.ERR_OTHER, "setAttr", () -> world.setAttr(key, 1));
        Check.error(MPI.ERR_KEYVAL, "setAttr", () -> world.setAttr(MPI.KEYVAL_INVALID, 1));
        copy.Free();
    }

    static void predefinedAttributes(Intracomm world) {
        Check.that((Integer) world.Attr_get(MPI.TAG_UB) >= 32767, "tags up to 32767 or more");
        Check.that(world.Attr_get(MPI.HOST) != null, "HOST has a value");
        Check.that(world.Attr_get(MPI.IO) != null, "IO has a value");
        Check.that(world.getAttr(MPI.WTIME_IS_GLOBAL) instanceof Boolean, "WTIME_IS_GLOBAL is true or false");
    }

    static void names(Intracomm world) {
        Comm copy = world.Dup();
        Check.equal("name that nobody gave", copy.getName(), "");
        copy.setName("pressure field");
        Check.equal("name", copy.getName(), "pressure field");
        try {
            copy.Send(new int[1], 0, 1, MPI.INT, -9, 0);
            throw new AssertionError("a send to rank -9 went well");
        } catch (mpi.MPIException e) {
            Check.that(e.getMessage().contains("in pressure field"), "the message names the communicator");
        }
        copy.Free();
    }

    static void hints(Intracomm world) {
        Intracomm copy = world.Dup();
        Info info = new Info();
        info.set("fast", "true");
        copy.setInfo(info);
        Check.that(!copy.getInfo().isNull(), "there are hints, or none");
        copy.Free();
    }

    /** As a program does that wants an error of its own: it gets what it restores, and an error is an exception all the while. */
    static void errorHandlers(Intracomm world) {
        Comm copy = world.Dup();
        Errhandler found = copy.Errhandler_get();
        Check.equal("handler at first", found, MPI.ERRORS_ARE_FATAL);
        Check.error(copy, MPI.ERR_RANK, "Send", () -> copy.Send(new int[1], 0, 1, MPI.INT, copy.Size(), 0));
        copy.Errhandler_set(MPI.ERRORS_RETURN);
        Check.equal("handler", copy.Errorhandler_get(), MPI.ERRORS_RETURN);
        Check.error(copy, MPI.ERR_RANK, "Send", () -> copy.Send(new int[1], 0, 1, MPI.INT, copy.Size(), 0));
        copy.Errhandler_set(found);
        Check.equal("handler restored", copy.getErrhandler(), MPI.ERRORS_ARE_FATAL);
        Check.error(copy, MPI.ERR_RANK, "send", () -> copy.send(new int[1], 1, MPI.INT, copy.getSize(), 0));
        copy.setErrhandler(MPI.ERRORS_RETURN);
        Comm heir = copy.dup();
        Check.equal("what was made of it", heir.getErrhandler(), MPI.ERRORS_RETURN);
        heir.free();
        copy.getErrhandler().free();
        Check.error(world, MPI.ERR_ARG, "Errhandler_set", () -> world.Errhandler_set(null));
        copy.Free();
    }

    static void manyOneAfterAnother(Intracomm world) {
        for (int i = 0; i < 20; i++) {
            Intracomm part = world.Split(world.Rank() % 2, 0);
            requireWorking(part);
            part.Free();
        }
    }
}
