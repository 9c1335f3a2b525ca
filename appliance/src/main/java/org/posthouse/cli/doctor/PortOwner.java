package org.posthouse.cli.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The process that listens at a port of this host, from /proc. Of other users' processes it is unknown. Stateless. */
final class PortOwner {
    private static final String LISTENS = "0A";
    private static final int ADDRESS = 1;
    private static final int STATE = 3;
    private static final int INODE = 9;

    private PortOwner() {}

    /** The inode of the socket that listens at the port. @param table lines of /proc/net/tcp or tcp6 */
    static Optional<String> inode(List<String> table, int port) {
        String suffix = String.format(Locale.ROOT, ":%04X", port);
        return table.stream()
                .map(line -> line.strip().split("\\s+"))
                .filter(words -> words.length > INODE && words[STATE].equals(LISTENS) && words[ADDRESS].endsWith(suffix))
                .map(words -> words[INODE])
                .findFirst();
    }

    /** The process and its command, for people. */
    static String find(int port) {
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            try {
                Optional<String> owner = inode(Files.readAllLines(Path.of(table)), port).flatMap(PortOwner::process);
                if (owner.isPresent()) {
                    return owner.orElseThrow();
                }
            } catch (IOException e) {
                return "a process that this system does not tell of";
            }
        }
        return "a process of another user";
    }

    private static Optional<String> process(String inode) {
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            return processes.filter(process -> process.getFileName().toString().matches("\\d+") && holds(process, "socket:[" + inode + "]"))
                    .findFirst()
                    .map(PortOwner::describe);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Whether one of its files is this socket. Of a process that has ended, or is another user's, none is. */
    private static boolean holds(Path process, String socket) {
        try (Stream<Path> files = Files.list(process.resolve("fd"))) {
            return files.anyMatch(file -> isLinkTo(file, socket));
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean isLinkTo(Path file, String target) {
        try {
            return Files.readSymbolicLink(file).toString().equals(target);
        } catch (IOException e) {
            return false;
        }
    }

    private static String describe(Path process) {
        String pid = process.getFileName().toString();
        return "process " + pid
                + ProcessHandle.of(Long.parseLong(pid)).flatMap(found -> found.info().command()).map(command -> " (" + command + ")").orElse("");
    }
}
