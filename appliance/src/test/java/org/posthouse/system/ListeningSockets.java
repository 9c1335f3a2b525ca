package org.posthouse.system;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** The sockets at which processes of this host listen, as the system has them in {@code /proc} (proc(5)). Linux only. */
final class ListeningSockets {
    private static final Path PROC = Path.of("/proc");
    private static final String TCP_LISTEN = "0A";
    private static final String UNIX_LISTEN = "00010000";
    private static final int UNIX_PATH_AT = 7;

    private ListeningSockets() {}

    /** One of them. */
    record Listening(long pid, SocketAddress address) {
        /** HOST:PORT, or a path. */
        String text() {
            return address instanceof InetSocketAddress tcp ? tcp.getAddress().getHostAddress() + ":" + tcp.getPort() : address.toString();
        }
    }

    static List<Listening> of(List<Long> pids) throws IOException {
        Map<String, SocketAddress> byInode = new HashMap<>();
        tcp(PROC.resolve("net/tcp"), byInode);
        tcp(PROC.resolve("net/tcp6"), byInode);
        unix(byInode);
        List<Listening> all = new ArrayList<>();
        for (long pid : pids) {
            try (DirectoryStream<Path> open = Files.newDirectoryStream(PROC.resolve(pid + "/fd"))) {
                for (Path fd : open) {
                    SocketAddress address = byInode.get(inode(fd));
                    if (address != null) {
                        all.add(new Listening(pid, seenFromHere(pid, address)));
                    }
                }
            }
        }
        return all;
    }

    /** A socket's path may be relative to the working directory of its process. The result is relative to ours: such paths must be short (unix(7)). */
    private static SocketAddress seenFromHere(long pid, SocketAddress address) throws IOException {
        if (!(address instanceof UnixDomainSocketAddress unix) || unix.getPath().isAbsolute()) {
            return address;
        }
        Path there = Files.readSymbolicLink(PROC.resolve(pid + "/cwd")).resolve(unix.getPath()).normalize();
        return UnixDomainSocketAddress.of(Path.of("").toAbsolutePath().relativize(there));
    }

    private static String inode(Path fd) {
        try {
            String target = Files.readSymbolicLink(fd).toString();
            return target.startsWith("socket:[") ? target.substring("socket:[".length(), target.length() - 1) : "";
        } catch (IOException e) {
            return ""; // It was closed meanwhile.
        }
    }

    private static void tcp(Path table, Map<String, SocketAddress> byInode) throws IOException {
        for (String line : Files.readAllLines(table)) {
            String[] fields = line.trim().split(" +");
            if (fields.length > 9 && fields[3].equals(TCP_LISTEN)) {
                byInode.put(fields[9], address(fields[1]));
            }
        }
    }

    /** Words of four bytes, each in the host's order, and the port in the network's. */
    private static InetSocketAddress address(String hex) throws UnknownHostException {
        String[] parts = hex.split(":");
        byte[] words = HexFormat.of().parseHex(parts[0]);
        byte[] bytes = new byte[words.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = words[i / 4 * 4 + 3 - i % 4];
        }
        return new InetSocketAddress(InetAddress.getByAddress(bytes), Integer.parseInt(parts[1], 16));
    }

    private static void unix(Map<String, SocketAddress> byInode) throws IOException {
        for (String line : Files.readAllLines(PROC.resolve("net/unix"), StandardCharsets.ISO_8859_1)) {
            String[] fields = line.trim().split(" +", UNIX_PATH_AT + 1);
            if (fields.length > UNIX_PATH_AT && fields[3].equals(UNIX_LISTEN)) {
                byInode.put(fields[6], UnixDomainSocketAddress.of(fields[UNIX_PATH_AT]));
            }
        }
    }
}
