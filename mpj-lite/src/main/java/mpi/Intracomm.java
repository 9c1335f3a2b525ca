package mpi;

/** A communicator of one group. */
public class Intracomm extends DynamicProcesses {
    Intracomm(OwnProcess self, Group group, int id, String name) {
        super(self, group, id, name);
    }

    /** The result for a process that is not in the new communicator, in Open MPI's spelling. */
    static Intracomm ofNobody() {
        return new Intracomm(null, Group.EMPTY, NO_ID, "COMM_NULL");
    }

    // ---- making communicators; all processes take part

    /** A communicator of those that give the same colour, by key, then by rank; null for {@link MPI#UNDEFINED}. */
    public Intracomm Split(int colour, int key) throws MPIException {
        return new CommMaker("Split", this).split(colour, key);
    }

    /** A communicator of a part of the group; null for processes that are not in it. */
    public Intracomm Create(Group group) throws MPIException {
        return new CommMaker("Create", this).create(group);
    }

    /** As {@link #Split}, but never null: see {@link #isNull}. */
    public Intracomm split(int colour, int key) throws MPIException {
        return orNobody(new CommMaker("split", this).split(colour, key));
    }

    /**
     * A communicator of the processes of this host, or of this site, which is taken for one.
     *
     * @param splitType {@link Comm#TYPE_SHARED}, or UNDEFINED for a process that wants to be in none
     */
    public Intracomm splitType(int splitType, int key, Info info) throws MPIException {
        requireLive("splitType");
        if (splitType != TYPE_SHARED && splitType != MPI.UNDEFINED) {
            throw check.error(MPI.ERR_ARG, "splitType", "type is " + splitType + ", expected TYPE_SHARED or UNDEFINED");
        }
        int site = splitType == MPI.UNDEFINED ? MPI.UNDEFINED : endpoint.siteOf(endpoint.rank());
        return orNobody(new CommMaker("splitType", this).split(site, key));
    }

    /** As {@link #Create}, but never null: see {@link #isNull}. */
    public Intracomm create(Group group) throws MPIException {
        return orNobody(new CommMaker("create", this).create(group));
    }

    /** As {@link #create}, but only the processes of the group take part. */
    public Intracomm createGroup(Group group, int tag) throws MPIException {
        return orNobody(new CommMaker("createGroup", this).createGroup(group, tag));
    }

    /**
     * A communicator of the first processes, on a grid; null for processes that have no place on it.
     *
     * @param periods whether each dimension is closed to a ring; those beyond the dimensions are not looked at
     * @param reorder whether ranks may change, so that those of one site are side by side
     */
    public Cartcomm Create_cart(int[] dims, boolean[] periods, boolean reorder) throws MPIException {
        return new TopologyMaker("Create_cart", this).cart(dims, periods, reorder);
    }

    /** As {@link #Create_cart}, but never null: see {@link #isNull}. */
    public CartComm createCart(int[] dims, boolean[] periods, boolean reorder) throws MPIException {
        CartComm comm = new TopologyMaker("createCart", this).cart(dims, periods, reorder);
        return comm == null ? CartComm.ofNobody() : comm;
    }

    /**
     * A communicator of the first processes, as nodes of a graph; null for processes that are none.
     *
     * @param index the number of edges of all nodes up to and with each one
     * @param edges the nodes that they lead to, node by node
     * @param reorder of no effect: ranks stay in their order
     */
    public Graphcomm Create_graph(int[] index, int[] edges, boolean reorder) throws MPIException {
        return new TopologyMaker("Create_graph", this).graph(index, edges);
    }

    /** As {@link #Create_graph}, but never null: see {@link #isNull}. */
    public GraphComm createGraph(int[] index, int[] edges, boolean reorder) throws MPIException {
        GraphComm comm = new TopologyMaker("createGraph", this).graph(index, edges);
        return comm == null ? GraphComm.ofNobody() : comm;
    }

    /**
     * A communicator of the same processes, as nodes of a graph to which each adds some edges, of any processes.
     *
     * @param sources where edges begin
     * @param degrees how many begin at each source
     * @param destinations where they end, source by source
     * @param weights one for each edge; told by {@link DistGraphNeighbors}
     * @param reorder of no effect, as is {@code info}
     */
    public GraphComm createDistGraph(
            int[] sources, int[] degrees, int[] destinations, int[] weights, Info info, boolean reorder)
            throws MPIException {
        TopologyMaker maker = new TopologyMaker("createDistGraph", this);
        return maker.anywhere(sources, degrees, destinations, maker.given(weights));
    }

    /** As the other {@code createDistGraph}, without weights. */
    public GraphComm createDistGraph(int[] sources, int[] degrees, int[] destinations, Info info, boolean reorder)
            throws MPIException {
        return new TopologyMaker("createDistGraph", this).anywhere(sources, degrees, destinations, null);
    }

    /**
     * A communicator of the same processes, as nodes of a graph to which each gives its own edges.
     *
     * @param sources where the edges that end at the calling process begin
     * @param destinations where the edges that begin at it end
     * @param reorder of no effect, as is {@code info}
     */
    public GraphComm createDistGraphAdjacent(
            int[] sources, int[] sourceWeights, int[] destinations, int[] destWeights, Info info, boolean reorder)
            throws MPIException {
        TopologyMaker maker = new TopologyMaker("createDistGraphAdjacent", this);
        return maker.adjacent(sources, maker.given(sourceWeights), destinations, maker.given(destWeights));
    }

    /** As the other {@code createDistGraphAdjacent}, without weights. */
    public GraphComm createDistGraphAdjacent(int[] sources, int[] destinations, Info info, boolean reorder)
            throws MPIException {
        return new TopologyMaker("createDistGraphAdjacent", this).adjacent(sources, null, destinations, null);
    }

    /** The ranks that a neighbourhood collective receives from, in their order; a rank may be there twice. */
    int[] sources(String call) {
        throw noTopology(call);
    }

    /** The ranks that a neighbourhood collective sends to, in their order; a rank may be there twice. */
    int[] destinations(String call) {
        throw noTopology(call);
    }

    private MPIException noTopology(String call) {
        requireLive(call);
        return check.error(MPI.ERR_TOPOLOGY, call, "the communicator has no topology");
    }

    // ---- processes that have died

    /**
     * A communicator of the processes that have not died, in their order. Collective among the living, and works on a revoked communicator; if none
     * has died it is a copy without attributes. A process that dies meanwhile may be in it.
     *
     * @throws MPIException of class ERR_OTHER if there have been 8,190 such communicators
     */
    public Intracomm shrink() throws MPIException {
        return new ShrinkCall("shrink", this).shrink();
    }

    /** As {@link #shrink}. */
    public Intracomm Shrink() throws MPIException {
        return new ShrinkCall("Shrink", this).shrink();
    }

    /** Starts {@link #shrink}. The communicator is in {@code newcomm[0]} when the completion of the request was seen. */
    public Request iShrink(Intracomm[] newcomm) throws MPIException {
        return new ShrinkCall("iShrink", this).start(newcomm);
    }

    /** As {@link #iShrink}. */
    public Request Ishrink(Intracomm[] newcomm) throws MPIException {
        return new ShrinkCall("Ishrink", this).start(newcomm);
    }

    /**
     * A communicator of one living process for each rank of COMM_WORLD, in its order. Collective over these processes: those that are left, and the
     * new ones that the launcher has started for the dead, wait here for each other ({@code posthouse run --on-failure rebuild}). Called on COMM_WORLD, or on
     * a communicator that was made so. COMM_WORLD itself stays as it is: with the dead in it, and in a new process revoked. A process that dies
     * meanwhile may be in the new communicator. A copy in a logged job that starts its dead again, or ends with them, and in one with replicas.
     *
     * @throws MPIException of class ERR_OTHER if a rank has called Finalize, so that there is no such communicator any more; of class
     *     ERR_UNSUPPORTED_OPERATION in a job without a log that does not replace its dead, and in a logged one that goes on without them
     */
    public Intracomm rebuild() throws MPIException {
        return new RebuildCall("rebuild", this).rebuild();
    }

    /** As {@link #rebuild}. */
    public Intracomm Rebuild() throws MPIException {
        return new RebuildCall("Rebuild", this).rebuild();
    }

    /** The communicator of this group whose number an agreement about failures has given. @throws MPIException if there is no number left */
    final Intracomm agreedOn(String call, int ordinal, Group members) {
        int number = self.contexts().takeFromTop(ordinal);
        if (number < 0) {
            throw check.error(
                    MPI.ERR_OTHER, call, "there is no number for a communicator: " + (ordinal - 1) + " were made so, and " + Contexts.COUNT
                            + " exist or were made so in all");
        }
        return heir(new Intracomm(self, members, number, ArgumentCheck.made(call, check.name())));
    }

    private static Intracomm orNobody(Intracomm comm) {
        return comm == null ? ofNobody() : comm;
    }

    @Override
    Intracomm twin(int id) {
        return new Intracomm(self, group, id, check.name());
    }

    @Override
    public Intracomm Dup() throws MPIException {
        return copied("Dup", this::twin);
    }

    @Override
    public Intracomm dup() throws MPIException {
        return copied("dup", this::twin);
    }

    @Override
    public Intracomm dupWithInfo(Info info) throws MPIException {
        return copied("dupWithInfo", this::twin);
    }

    @Override
    public Intracomm iDup() throws MPIException {
        return copying("iDup", this::twin);
    }

    /** As {@link #Dup}. */
    @Override
    public Intracomm clone() {
        return copied("clone", this::twin);
    }

    // ---- Open MPI's spelling of the scans

    /** As {@link #Scan}. */
    public void scan(Object sendbuf, Object recvbuf, int count, Datatype type, Op op) throws MPIException {
        BufferView.run(sendbuf, type, recvbuf, type, (from, to) -> collectives.scan(
                "scan", new Elements(from, 0, count, type), new Elements(to, 0, count, type), op));
    }

    /** As {@link #Scan}, with one buffer. */
    public void scan(Object buf, int count, Datatype type, Op op) throws MPIException {
        BufferView.run(buf, type, memory -> collectives.scan("scan", new Elements(memory, 0, count, type), new Elements(memory, 0, count, type), op));
    }

    /** As {@link #Iscan}. */
    public Request iScan(Object sendbuf, Object recvbuf, int count, Datatype type, Op op) throws MPIException {
        return collectives.scan("iScan", new Elements(sendbuf, 0, count, type), new Elements(recvbuf, 0, count, type), op).start();
    }

    /** As {@link #Iscan}, with one buffer. */
    public Request iScan(Object buf, int count, Datatype type, Op op) throws MPIException {
        return collectives.scan("iScan", new Elements(buf, 0, count, type), new Elements(buf, 0, count, type), op).start();
    }

    /** As {@link #Exscan}. */
    public void exScan(Object sendbuf, Object recvbuf, int count, Datatype type, Op op) throws MPIException {
        BufferView.run(sendbuf, type, recvbuf, type, (from, to) -> collectives.exscan(
                "exScan", new Elements(from, 0, count, type), new Elements(to, 0, count, type), op));
    }

    /** As {@link #Exscan}, with one buffer. */
    public void exScan(Object buf, int count, Datatype type, Op op) throws MPIException {
        BufferView.run(buf, type, memory -> collectives.exscan("exScan", new Elements(memory, 0, count, type), new Elements(memory, 0, count, type), op));
    }

    /** As {@link #Iexscan}. */
    public Request iExScan(Object sendbuf, Object recvbuf, int count, Datatype type, Op op) throws MPIException {
        return collectives.exscan("iExScan", new Elements(sendbuf, 0, count, type), new Elements(recvbuf, 0, count, type), op).start();
    }

    /** As {@link #Iexscan}, with one buffer. */
    public Request iExScan(Object buf, int count, Datatype type, Op op) throws MPIException {
        return collectives.exscan("iExScan", new Elements(buf, 0, count, type), new Elements(buf, 0, count, type), op).start();
    }
}
