package mpi;

import java.util.function.IntFunction;
import org.posthouse.mpj.data.Region;

/**
 * A communicator: a group of processes and a context of their own, so that its messages mix with no others. Several
 * threads of a rank may use it at once for point-to-point calls.
 */
public class Comm extends FailureCalls implements Freeable, Cloneable {
    /** Of {@link Intracomm#splitType}: the processes that share memory. */
    public static final int TYPE_SHARED = 0;

    private final Attributes attributes = new Attributes();

    /** Null for the default. Written by the program's thread that sets it, read by any. */
    private volatile Errhandler errhandler = MPI.ERRORS_ARE_FATAL;
    /** Null until it was given one. */
    private String name;
    /** Null if it was not made by {@link #iDup}. */
    private Request request;

    Comm(OwnProcess self, Group group, Group addressed, int id, String name) {
        super(self, group, addressed, id, name);
    }

    // ---- who is in it

    /** The number of processes in the calling one's group. As {@link #Rank} and {@link #Group}, after Finalize too. */
    public int Size() throws MPIException {
        requireThere("Size");
        return group.Size();
    }

    /** The calling process's rank, from 0. */
    public int Rank() throws MPIException {
        requireThere("Rank");
        return group.Rank();
    }

    /** The calling process's group, as an object of its own: freeing it does nothing to the communicator. */
    public Group Group() throws MPIException {
        requireThere("Group");
        return group.copy();
    }

    /** Whether it is an intercommunicator. */
    public boolean Test_inter() throws MPIException {
        requireLive("Test_inter");
        return this instanceof Intercomm;
    }

    /** {@link MPI#CART}, {@link MPI#GRAPH}, or {@link MPI#UNDEFINED}. */
    public int Topo_test() throws MPIException {
        requireLive("Topo_test");
        return MPI.UNDEFINED;
    }

    /** IDENT for one communicator, CONGRUENT for equal groups, SIMILAR for equal members, else UNEQUAL. */
    public static int Compare(Comm comm1, Comm comm2) throws MPIException {
        return compare("Compare", comm1, comm2);
    }

    /** As {@link #Size}. */
    public int getSize() throws MPIException {
        requireThere("getSize");
        return group.Size();
    }

    /** As {@link #Rank}. */
    public int getRank() throws MPIException {
        requireThere("getRank");
        return group.Rank();
    }

    /** As {@link #Group}. */
    public Group getGroup() throws MPIException {
        requireThere("getGroup");
        return group.copy();
    }

    /** As {@link #Test_inter}. */
    public boolean isInter() throws MPIException {
        requireLive("isInter");
        return this instanceof Intercomm;
    }

    /** As {@link #Topo_test}. */
    public int getTopology() throws MPIException {
        return Topo_test();
    }

    /** As {@link #Compare}. */
    public static int compare(Comm comm1, Comm comm2) throws MPIException {
        return compare("compare", comm1, comm2);
    }

    private static int compare(String call, Comm comm1, Comm comm2) {
        if (comm1 == null || comm2 == null) {
            throw new MPIException(MPI.ERR_COMM, call + ": a communicator is null");
        }
        comm1.requireLive(call);
        comm2.requireLive(call);
        if (comm1.endpoint == comm2.endpoint && comm1.id == comm2.id) {
            return MPI.IDENT;
        }
        int groups = Group.Compare(comm1.group, comm2.group);
        int addressed = Group.Compare(comm1.addressed, comm2.addressed);
        if (comm1.isInter() != comm2.isInter() || groups == MPI.UNEQUAL || addressed == MPI.UNEQUAL) {
            return MPI.UNEQUAL;
        }
        return groups == MPI.IDENT && addressed == MPI.IDENT ? MPI.CONGRUENT : MPI.SIMILAR;
    }

    // ---- its life

    /** A communicator of the same groups with a context of its own. Collective. */
    public Comm Dup() throws MPIException {
        return copied("Dup", this::twin);
    }

    /** As {@link #Dup}. */
    public Comm dup() throws MPIException {
        return copied("dup", this::twin);
    }

    /** As {@link #Dup}. */
    @Override
    public Comm clone() {
        return copied("clone", this::twin);
    }

    /** As {@link #Dup}; there are no hints that change anything. */
    public Comm dupWithInfo(Info info) throws MPIException {
        return copied("dupWithInfo", this::twin);
    }

    /**
     * Starts {@link #Dup}, and waits for nobody. The copy has the attributes of now, and can do nothing until its
     * {@link #getRequest} is complete and somebody has seen it. Collective. A process that makes a communicator out of another one before
     * that can not be brought back (ADR 8).
     */
    public Comm iDup() throws MPIException {
        return copying("iDup", this::twin);
    }

    /** The request of {@link #iDup} that makes this communicator; null if it was not made so. */
    public final Request getRequest() {
        return request;
    }

    /** A communicator of the same kind, groups and topology, with nothing hung on it. */
    Comm twin(int id) {
        throw new IllegalStateException("a communicator is one of the kinds that extend this class, not " + getClass());
    }

    final <C extends Comm> C copied(String call, IntFunction<C> twin) {
        C copy = heir(twin.apply(new CommMaker(call, this).agree()));
        attributes.copyTo(((Comm) copy).attributes);
        return copy;
    }

    final <C extends Comm> C copying(String call, IntFunction<C> twin) {
        CommMaker maker = new CommMaker(call, this);
        C copy = heir(twin.apply(PENDING));
        Comm made = copy;
        attributes.copyTo(made.attributes);
        made.request = maker.start(made::numbered);
        return copy;
    }

    /** Of both groups. */
    @Override
    Collectives everybody() {
        return collectives;
    }

    /**
     * An intercommunicator between the local communicator's group and another one. Called on a communicator that both
     * leaders are in; collective in both local groups.
     *
     * @param localLeader rank in {@code localComm} of this group's leader
     * @param remoteLeader rank in this communicator of the other group's leader; it and {@code tag} count at the leader
     */
    public Intercomm Create_intercomm(Comm localComm, int localLeader, int remoteLeader, int tag) throws MPIException {
        return createIntercomm("Create_intercomm", localComm, localLeader, remoteLeader, tag);
    }

    /** As {@link #Create_intercomm}. */
    public Intercomm createIntercomm(Comm localComm, int localLeader, int remoteLeader, int tag) throws MPIException {
        return createIntercomm("createIntercomm", localComm, localLeader, remoteLeader, tag);
    }

    private Intercomm createIntercomm(String call, Comm localComm, int localLeader, int remoteLeader, int tag) {
        if (!(localComm instanceof Intracomm local)) {
            throw check.error(MPI.ERR_COMM, call, "the local communicator is no intracommunicator");
        }
        return new CommMaker(call, this).intercomm(local, localLeader, remoteLeader, tag);
    }

    /**
     * Gives the communicator back. Collective; what is under way on it completes, and its persistent requests can be started until they are freed. Its number is
     * free for another one when the program has seen the end of all that (ADR 8).
     */
    public void Free() throws MPIException {
        free("Free");
    }

    /** As {@link #Free}. */
    @Override
    public void free() throws MPIException {
        free("free");
    }

    /** As {@link #Free}, when all that is under way is complete. Of a joint job that has ended nothing is waited for. */
    public void disconnect() throws MPIException {
        requireLive("disconnect");
        everybody().barrier("disconnect").runToEnd();
        boolean isOfAll = group.Size() + (addressed == group ? 0 : addressed.Size()) == endpoint.size();
        free("disconnect");
        if (isOfAll) {
            self.joints().leaveIdle(self);
        }
    }

    private void free(String call) {
        requireLive(call);
        if (id == Contexts.WORLD || id == Contexts.SELF) {
            throw check.error(MPI.ERR_COMM, call, "the communicator is predefined, and stays");
        }
        markFreed();
        self.positions().remove(everybody());
        self.positions().remove(collectives);
    }

    @Override
    final void release() {
        if (endpoint.failures().map(failures -> failures.closed(id)).orElse(false)) {
            self.contexts().spoil(id); // It may have messages of the dead, and relays keep revocations and agreements for ever.
        }
        // Collectives that are still under way have messages under the number.
        everybody().afterwards(() -> collectives.afterwards(() -> self.contexts().release(id)));
    }

    /** Whether it is no communicator: freed, or what a process gets that is not in a new one. */
    public boolean isNull() {
        return isFreed();
    }

    /** As {@link #isNull}. */
    public boolean Is_null() {
        return isFreed();
    }

    /** Ends all processes of the job; its exit status is {@code errorcode}. Does not return. */
    public void Abort(int errorcode) throws MPIException {
        requireLive("Abort");
        endpoint.abort(errorcode, "called Abort(" + errorcode + ")");
    }

    /** As {@link #Abort}. */
    public void abort(int errorcode) throws MPIException {
        requireLive("abort");
        endpoint.abort(errorcode, "called abort(" + errorcode + ")");
    }

    // ---- what a program hangs on it

    /** The attribute of a key, or null: {@link MPI#TAG_UB} and the like, or a program's own. */
    public Object Attr_get(int keyval) throws MPIException {
        requireLive("Attr_get");
        Object predefined = Attributes.predefined(keyval, endpoint.size());
        return predefined == null ? attributes.get("Attr_get", keyval) : predefined;
    }

    /** Sets the attribute of a key that {@link #createKeyval} made. */
    public void Attr_put(int keyval, Object value) throws MPIException {
        setAttr(keyval, value);
    }

    /** Removes an attribute. */
    public void Attr_delete(int keyval) throws MPIException {
        requireLive("Attr_delete");
        attributes.remove("Attr_delete", keyval);
    }

    /** A new key for attributes of communicators. */
    public static int createKeyval() throws MPIException {
        return Attributes.newKey();
    }

    /** Gives a key back. */
    public static void freeKeyval(int keyval) throws MPIException {
        Attributes.free(keyval);
    }

    /** As {@link #Attr_put}: {@link #Dup} passes it on. No value is the same as null. */
    public void setAttr(int keyval, Object value) throws MPIException {
        requireLive("setAttr");
        attributes.put("setAttr", keyval, value);
    }

    /** As {@link #Attr_get}. */
    public Object getAttr(int keyval) throws MPIException {
        return Attr_get(keyval);
    }

    /** As {@link #Attr_delete}. */
    public void deleteAttr(int keyval) throws MPIException {
        Attr_delete(keyval);
    }

    /** One that is made of this one does in an error what this one does (MPI-1.1, 7.2). */
    final <C extends Comm> C heir(C made) {
        ((Comm) made).errhandler = errhandler;
        return made;
    }

    /** Gives it a name, for error messages too. */
    public void setName(String name) throws MPIException {
        requireLive("setName");
        this.name = name;
        check.name(name);
    }

    /** The name that it was given, or that of COMM_WORLD and COMM_SELF, or an empty one. */
    public String getName() throws MPIException {
        requireThere("getName");
        if (name == null) {
            return id == Contexts.WORLD ? "MPI_COMM_WORLD" : id == Contexts.SELF ? "MPI_COMM_SELF" : "";
        }
        return name;
    }

    /** Accepts hints, of which there are none that change anything. */
    public void setInfo(Info info) throws MPIException {
        requireLive("setInfo");
    }

    /** No hints. */
    public Info getInfo() throws MPIException {
        requireLive("getInfo");
        return new Info();
    }

    // ---- errors

    /**
     * Sets the error handler. Under either handler the call throws an {@link MPIException}, and a process ends its job
     * if the program does not catch it. {@link MPI#ERRORS_ARE_FATAL}, which is the default, and {@link
     * MPI#ERRORS_RETURN} differ only in name and in {@link #callErrhandler}. Communicators made of this one from now on
     * inherit the handler. An intercommunicator inherits that of the local communicator, also at a port.
     */
    public void Errhandler_set(Errhandler handler) throws MPIException {
        requireLive("Errhandler_set");
        if (handler == null) {
            throw check.error(MPI.ERR_ARG, "Errhandler_set", "the handler is null");
        }
        errhandler = handler;
    }

    /** The error handler that {@link #Errhandler_set} set. */
    public Errhandler Errhandler_get() throws MPIException {
        requireLive("Errhandler_get");
        return errhandler;
    }

    /** As {@link #Errhandler_get}. */
    public Errhandler Errorhandler_get() throws MPIException {
        return Errhandler_get();
    }

    /** As {@link #Errhandler_set}. */
    public void setErrhandler(Errhandler handler) throws MPIException {
        Errhandler_set(handler);
    }

    /** As {@link #Errhandler_get}. */
    public Errhandler getErrhandler() throws MPIException {
        return Errhandler_get();
    }

    /** Does what the handler does with an error of the class: {@link MPI#ERRORS_ARE_FATAL} throws it, {@link MPI#ERRORS_RETURN} returns. */
    public void callErrhandler(int errorCode) throws MPIException {
        requireLive("callErrhandler");
        if (errhandler == MPI.ERRORS_ARE_FATAL) {
            throw check.error(errorCode, "callErrhandler", "error class " + errorCode);
        }
    }

    /** {@code inOutBuf[i] = inBuf[i] op inOutBuf[i]} for {@code count} elements, in this process alone. */
    public static void reduceLocal(Object inBuf, Object inOutBuf, int count, Datatype type, Op op) throws MPIException {
        ArgumentCheck check = new ArgumentCheck("no communicator", Group.EMPTY, Group.EMPTY);
        Object in = BufferView.of(inBuf, type);
        Object inOut = BufferView.of(inOutBuf, type);
        check.buffer("reduceLocal", "first buffer", in, 0, count, type);
        check.result("reduceLocal", "second buffer", inOut, 0, count, type);
        check.operation("reduceLocal", op, type);
        Region result = type.region(inOut, 0);
        Region ordered = type.inNativeOrder(result, count);
        Region computed = ordered.inArray(count);
        op.on(type).combine(type.inNativeOrder(type.region(in, 0), count).inArray(count), 0, computed, 0, count);
        if (computed != ordered) {
            computed.moveTo(0, ordered, 0, count);
        }
        type.putBack(ordered, result, count);
        BufferView.back(inOut, inOutBuf);
    }
}
