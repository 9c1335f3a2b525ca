package mpi;

/** A communicator of one group. */
public class Intracomm extends MpjCollectives {
    Intracomm(Self self, Group group, int id, String name) {
        super(self, group, id, name);
    }

    /** What a process gets that is not in the new communicator, in Open MPI's spelling. */
    static Intracomm ofNobody() {
        return new Intracomm(null, Group.EMPTY, -1, "COMM_NULL");
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

    /** A communicator of the processes of this host, or of this site, which is taken for one. */
    public Intracomm splitType(int splitType, int key, Info info) throws MPIException {
        requireLive("splitType");
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

    private static Intracomm orNobody(Intracomm comm) {
        return comm == null ? ofNobody() : comm;
    }

    @Override
    Intracomm copy(String call) {
        Intracomm copy = new Intracomm(self, group, new CommMaker(call, this).agree(), check.name());
        copyAttributesTo(copy);
        return copy;
    }

    @Override
    public Intracomm Dup() throws MPIException {
        return copy("Dup");
    }

    @Override
    public Intracomm dup() throws MPIException {
        return copy("dup");
    }

    /** As {@link #Dup}. */
    @Override
    public Intracomm clone() {
        return copy("clone");
    }

    // ---- Open MPI's spelling of the scans

    /** As {@link #Scan}. */
    public void scan(Object sendbuf, Object recvbuf, int count, Datatype type, Op op) throws MPIException {
        collectives.scan("scan", sendbuf, 0, recvbuf, 0, count, type, op).run();
    }

    /** As {@link #Scan}, with one buffer. */
    public void scan(Object buf, int count, Datatype type, Op op) throws MPIException {
        collectives.scan("scan", buf, 0, buf, 0, count, type, op).run();
    }

    /** As {@link #Iscan}. */
    public Request iScan(Object sendbuf, Object recvbuf, int count, Datatype type, Op op) throws MPIException {
        return collectives.scan("iScan", sendbuf, 0, recvbuf, 0, count, type, op).start();
    }

    /** As {@link #Iscan}, with one buffer. */
    public Request iScan(Object buf, int count, Datatype type, Op op) throws MPIException {
        return collectives.scan("iScan", buf, 0, buf, 0, count, type, op).start();
    }

    /** As {@link #Exscan}. */
    public void exScan(Object sendbuf, Object recvbuf, int count, Datatype type, Op op) throws MPIException {
        collectives.exscan("exScan", sendbuf, 0, recvbuf, 0, count, type, op).run();
    }

    /** As {@link #Exscan}, with one buffer. */
    public void exScan(Object buf, int count, Datatype type, Op op) throws MPIException {
        collectives.exscan("exScan", buf, 0, buf, 0, count, type, op).run();
    }

    /** As {@link #Iexscan}. */
    public Request iExScan(Object sendbuf, Object recvbuf, int count, Datatype type, Op op) throws MPIException {
        return collectives.exscan("iExScan", sendbuf, 0, recvbuf, 0, count, type, op).start();
    }

    /** As {@link #Iexscan}, with one buffer. */
    public Request iExScan(Object buf, int count, Datatype type, Op op) throws MPIException {
        return collectives.exscan("iExScan", buf, 0, buf, 0, count, type, op).start();
    }
}
