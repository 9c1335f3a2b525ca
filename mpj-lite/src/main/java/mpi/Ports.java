package mpi;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.posthouse.mpj.JobJoiner;

/**
 * The names under which groups meet that have no communicator in common: each names the job and the process that opened
 * it, and which of its ports it is. Who connects within the job writes to that process in a context of its own, which no communicator of
 * the program has. Groups of two jobs meet by records in the relays' name service ({@link JointRendezvous}). Of the calling process; thread-safe.
 */
final class Ports {
    private static final String PREFIX = "posthouse-port-";

    /** Each port has two tags: one for who comes, one for what is agreed with who was let in. */
    private static final int TAGS = 2;

    private final AtomicInteger opened = new AtomicInteger();
    private final Set<Integer> open = ConcurrentHashMap.newKeySet();

    /** The joint jobs for which this process has gone to ports of other jobs in vain, and may not have taken back its visit. */
    private final Set<Long> failedVisits = ConcurrentHashMap.newKeySet();

    /** A port: which job's and process's, and its number there. Job 0: a world without relays. */
    record Port(long job, int worldRank, int number) {
        /** Its name. */
        String name() {
            return PREFIX + HexFormat.of().toHexDigits(job) + "-" + worldRank + "-" + number;
        }

        /** The record of the port in the name service. */
        String record() {
            return "mpi/_port/" + name();
        }

        /** The record of the group of another job that has come, or is let in. */
        String visitor() {
            return record() + "/visitor";
        }

        int arrivals() {
            return TAGS * number;
        }

        int agreements() {
            return TAGS * number + 1;
        }
    }

    /** A new port of this process. */
    Port open(long job, int worldRank) {
        int number = opened.getAndIncrement();
        open.add(number);
        return new Port(job, worldRank, number);
    }

    /** The visit is over, and is still to be taken back. */
    void ends(long joint) {
        failedVisits.add(joint);
    }

    /** Whether the visit is over and was not taken back. */
    boolean hasEnded(long joint) {
        return failedVisits.contains(joint);
    }

    /** The visit was taken back. */
    void leaves(long joint) {
        failedVisits.remove(joint);
    }

    /** Writes what an image needs. */
    void write(DataOutputStream image) throws IOException {
        image.writeInt(opened.get());
        List<Integer> numbers = List.copyOf(open);
        image.writeInt(numbers.size());
        for (int number : numbers) {
            image.writeInt(number);
        }
    }

    /** Goes on from an image. */
    void read(DataInputStream image) throws IOException {
        opened.set(image.readInt());
        open.clear();
        for (int left = image.readInt(); left > 0; left--) {
            open.add(image.readInt());
        }
    }

    Port close(String name, long job, int worldRank) {
        Port port = own("closePort", name, job, worldRank);
        open.remove(port.number);
        return port;
    }

    /** @throws MPIException if this process has no open port of the name */
    Port own(String call, String name, long job, int worldRank) {
        Port port = parse(call, name);
        if (port.job != job || port.worldRank != worldRank || !open.contains(port.number)) {
            throw new MPIException(
                    MPI.ERR_PORT, call + ": \"" + name + "\" is no open port of this process, rank " + worldRank
                            + " of COMM_WORLD; expected what its openPort returned");
        }
        return port;
    }

    /** @throws MPIException if it is not the name of a port */
    static Port parse(String call, String name) {
        String rest = name == null || !name.startsWith(PREFIX) ? "" : name.substring(PREFIX.length());
        if (!rest.matches("[0-9a-f]{16}-\\d{1,9}-\\d{1,9}")) {
            throw new MPIException(
                    MPI.ERR_PORT, call + ": \"" + name + "\" is no port, expected what openPort returned");
        }
        String[] parts = rest.split("-");
        return new Port(HexFormat.fromHexDigitsToLong(parts[0]), Integer.parseInt(parts[1]), Integer.parseInt(parts[2]));
    }

    /** The id of the process's own job; 0 in a world without relays. */
    static long job(OwnProcess self) {
        return self.endpoint().joiner().map(JobJoiner::job).orElse(0L);
    }

    /** All processes, in the context of the ports. */
    static Intracomm world(OwnProcess self) {
        Group all = Group.world(self.endpoint().processes(), self.endpoint().rank());
        return new Intracomm(self.unlisted(), all, Contexts.PORTS, "the ports");
    }
}
