package org.posthouse.directory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Sockets of this process, as the kernel lists them. */
final class Sockets {
    private static final String LISTEN = "0A";
    private static final int MAPPED_CHARS = 24;

    private Sockets() {}

    /** Where this process listens, as address:port; a wildcard of IPv6 shows as hexadecimal digits. */
    static Set<String> listening() throws IOException {
        Set<String> result = new TreeSet<>();
        for (String table : List.of("tcp", "tcp6")) {
            for (String[] row : rows(table)) {
                if (row[3].equals(LISTEN)) {
                    result.add(address(row[1]));
                }
            }
        }
        return result;
    }

    static Set<String> udp() throws IOException {
        Set<String> result = new TreeSet<>();
        for (String table : List.of("udp", "udp6")) {
            for (String[] row : rows(table)) {
                result.add(address(row[1]));
            }
        }
        return result;
    }

    private static List<String[]> rows(String table) throws IOException {
        Set<String> own = ownInodes();
        return Files.readAllLines(Path.of("/proc/net", table)).stream()
                .skip(1)
                .map(line -> line.trim().split("\\s+"))
                .filter(row -> own.contains(row[9]))
                .toList();
    }

    private static Set<String> ownInodes() throws IOException {
        Set<String> inodes = new HashSet<>();
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors.toList()) {
                String target = target(descriptor);
                if (target.startsWith("socket:[")) {
                    inodes.add(target.substring(8, target.length() - 1));
                }
            }
        }
        return inodes;
    }

    private static String target(Path descriptor) throws IOException {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (NoSuchFileException closedMeanwhile) {
            return "";
        }
    }

    private static String address(String hex) {
        String[] parts = hex.split(":", 2);
        int port = Integer.parseInt(parts[1], 16);
        boolean mapped = parts[0].startsWith("0000000000000000FFFF0000");
        String v4 = mapped ? parts[0].substring(MAPPED_CHARS) : parts[0];
        if (v4.length() != 8) {
            return parts[0] + ":" + port;
        }
        int bytes = Integer.reverseBytes(Integer.parseUnsignedInt(v4, 16));
        return (bytes >>> 24) + "." + (bytes >>> 16 & 255) + "." + (bytes >>> 8 & 255) + "." + (bytes & 255) + ":"
                + port;
    }
}
