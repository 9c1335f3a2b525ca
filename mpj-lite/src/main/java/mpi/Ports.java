package mpi;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The names under which groups of one job meet that have no communicator in common: each names the process that opened
 * it, and which of its ports it is. Who connects writes to that process in a context of its own, which no communicator of
 * the program has. Of the calling process; thread-safe.
 */
final class Ports {
    private static final String PREFIX = "posthouse-port-";

    /** Each port has two tags: one for who comes, one for what is agreed with who was let in. */
    private static final int TAGS = 2;

    private final AtomicInteger opened = new AtomicInteger();
    private final Set<Integer> open = ConcurrentHashMap.newKeySet();

    /** A port: which process's, and its number there. */
    record Port(int worldRank, int number) {
        int arrivals() {
            return TAGS * number;
        }

        int agreements() {
            return TAGS * number + 1;
        }
    }

    /** The name of a new port of this process. */
    String open(int worldRank) {
        int number = opened.getAndIncrement();
        open.add(number);
        return PREFIX + worldRank + "-" + number;
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

    void close(String name, int worldRank) {
        open.remove(own("closePort", name, worldRank).number);
    }

    /** @throws MPIException if this process has no open port of the name */
    Port own(String call, String name, int worldRank) {
        Port port = parse(call, name);
        if (port.worldRank != worldRank || !open.contains(port.number)) {
            throw new MPIException(
                    MPI.ERR_PORT, call + ": \"" + name + "\" is no open port of this process, rank " + worldRank
                            + " of COMM_WORLD; expected what its openPort returned");
        }
        return port;
    }

    /** @throws MPIException if it is not the name of a port */
    static Port parse(String call, String name) {
        String rest = name == null || !name.startsWith(PREFIX) ? "" : name.substring(PREFIX.length());
        if (!rest.matches("\\d{1,9}-\\d{1,9}")) {
            throw new MPIException(
                    MPI.ERR_PORT, call + ": \"" + name + "\" is no port of this job, expected what openPort returned");
        }
        int dash = rest.indexOf('-');
        return new Port(Integer.parseInt(rest.substring(0, dash)), Integer.parseInt(rest.substring(dash + 1)));
    }

    /** All processes, in the context of the ports. */
    static Intracomm world(OwnProcess self) {
        Group all = Group.world(self.endpoint().size(), self.endpoint().rank());
        return new Intracomm(self.unlisted(), all, Contexts.PORTS, "the ports");
    }
}
