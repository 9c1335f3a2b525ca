package mpi;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The name of the calling process's host. */
final class ProcessorName {
    private static final Path OF_KERNEL = Path.of("/proc/sys/kernel/hostname");

    private ProcessorName() {}

    /** The host's name as the system reports it. */
    static String ofHost() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            // A host that cannot resolve its own name still has one.
            return ofKernel();
        }
    }

    private static String ofKernel() {
        try {
            return Files.readString(OF_KERNEL).strip();
        } catch (IOException e) {
            return System.getenv().getOrDefault("HOSTNAME", "localhost");
        }
    }
}
