package mpi;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32;
import org.posthouse.mpj.Endpoint;

/**
 * The name of the calling process's host, as recorded values: a process that is started in its place, maybe elsewhere, gets the same from the same calls.
 * Each call is recorded for itself, so that it needs no place in an image.
 */
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

    /**
     * The name that was recorded, or else {@code now}. A process may have died between two values; what is put together of two names is noticed, and asked
     * for again.
     */
    static synchronized String recorded(Endpoint endpoint, String now) {
        byte[] mine = now.getBytes(StandardCharsets.UTF_8);
        while (true) {
            long head = endpoint.value(() -> head(mine));
            byte[] name = new byte[(int) (head >>> Integer.SIZE)];
            for (int at = 0; at < name.length; at += Long.BYTES) {
                int from = at;
                byte[] part = ByteBuffer.allocate(Long.BYTES).putLong(endpoint.value(() -> part(mine, from))).array();
                System.arraycopy(part, 0, name, at, Math.min(part.length, name.length - at));
            }
            if (head(name) == head) {
                return new String(name, StandardCharsets.UTF_8);
            }
        }
    }

    /** Its length and checksum. */
    private static long head(byte[] name) {
        CRC32 crc = new CRC32();
        crc.update(name);
        return (long) name.length << Integer.SIZE | crc.getValue();
    }

    /** Eight bytes of it; 0 behind its end. */
    private static long part(byte[] name, int from) {
        ByteBuffer part = ByteBuffer.allocate(Long.BYTES);
        if (from < name.length) {
            part.put(name, from, Math.min(Long.BYTES, name.length - from));
        }
        return part.getLong(0);
    }
}
