package mpi;

/**
 * Open MPI's calls for dynamic processes (MPI-2, 5). Two groups of one job or of two can connect at a port. All jobs of a grid share the
 * names that are published (docs/names.md). A job's processes are all there from its start, so no others can be started:
 * calls that would fail with an error that says so (ADR 9).
 */
abstract class DynamicProcesses extends MpjCollectives {
    DynamicProcesses(OwnProcess self, Group group, int id, String name) {
        super(self, group, id, name);
    }

    // ---- ports

    /** Opens a port of the calling process, for {@link #accept}; returns its name, for others to {@link #connect} to. */
    public static String openPort() throws MPIException {
        OwnProcess self = MPI.require("openPort");
        Ports.Port port = self.ports().open(Ports.job(self), self.endpoint().rank());
        JointRendezvous.publish("openPort", self.endpoint(), port);
        return port.name();
    }

    /** As the other {@code openPort}; there are no hints that change anything. */
    public static String openPort(Info info) throws MPIException {
        return openPort();
    }

    /** Closes a port of the calling process. */
    public static void closePort(String name) throws MPIException {
        OwnProcess self = MPI.require("closePort");
        JointRendezvous.withdraw("closePort", self.endpoint(), self.ports().close(name, Ports.job(self), self.endpoint().rank()));
    }

    /**
     * Waits for another group, of this job or of another one, to {@link #connect}. Collective; the name counts at the root, which has opened
     * the port. Groups that connect are let in one by one.
     *
     * @return the communicator of both groups, which have no process in common
     * @throws MPIException of class ERR_PORT, if the root has no such port, or a group of another job came and was gone before both were joined
     */
    public Intercomm accept(String port, int root) throws MPIException {
        return new PortRendezvous("accept", (Intracomm) this, root).accept(port);
    }

    /** As the other {@code accept}; there are no hints that change anything. */
    public Intercomm accept(String port, Info info, int root) throws MPIException {
        return accept(port, root);
    }

    /**
     * Meets the group that {@link #accept}s at a port, of this job or of another one of the grid, and waits until it does. Collective; the name counts at the root.
     *
     * @throws MPIException of class ERR_PORT, if no such port is open, it is one of a job with another durability, or the port's job ends before
     */
    public Intercomm connect(String port, int root) throws MPIException {
        return new PortRendezvous("connect", (Intracomm) this, root).connect(port);
    }

    /** As the other {@code connect}; there are no hints that change anything. */
    public Intercomm connect(String port, Info info, int root) throws MPIException {
        return connect(port, root);
    }

    // ---- names

    /**
     * Publishes a port of this job under a name, which any job of the grid can look up. The name is taken back when the job ends.
     *
     * @throws MPIException of class ERR_SERVICE, if the name is published already, or the relay has no names
     */
    public static void publishName(String service, String port) throws MPIException {
        names("publishName").publish(service, port);
    }

    /** As the other {@code publishName}; there are no hints that change anything. */
    public static void publishName(String service, Info info, String port) throws MPIException {
        publishName(service, port);
    }

    /**
     * Takes back a name that a process of this job has published for a port.
     *
     * @throws MPIException of class ERR_SERVICE, if it is not published for that port, or by another job
     */
    public static void unpublishName(String service, String port) throws MPIException {
        names("unpublishName").unpublish(service, port);
    }

    /** As the other {@code unpublishName}; there are no hints that change anything. */
    public static void unpublishName(String service, Info info, String port) throws MPIException {
        unpublishName(service, port);
    }

    /**
     * The port that a job of this grid has published under a name.
     *
     * @throws MPIException of class ERR_NAME, if there is none
     */
    public static String lookupName(String service) throws MPIException {
        return names("lookupName").lookup(service);
    }

    /** As the other {@code lookupName}; there are no hints that change anything. */
    public static String lookupName(String service, Info info) throws MPIException {
        return lookupName(service);
    }

    private static PublishedNames names(String call) {
        return new PublishedNames(MPI.require(call).endpoint());
    }

    // ---- what there is not

    /** @throws MPIException always, of class ERR_SPAWN: a job's processes are there from its start */
    public Intercomm spawn(String command, String[] argv, int maxprocs, Info info, int root, int[] errcodes)
            throws MPIException {
        throw noSpawn("spawn");
    }

    /** @throws MPIException always, of class ERR_SPAWN: a job's processes are there from its start */
    public Intercomm spawnMultiple(
            String[] commands, String[][] argv, int[] maxprocs, Info[] info, int root, int[] errcodes)
            throws MPIException {
        throw noSpawn("spawnMultiple");
    }

    private MPIException noSpawn(String call) {
        requireLive(call);
        return check.error(
                MPI.ERR_SPAWN, call,
                "a job's processes are there from its start: start it with more ranks (-n), and split COMM_WORLD");
    }
}
