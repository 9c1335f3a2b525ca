package org.posthouse.conformance;

import java.nio.IntBuffer;
import mpi.Comm;
import mpi.Count;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Op;
import mpi.Status;

/** Names, attributes and copies of datatypes, statuses that a program fills in, and calls of one process alone. */
final class Named {
    private Named() {}

    static void namesOfDatatypes(Intracomm world) {
        Check.equal("name of INT", MPI.INT.getName(), "MPI_INT");
        Datatype row = Datatype.createContiguous(4, MPI.DOUBLE);
        Check.equal("name of a new one", row.getName(), "");
        row.setName("row");
        Check.equal("given name", row.getName(), "row");
        Check.equal("name of a copy", row.dup().getName(), "");
    }

    static void copiesOfDatatypes(Intracomm world) {
        int key = Datatype.createKeyval();
        Datatype pair = Datatype.createStruct(new int[] {1, 1}, new int[] {0, 8}, new Datatype[] {MPI.DOUBLE, MPI.INT});
        pair.setAttr(key, "value");
        for (Datatype copy : new Datatype[] {pair.dup(), pair.clone()}) {
            Check.equal("extent", copy.getExtent(), pair.getExtent());
            Check.equal("size", copy.getSize(), pair.getSize());
            Check.equal("attribute", copy.getAttr(key), "value");
            copy.deleteAttr(key);
            Check.equal("attribute", copy.getAttr(key), null);
            copy.free();
        }
        Check.equal("attribute", pair.getAttr(key), "value");
        Datatype.freeKeyval(key);
        Check.error(MPI.ERR_OTHER, "getAttr", () -> pair.getAttr(key));
        int[] sum = {1};
        Datatype copy = MPI.INT.dup();
        world.allReduce(sum, 1, copy, MPI.SUM);
        Check.equal("sum", sum[0], world.Size());
        copy.free();
        Check.that(!MPI.INT.isNull(), "a copy's end is not the datatype's");
    }

    static void statusesThatAProgramFillsIn(Intracomm world) {
        Datatype pair = Datatype.createStruct(new int[] {1, 1}, new int[] {0, 8}, new Datatype[] {MPI.DOUBLE, MPI.INT});
        Status status = new Status();
        status.setElements(pair, 3);
        Check.equal("elements", status.getElements(pair), 3);
        Check.equal("elements", status.getElementsX(pair).getCount(), 3L);
        Check.equal("count", status.getCount(pair), MPI.UNDEFINED);
        status.setElementsX(MPI.INT, new Count(8));
        Check.equal("count", status.getCount(Datatype.createContiguous(4, MPI.INT)), 2);
        Check.error(MPI.ERR_COUNT, "setElementsX", () -> status.setElementsX(MPI.INT, new Count(1L << 40)));
        status.setCancelled(true);
        Check.that(status.isCancelled() && status.Test_cancelled(), "it is cancelled");
    }

    static void reductionsAlone(Intracomm world) {
        int[] in = {3, 1, 2};
        int[] inOut = {1, 5, 7};
        Comm.reduceLocal(in, inOut, 2, MPI.INT, MPI.MAX);
        Check.equal("maxima", inOut, new int[] {3, 5, 7});
        IntBuffer direct = MPI.newIntBuffer(3);
        direct.put(1, 9);
        Comm.reduceLocal(in, direct, 3, MPI.INT, MPI.SUM);
        Check.equal("sum", direct.get(1), 10);
        Check.equal("sum", direct.get(2), 2);
        Check.error(MPI.ERR_BUFFER, "reduceLocal", () -> Comm.reduceLocal(in, inOut, 4, MPI.INT, MPI.SUM));
        for (Op op : new Op[] {MPI.REPLACE, MPI.NO_OP}) {
            Check.error(MPI.ERR_OP, "reduceLocal", () -> Comm.reduceLocal(in, inOut, 1, MPI.INT, op));
            Check.error(MPI.ERR_OP, "free", op::free);
        }
    }

    static void splitBySharedMemory(Intracomm world) throws ReflectiveOperationException {
        Check.equal("TYPE_SHARED", Comm.class.getField("TYPE_SHARED").getInt(null), Comm.TYPE_SHARED);
        Check.error(world, MPI.ERR_ARG, "splitType", () -> world.splitType(77, 0, null));
        Intracomm near = world.splitType(Comm.TYPE_SHARED, 0, MPI.INFO_NULL);
        Check.that(near.Size() <= world.Size(), "some of the processes share memory");
        near.free();
    }

    static void anErrorThatReturns(Intracomm world) {
        Comm copy = world.dup();
        Check.error(copy, MPI.ERR_OTHER, "callErrhandler", () -> copy.callErrhandler(MPI.ERR_OTHER));
        copy.setErrhandler(MPI.ERRORS_RETURN);
        copy.callErrhandler(MPI.ERR_OTHER);
        Check.equal("handler", copy.getErrhandler(), MPI.ERRORS_RETURN);
        copy.free();
    }
}
