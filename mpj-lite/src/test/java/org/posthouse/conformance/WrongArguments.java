package org.posthouse.conformance;

import java.util.Arrays;
import mpi.Comm;
import mpi.Datatype;
import mpi.Group;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Op;
import mpi.Prequest;
import mpi.Request;
import mpi.User_function;

/** What each call says to a wrong argument: an error of the right class that names call and rank, and nothing happens. */
final class WrongArguments {
    private static final int TAG = 19;

    private static final int[] ROOM = new int[4];

    private WrongArguments() {}

    /** A point-to-point call with all its arguments open; the rank is destination or source. */
    private interface Message {
        void call(Object buffer, int offset, int count, Datatype type, int rank, int tag);
    }

    /** A datatype that an array of ints does not go with: in Open MPI's calls it may stand for its memory. */
    private static Datatype otherKind(String call) {
        return Character.isUpperCase(call.charAt(0)) ? MPI.LONG : MPI.OBJECT;
    }

    /** MpiJava's calls take all tags but one. */
    private static int noTag(String call) {
        return Character.isUpperCase(call.charAt(0)) ? Integer.MIN_VALUE : -7;
    }

    private static void requireChecks(Intracomm world, String call, Message message) {
        int size = world.Size();
        requireRoomChecks(world, call, message);
        Check.error(world, MPI.ERR_RANK, call, () -> message.call(ROOM, 0, 1, MPI.INT, size, TAG));
        Check.error(world, MPI.ERR_RANK, call, () -> message.call(ROOM, 0, 1, MPI.INT, -7, TAG));
        Check.error(world, MPI.ERR_TAG, call, () -> message.call(ROOM, 0, 1, MPI.INT, 0, noTag(call)));
    }

    private static void requireBufferChecks(Intracomm world, String call, Message message) {
        requireRoomChecks(world, call, message);
        Check.error(world, MPI.ERR_BUFFER, call, () -> message.call(ROOM, 0, 5, MPI.INT, 0, TAG));
    }

    /** What is wrong with a receive too, whose count may go beyond its array. */
    private static void requireRoomChecks(Intracomm world, String call, Message message) {
        Check.error(world, MPI.ERR_COUNT, call, () -> message.call(ROOM, 0, -1, MPI.INT, 0, TAG));
        Check.error(world, MPI.ERR_BUFFER, call, () -> message.call(null, 0, 1, MPI.INT, 0, TAG));
        Check.error(world, MPI.ERR_TYPE, call, () -> message.call(ROOM, 0, 1, otherKind(call), 0, TAG));
        Check.error(world, MPI.ERR_TYPE, call, () -> message.call("no array", 0, 1, MPI.OBJECT, 0, TAG));
        Check.error(world, MPI.ERR_TYPE, call, () -> message.call(ROOM, 0, 1, null, 0, TAG));
        Check.error(world, MPI.ERR_TYPE, call, () -> message.call(ROOM, 0, 1, MPI.LB, 0, TAG));
        Check.error(world, MPI.ERR_TYPE, call, () -> message.call(ROOM, 0, 1, MPI.NULL, 0, TAG));
        Datatype freed = Datatype.Contiguous(1, MPI.INT);
        freed.free();
        Check.error(world, MPI.ERR_TYPE, call, () -> message.call(ROOM, 0, 1, freed, 0, TAG));
    }

    private static void requireSendChecks(Intracomm world, String call, Message message) {
        requireChecks(world, call, message);
        requireBufferChecks(world, call, message);
    }

    /** As {@link #requireChecks}, with offsets too. */
    private static void requireAllChecks(Intracomm world, String call, Message message) {
        requireReceiveChecks(world, call, message);
        requireBufferChecks(world, call, message);
        requireOffsetChecks(world, call, message);
    }

    private static void requireReceiveChecks(Intracomm world, String call, Message message) {
        requireChecks(world, call, message);
        requireStartChecks(world, call, message);
    }

    private static void requireOffsetChecks(Intracomm world, String call, Message message) {
        Check.error(world, MPI.ERR_BUFFER, call, () -> message.call(ROOM, 4, 1, MPI.INT, 0, TAG));
        requireStartChecks(world, call, message);
    }

    private static void requireStartChecks(Intracomm world, String call, Message message) {
        Check.error(world, MPI.ERR_BUFFER, call, () -> message.call(ROOM, -1, 1, MPI.INT, 0, TAG));
        Datatype backwards = Datatype.Vector(2, 1, -2, MPI.INT);
        Check.error(world, MPI.ERR_BUFFER, call, () -> message.call(ROOM, 1, 1, backwards, 0, TAG));
    }

    static void packing(Intracomm world) {
        Message pack = (buffer, offset, count, type, rank, tag) -> world.Pack(buffer, offset, count, type, new byte[40], 0);
        Message unpack = (buffer, offset, count, type, rank, tag) -> world.Unpack(new byte[40], 0, buffer, offset, count, type);
        requireBufferChecks(world, "Pack", pack);
        requireOffsetChecks(world, "Pack", pack);
        requireBufferChecks(world, "Unpack", unpack);
        requireOffsetChecks(world, "Unpack", unpack);
        Object[] one = {"one"};
        Check.error(world, MPI.ERR_TRUNCATE, "Pack", () -> world.Pack(one, 0, 1, MPI.OBJECT, new byte[3], 0));
        Check.error(world, MPI.ERR_TRUNCATE, "Unpack", () -> world.Unpack(new byte[3], 0, one, 0, 1, MPI.OBJECT));
    }

    static void sends(Intracomm world) {
        requireAllChecks(world, "Send", world::Send);
        requireAllChecks(world, "Ssend", world::Ssend);
        requireAllChecks(world, "Rsend", world::Rsend);
        requireAllChecks(world, "Bsend", world::Bsend);
        requireAllChecks(world, "Isend", world::Isend);
        requireAllChecks(world, "Issend", world::Issend);
        requireAllChecks(world, "Irsend", world::Irsend);
        requireAllChecks(world, "Ibsend", world::Ibsend);
        requireAllChecks(world, "Send_init", world::Send_init);
        requireAllChecks(world, "Ssend_init", world::Ssend_init);
        requireAllChecks(world, "Rsend_init", world::Rsend_init);
        requireAllChecks(world, "Bsend_init", world::Bsend_init);
    }

    static void receives(Intracomm world) {
        requireReceiveChecks(world, "Recv", world::Recv);
        requireReceiveChecks(world, "Irecv", world::Irecv);
        requireReceiveChecks(world, "Recv_init", world::Recv_init);
    }

    static void openMpiMessages(Intracomm world) {
        requireSendChecks(world, "send", (b, offset, n, type, to, tag) -> world.send(b, n, type, to, tag));
        requireSendChecks(world, "sSend", (b, offset, n, type, to, tag) -> world.sSend(b, n, type, to, tag));
        requireSendChecks(world, "rSend", (b, offset, n, type, to, tag) -> world.rSend(b, n, type, to, tag));
        requireSendChecks(world, "bSend", (b, offset, n, type, to, tag) -> world.bSend(b, n, type, to, tag));
        requireSendChecks(world, "iSend", (b, offset, n, type, to, tag) -> world.iSend(b, n, type, to, tag));
        requireChecks(world, "recv", (b, offset, n, type, from, tag) -> world.recv(b, n, type, from, tag));
        requireChecks(world, "iRecv", (b, offset, n, type, from, tag) -> world.iRecv(b, n, type, from, tag));
        requireSendChecks(world, "sendInit", (b, offset, n, type, to, tag) -> world.sendInit(b, n, type, to, tag));
        requireChecks(world, "recvInit", (b, offset, n, type, from, tag) -> world.recvInit(b, n, type, from, tag));
    }

    static void exchanges(Intracomm world) {
        int[] other = new int[4];
        requireAllChecks(world, "Sendrecv", (b, offset, n, type, to, tag) -> world.Sendrecv(b, offset, n, type, to, tag, other, 0, 4, MPI.INT, 0, TAG));
        requireReceiveChecks(world, "Sendrecv", (b, offset, n, type, from, tag) -> world.Sendrecv(other, 0, 1, MPI.INT, 0, TAG, b, offset, n, type, from, tag));
        requireAllChecks(world, "Sendrecv_replace", (b, offset, n, type, to, tag) -> world.Sendrecv_replace(b, offset, n, type, to, tag, 0, TAG));
        int size = world.Size();
        Check.error(world, MPI.ERR_RANK, "Sendrecv_replace", () -> world.Sendrecv_replace(ROOM, 0, 1, MPI.INT, 0, TAG, size, TAG));
        Check.error(world, MPI.ERR_TAG, "Sendrecv_replace", () -> world.Sendrecv_replace(ROOM, 0, 1, MPI.INT, 0, TAG, 0, Integer.MIN_VALUE));
    }

    static void probes(Intracomm world) {
        int size = world.Size();
        Check.error(world, MPI.ERR_RANK, "Probe", () -> world.Probe(size, TAG));
        Check.error(world, MPI.ERR_TAG, "Probe", () -> world.Probe(0, Integer.MIN_VALUE));
        Check.error(world, MPI.ERR_RANK, "Iprobe", () -> world.Iprobe(-9, TAG));
        Check.error(world, MPI.ERR_RANK, "probe", () -> world.probe(size, TAG));
        Check.error(world, MPI.ERR_TAG, "iProbe", () -> world.iProbe(0, -9));
    }

    static void nothingWasSent(Intracomm world) {
        requireAllChecks(world, "Send", world::Send);
        world.Barrier();
        Check.equal("probe", world.Iprobe(MPI.ANY_SOURCE, MPI.ANY_TAG), null);
    }

    // ---- messages that do not fit

    static void longerMessagesThanTheRoom(Intracomm world) {
        Ring ring = Ring.of(world);
        int[] in = new int[4];
        world.Send(new int[3], 0, 3, MPI.INT, ring.right(), TAG);
        Check.error(world, MPI.ERR_TRUNCATE, "Recv", () -> world.Recv(in, 0, 2, MPI.INT, ring.left(), TAG));
        world.Send(new int[3], 0, 3, MPI.INT, ring.right(), TAG);
        Request receive = world.Irecv(in, 0, 2, MPI.INT, ring.left(), TAG);
        Check.error(world, MPI.ERR_TRUNCATE, "Irecv", receive::Wait);
        world.send(new int[3], 3, MPI.INT, ring.right(), TAG);
        Check.error(world, MPI.ERR_TRUNCATE, "recv", () -> world.recv(in, 2, MPI.INT, ring.left(), TAG));
        requireNext(world, ring);
    }

    static void messagesOfAnotherType(Intracomm world) {
        Ring ring = Ring.of(world);
        world.Send(new int[2], 0, 2, MPI.INT, ring.right(), TAG);
        Check.error(world, MPI.ERR_TYPE, "Recv", () -> world.Recv(new float[2], 0, 2, MPI.FLOAT, ring.left(), TAG));
        world.Send(new String[] {"x"}, 0, 1, MPI.OBJECT, ring.right(), TAG);
        Check.error(world, MPI.ERR_TYPE, "Recv", () -> world.Recv(new int[2], 0, 2, MPI.INT, ring.left(), TAG));
        requireNext(world, ring);
    }

    /** What did not fit is gone, and the next message arrives. */
    private static void requireNext(Intracomm world, Ring ring) {
        int[] in = new int[1];
        world.Send(new int[] {5}, 0, 1, MPI.INT, ring.right(), TAG);
        world.Recv(in, 0, 1, MPI.INT, ring.left(), TAG);
        Check.equal("the next message", in[0], 5);
    }

    static void objectsThatCannotTravel(Intracomm world) {
        Object[] thread = {Thread.currentThread()};
        Check.error(world, MPI.ERR_TYPE, "Send", () -> world.Send(thread, 0, 1, MPI.OBJECT, 0, TAG));
    }

    // ---- collectives

    /** A rooted collective with count, datatype and root open. */
    private interface Collective {
        void call(int count, Datatype type, int root);
    }

    private static void requireRootChecks(Intracomm world, String call, Collective collective) {
        Check.error(world, MPI.ERR_ROOT, call, () -> collective.call(1, MPI.INT, world.Size()));
        Check.error(world, MPI.ERR_ROOT, call, () -> collective.call(1, MPI.INT, -1));
        Check.error(world, MPI.ERR_COUNT, call, () -> collective.call(-1, MPI.INT, world.Rank()));
        Check.error(world, MPI.ERR_TYPE, call, () -> collective.call(1, otherKind(call), world.Rank()));
        Check.error(world, MPI.ERR_BUFFER, call, () -> collective.call(50, MPI.INT, world.Rank()));
    }

    static void rootedCollectives(Intracomm world) {
        int[] other = new int[400];
        requireRootChecks(world, "Bcast", (n, type, root) -> world.Bcast(ROOM, 0, n, type, root));
        requireRootChecks(world, "Gather", (n, type, root) -> world.Gather(ROOM, 0, n, type, other, 0, n, type, root));
        requireRootChecks(world, "Scatter", (n, type, root) -> world.Scatter(ROOM, 0, n, type, other, 0, n, type, root));
        requireRootChecks(world, "Reduce", (n, type, root) -> world.Reduce(ROOM, 0, other, 0, n, type, MPI.SUM, root));
        requireRootChecks(world, "bcast", (n, type, root) -> world.bcast(ROOM, n, type, root));
        requireRootChecks(world, "gather", (n, type, root) -> world.gather(ROOM, n, type, other, n, type, root));
        requireRootChecks(world, "reduce", (n, type, root) -> world.reduce(ROOM, other, n, type, MPI.SUM, root));
        requireRootChecks(world, "Ibcast", (n, type, root) -> world.Ibcast(ROOM, 0, n, type, root));
    }

    static void collectivesWithoutARoot(Intracomm world) {
        int size = world.Size();
        int[] one = new int[1];
        int[] tooShort = new int[size - 1];
        int[] room = new int[size];
        Check.error(world, MPI.ERR_BUFFER, "Allgather", () -> world.Allgather(one, 0, 1, MPI.INT, tooShort, 0, 1, MPI.INT));
        Check.error(world, MPI.ERR_BUFFER, "Alltoall", () -> world.Alltoall(tooShort, 0, 1, MPI.INT, room, 0, 1, MPI.INT));
        Check.error(world, MPI.ERR_ARG, "Allgatherv", () -> world.Allgatherv(one, 0, 1, MPI.INT, room, 0, tooShort, room, MPI.INT));
        Check.error(world, MPI.ERR_ARG, "Alltoallv", () -> world.Alltoallv(room, 0, room, null, MPI.INT, room, 0, room, room, MPI.INT));
        int[] ones = new int[size];
        Arrays.fill(ones, 1);
        int[] beyond = new int[size];
        beyond[size - 1] = size;
        Check.error(world, MPI.ERR_BUFFER, "Allgatherv", () -> world.Allgatherv(new int[2], 0, 1, MPI.INT2, new int[2 * size], 0, ones, beyond, MPI.INT2));
        Check.error(world, MPI.ERR_TYPE, "Allgatherv", () -> world.Allgatherv(one, 0, 1, MPI.INT, room, 0, ones, room, MPI.LONG));
        Check.error(world, MPI.ERR_TYPE, "Allgatherv", () -> world.Allgatherv(one, 0, 1, MPI.INT, room, 0, ones, room, null));
        Check.error(world, MPI.ERR_TYPE, "Reduce_scatter", () -> world.Reduce_scatter(new double[size], 0, room, 0, ones, MPI.INT, MPI.SUM));
        Check.error(world, MPI.ERR_TYPE, "Reduce_scatter", () -> world.Reduce_scatter(room, 0, one, 0, ones, null, MPI.SUM));
        Check.error(world, MPI.ERR_TYPE, "Allreduce", () -> world.Allreduce(one, 0, room, 0, 1, null, MPI.SUM));
        Check.error(world, MPI.ERR_COUNT, "Scan", () -> world.Scan(one, 0, room, 0, -1, MPI.INT, MPI.SUM));
        world.Barrier();
    }

    static void operations(Intracomm world) {
        int[] in = new int[1];
        double[] doubles = new double[1];
        Object[] objects = {1};
        Check.error(world, MPI.ERR_OP, "Allreduce", () -> world.Allreduce(in, 0, in, 0, 1, MPI.INT, null));
        Check.error(world, MPI.ERR_OP, "Allreduce", () -> world.Allreduce(objects, 0, objects, 0, 1, MPI.OBJECT, MPI.LAND));
        Check.error(world, MPI.ERR_OP, "Reduce", () -> world.Reduce(in, 0, in, 0, 1, MPI.INT, MPI.MAXLOC, 0));
        Check.error(world, MPI.ERR_OP, "Scan", () -> world.Scan(doubles, 0, doubles, 0, 1, MPI.DOUBLE, MPI.BAND));
        Check.error(world, MPI.ERR_OP, "Allreduce", () -> world.Allreduce(objects, 0, objects, 0, 1, MPI.OBJECT, MPI.SUM));
        Op own = new Op(
                new User_function() {
                    @Override
                    public void Call(Object a, int aAt, Object b, int bAt, int count, Datatype type) {}
                },
                true);
        own.Free();
        Check.error(world, MPI.ERR_OP, "Allreduce", () -> world.Allreduce(in, 0, in, 0, 1, MPI.INT, own));
        Check.error(MPI.ERR_OP, "Free", own::Free);
        Check.error(MPI.ERR_ARG, "Op", () -> new Op((User_function) null, true));
    }

    // ---- what was freed, or never was

    static void freedCommunicators(Intracomm world) {
        Intracomm freed = world.Dup();
        freed.Free();
        Check.error(MPI.ERR_COMM, "Send", () -> freed.Send(ROOM, 0, 1, MPI.INT, 0, TAG));
        Check.error(MPI.ERR_COMM, "Recv", () -> freed.Recv(ROOM, 0, 1, MPI.INT, 0, TAG));
        Check.error(MPI.ERR_COMM, "Barrier", freed::Barrier);
        Check.error(MPI.ERR_COMM, "Rank", freed::Rank);
        Check.error(MPI.ERR_COMM, "Free", freed::Free);
        Check.error(MPI.ERR_COMM, "Dup", freed::Dup);
        Check.error(MPI.ERR_COMM, "Split", () -> freed.Split(0, 0));
        Check.error(MPI.ERR_COMM, "Compare", () -> Comm.Compare(world, freed));
        Check.error(MPI.ERR_COMM, "Compare", () -> Comm.Compare(null, world));
    }

    static void freedGroups(Intracomm world) {
        Group freed = world.Group().Incl(new int[] {0});
        freed.free();
        Check.error(MPI.ERR_GROUP, "Size", freed::Size);
        Check.error(MPI.ERR_GROUP, "Union", () -> Group.Union(freed, freed));
        Check.error(MPI.ERR_GROUP, "Create", () -> world.Create(freed));
        Check.error(world, MPI.ERR_GROUP, "Create", () -> world.Create(null));
    }

    static void freedDatatypes(Intracomm world) {
        Datatype freed = Datatype.Contiguous(2, MPI.INT);
        freed.free();
        Check.error(MPI.ERR_TYPE, "free", freed::free);
        Check.error(MPI.ERR_TYPE, "Commit", freed::Commit);
        Check.error(MPI.ERR_TYPE, "Size", freed::Size);
        Check.error(MPI.ERR_TYPE, "Contiguous", () -> Datatype.Contiguous(2, freed));
        Check.error(MPI.ERR_TYPE, "free", () -> MPI.INT.free());
    }

    static void datatypeMakers(Intracomm world) {
        int[] one = {1};
        Datatype[] types = {MPI.INT, MPI.LONG};
        Check.error(MPI.ERR_ARG, "Contiguous", () -> Datatype.Contiguous(-1, MPI.INT));
        Check.error(MPI.ERR_ARG, "Vector", () -> Datatype.Vector(2, -1, 1, MPI.INT));
        Check.error(MPI.ERR_ARG, "Vector", () -> Datatype.Vector(-1, 2, 1, MPI.INT));
        Check.error(MPI.ERR_ARG, "Indexed", () -> Datatype.Indexed(new int[2], one, MPI.INT));
        Check.error(MPI.ERR_ARG, "Indexed", () -> Datatype.Indexed(new int[] {-1}, one, MPI.INT));
        Check.error(MPI.ERR_ARG, "Struct", () -> Datatype.Struct(new int[] {1, -1}, new int[2], types));
        Check.error(MPI.ERR_ARG, "Struct", () -> Datatype.Struct(new int[3], new int[3], types));
        Datatype[] ints = {MPI.INT, MPI.INT};
        int[] negative = {1, -1};
        int[] three = {1, 1, 1};
        Check.error(MPI.ERR_ARG, "createStruct", () -> Datatype.createStruct(negative, new int[2], ints));
        Check.error(MPI.ERR_ARG, "createStruct", () -> Datatype.createStruct(three, one, ints));
        Check.error(MPI.ERR_ARG, "createStruct", () -> Datatype.createStruct(three, three, ints));
        Check.error(MPI.ERR_TYPE, "Struct", () -> Datatype.Struct(new int[2], new int[2], types));
        Check.error(MPI.ERR_TYPE, "Vector", () -> Datatype.Vector(1, 1, 1, null));
        Check.error(MPI.ERR_ARG, "Hvector", () -> Datatype.Hvector(3, 1, Integer.MAX_VALUE, MPI.INT));
        Check.error(MPI.ERR_ARG, "createResized", () -> Datatype.createResized(MPI.INT, 0, 7));
    }

    static void requests(Intracomm world) {
        Check.error(MPI.ERR_REQUEST, "Waitall", () -> Request.Waitall(null));
        Check.error(MPI.ERR_REQUEST, "Waitsome", () -> Request.Waitsome(null));
        Check.error(MPI.ERR_REQUEST, "waitSome", () -> Request.waitSome(null));
        Check.error(MPI.ERR_REQUEST, "Testall", () -> Request.Testall(null));
        Check.error(MPI.ERR_REQUEST, "Testsome", () -> Request.Testsome(null));
        Check.error(MPI.ERR_REQUEST, "testAny", () -> Request.testAny(null));
        Check.error(MPI.ERR_REQUEST, "Startall", () -> Prequest.Startall(null));
        Prequest freed = world.Send_init(ROOM, 0, 1, MPI.INT, 0, TAG);
        freed.Free();
        Check.error(world, MPI.ERR_REQUEST, "Start", freed::Start);
    }

    static void split(Intracomm world) {
        Check.error(world, MPI.ERR_ARG, "Split", () -> world.Split(-5, 0));
    }

    static void makersOfCommunicators(Intracomm world) {
        int size = world.Size();
        Check.error(world, MPI.ERR_GROUP, "createGroup", () -> world.createGroup(null, TAG));
        Check.error(world, MPI.ERR_TAG, "createGroup", () -> world.createGroup(world.Group(), -7));
        Intracomm alone = world.Split(world.Rank(), 0);
        Check.error(MPI.ERR_ROOT, "Create_intercomm", () -> world.Create_intercomm(alone, 1, 0, TAG));
        Check.error(world, MPI.ERR_RANK, "Create_intercomm", () -> world.Create_intercomm(alone, 0, size, TAG));
        Check.error(world, MPI.ERR_RANK, "Create_intercomm", () -> world.Create_intercomm(alone, 0, MPI.PROC_NULL, TAG));
        Check.error(world, MPI.ERR_TAG, "createIntercomm", () -> world.createIntercomm(alone, 0, 0, -7));
        alone.Free();
    }
}
