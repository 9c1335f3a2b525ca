package org.posthouse.conformance;

import mpi.Info;
import mpi.Intercomm;
import mpi.Intracomm;
import mpi.MPI;

/** Groups that meet at a port, and what there is not of processes that come and go. In a job only: ports are its own. */
final class Ports {
    private static final int TAG = 25;

    private Ports() {}

    /** The even ranks accept, the odd ones connect; rank 0 opens the port and tells its name to rank 1. */
    private static void meet(Intracomm world, boolean withHints) {
        boolean server = world.Rank() % 2 == 0;
        Intracomm half = world.Split(server ? 0 : 1, 0);
        String[] name = {world.Rank() > 0 ? null : withHints ? Intracomm.openPort(new Info()) : Intracomm.openPort()};
        world.Bcast(name, 0, 1, MPI.OBJECT, 0);
        Check.that(name[0].length() <= MPI.MAX_PORT_NAME, "the name is short enough");
        Intercomm pair;
        if (server) {
            pair = withHints ? half.accept(name[0], new Info(), 0) : half.accept(name[0], 0);
        } else {
            pair = withHints ? half.connect(name[0], new Info(), 0) : half.connect(name[0], 0);
        }
        int others = world.Size() - half.Size();
        Check.equal("size of the other group", pair.getRemoteSize(), others);
        Intracomm all = pair.merge(!server);
        int[] sum = {1};
        all.allReduce(sum, 1, MPI.INT, MPI.SUM);
        Check.equal("processes", sum[0], world.Size());
        if (half.Rank() == 0) {
            int[] in = new int[1];
            pair.sendRecv(new int[] {world.Rank()}, 1, MPI.INT, 0, TAG, in, 1, MPI.INT, 0, TAG);
            Check.equal("first of the others", in[0], 1 - world.Rank());
        }
        all.free();
        pair.disconnect();
        half.Free();
        if (world.Rank() == 0) {
            Intracomm.closePort(name[0]);
            Check.error(MPI.ERR_PORT, "closePort", () -> Intracomm.closePort(name[0]));
        }
    }

    static void halvesMeet(Intracomm world) {
        if (world.Size() > 1) {
            meet(world, false);
            meet(world, true);
        }
    }

    static void wrongPorts(Intracomm world) {
        Check.error(world, MPI.ERR_PORT, "accept", () -> world.accept("no port", 0));
        Check.error(world, MPI.ERR_PORT, "connect", () -> world.connect(null, world.Size() - 1));
        Check.error(world, MPI.ERR_ROOT, "accept", () -> world.accept("no port", -1));
        Check.error(MPI.ERR_PORT, "closePort", () -> Intracomm.closePort("no port"));
    }

    /** Halves meet at a port whose name only one of them has been told, and the other looks up. */
    static void halvesMeetByName(Intracomm world) {
        if (world.Size() < 2) {
            return;
        }
        String service = "solver, \u00fcberall / #" + world.Size();
        Intracomm half = world.Split(world.Rank() % 2, world.Rank());
        boolean accepts = world.Rank() % 2 == 0;
        if (world.Rank() == 0) {
            Check.error(MPI.ERR_NAME, "lookupName", () -> Intracomm.lookupName(service));
            String port = Intracomm.openPort();
            Intracomm.publishName(service, port);
            Intracomm.publishName(service, new Info(), port);
            Check.error(MPI.ERR_SERVICE, "publishName", () -> Intracomm.publishName(service, port + "0"));
        }
        world.Barrier();
        String port = Intracomm.lookupName(service, new Info());
        Check.error(MPI.ERR_SERVICE, "unpublishName", () -> Intracomm.unpublishName(service, "another"));
        Intercomm both = accepts ? half.accept(port, 0) : half.connect(port, 0);
        Intracomm all = both.merge(!accepts);
        int[] sum = {1};
        all.allReduce(sum, 1, MPI.INT, MPI.SUM);
        Check.equal("processes", sum[0], world.Size());
        all.free();
        both.disconnect();
        half.Free();
        world.Barrier();
        if (world.Rank() == 0) {
            Intracomm.unpublishName(service, new Info(), port);
            Check.error(MPI.ERR_NAME, "lookupName", () -> Intracomm.lookupName(service));
            Check.error(MPI.ERR_SERVICE, "unpublishName", () -> Intracomm.unpublishName(service, port));
            Intracomm.closePort(port);
        }
        world.Barrier();
    }

    static void wrongNames(Intracomm world) {
        Check.error(MPI.ERR_NAME, "lookupName", () -> Intracomm.lookupName(""));
        Check.error(MPI.ERR_NAME, "lookupName", () -> Intracomm.lookupName(null));
        Check.error(MPI.ERR_SERVICE, "publishName", () -> Intracomm.publishName("service".repeat(100), "port"));
        Check.error(MPI.ERR_PORT, "publishName", () -> Intracomm.publishName("service", ""));
        Check.error(MPI.ERR_PORT, "unpublishName", () -> Intracomm.unpublishName("service", null));
    }

    static void nobodyIsStarted(Intracomm world) {
        String[] none = {};
        int[] errors = new int[1];
        Check.error(world, MPI.ERR_SPAWN, "spawn", () -> world.spawn("program", none, 1, MPI.INFO_NULL, 0, errors));
        Check.error(world, MPI.ERR_SPAWN, "spawnMultiple", () -> world.spawnMultiple(none, new String[0][], errors, new Info[0], 0, errors));
        Check.that(Intercomm.getParent().isNull(), "nobody started this process from a program");
    }
}
