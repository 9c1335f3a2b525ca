package org.posthouse.bench.carrier;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.logstore.file.TemporaryFolder;

/** The other programs' tunnels that this machine has and that work, and why not the others. Confined to the driver's thread. */
public final class Tunnels implements AutoCloseable {
    private final TemporaryFolder folder;
    private final Map<Carrier, PlainTunnel> tunnels = new EnumMap<>(Carrier.class);
    private final Map<Carrier, String> leftOut = new EnumMap<>(Carrier.class);

    /** Makes one ready. */
    interface Starting {
        PlainTunnel in(Path folder) throws IOException, InterruptedException;
    }

    /** An action on each tunnel. */
    public interface Opening {
        void of(Carrier carrier, PlainTunnel tunnel) throws IOException, JobFailure, InterruptedException;
    }

    private Tunnels(TemporaryFolder folder) {
        this.folder = folder;
    }

    /** Starts what is installed; nothing, if none are wanted. */
    public static Tunnels start(boolean wanted) throws IOException, InterruptedException {
        Tunnels tunnels = new Tunnels(TemporaryFolder.make("posthouse-bench-"));
        try {
            if (wanted) {
                tunnels.add(Carrier.SSH, SshTunnel::start);
                tunnels.add(Carrier.STUNNEL, StunnelTunnel::start);
            }
            return tunnels;
        } catch (IOException | InterruptedException e) {
            tunnels.close();
            throw e;
        }
    }

    void add(Carrier carrier, Starting starting) throws IOException, InterruptedException {
        Path own = Files.createDirectory(folder.path().resolve(carrier.word()));
        try {
            tunnels.put(carrier, starting.in(own));
        } catch (IOException e) {
            leftOut.put(carrier, e.getMessage());
        }
    }

    /** Applies it to each. A carrier that fails is left out from then on. */
    public void each(Opening opening) throws JobFailure, InterruptedException {
        for (Carrier carrier : List.copyOf(tunnels.keySet())) {
            try {
                opening.of(carrier, tunnels.get(carrier));
            } catch (IOException e) {
                tunnels.remove(carrier).close();
                leftOut.put(carrier, e.getMessage());
            }
        }
    }

    /** @throws IOException if it is not installed */
    static Path require(String program) throws IOException {
        return Companion.find(program).orElseThrow(() -> new IOException(program + " is not installed"));
    }

    /** The tunnels that work. */
    public Map<Carrier, PlainTunnel> all() {
        return tunnels;
    }

    /** The carriers that are not measured, with the reasons. */
    public Map<Carrier, String> leftOut() {
        return leftOut;
    }

    @Override
    public void close() {
        tunnels.values().forEach(PlainTunnel::close);
        try {
            folder.close();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot remove " + folder.path() + ": " + e.getMessage(), e);
        }
    }
}
