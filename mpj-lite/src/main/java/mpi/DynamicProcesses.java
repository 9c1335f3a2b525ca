package mpi;

/**
 * Open MPI's calls for dynamic processes (MPI-2, 5). Two groups of one job can connect at a port. A job's processes are
 * all there from its start, so no others can be started. There is no name server for other jobs (ADR 9). The calls that
 * need either fail with an error that says so.
 */
abstract class DynamicProcesses extends MpjCollectives {
    DynamicProcesses(OwnProcess self, Group group, int id, String name) {
        super(self, group, id, name);
    }

    // ---- ports

    /** Opens a port of the calling process, for {@link #accept}; returns its name, for others to {@link #connect} to. */
    public static String openPort() throws MPIException {
        OwnProcess self = MPI.require("openPort");
        return self.ports().open(self.endpoint().rank());
    }

    /** As the other {@code openPort}; there are no hints that change anything. */
    public static String openPort(Info info) throws MPIException {
        return openPort();
    }

    /** Closes a port of the calling process. */
    public static void closePort(String name) throws MPIException {
        OwnProcess self = MPI.require("closePort");
        self.ports().close(name, self.endpoint().rank());
    }

    /**
     * Waits for another group of the job to {@link #connect}. Collective; the name counts at the root, which has opened
     * the port. Groups that connect are let in one by one.
     *
     * @return the communicator of both groups, which have no process in common
     */
    public Intercomm accept(String port, int root) throws MPIException {
        return new PortRendezvous("accept", (Intracomm) this, root).accept(port);
    }

    /** As the other {@code accept}; there are no hints that change anything. */
    public Intercomm accept(String port, Info info, int root) throws MPIException {
        return accept(port, root);
    }

    /** Meets the group that {@link #accept}s at a port, and waits until it does. Collective; the name counts at the root. */
    public Intercomm connect(String port, int root) throws MPIException {
        return new PortRendezvous("connect", (Intracomm) this, root).connect(port);
    }

    /** As the other {@code connect}; there are no hints that change anything. */
    public Intercomm connect(String port, Info info, int root) throws MPIException {
        return connect(port, root);
    }

    // ---- what there is not

    /** @throws MPIException always, of class ERR_SERVICE: there is no name server */
    public static void publishName(String service, String port) throws MPIException {
        throw noNames("publishName", MPI.ERR_SERVICE);
    }

    /** @throws MPIException always, of class ERR_SERVICE: there is no name server */
    public static void publishName(String service, Info info, String port) throws MPIException {
        throw noNames("publishName", MPI.ERR_SERVICE);
    }

    /** @throws MPIException always, of class ERR_SERVICE: there is no name server */
    public static void unpublishName(String service, String port) throws MPIException {
        throw noNames("unpublishName", MPI.ERR_SERVICE);
    }

    /** @throws MPIException always, of class ERR_SERVICE: there is no name server */
    public static void unpublishName(String service, Info info, String port) throws MPIException {
        throw noNames("unpublishName", MPI.ERR_SERVICE);
    }

    /** @throws MPIException always, of class ERR_NAME: there is no name server */
    public static String lookupName(String service) throws MPIException {
        throw noNames("lookupName", MPI.ERR_NAME);
    }

    /** @throws MPIException always, of class ERR_NAME: there is no name server */
    public static String lookupName(String service, Info info) throws MPIException {
        throw noNames("lookupName", MPI.ERR_NAME);
    }

    private static MPIException noNames(String call, int errorClass) {
        return new MPIException(
                errorClass, call + ": there is no name server; send the port's name in a message, as in COMM_WORLD");
    }

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
