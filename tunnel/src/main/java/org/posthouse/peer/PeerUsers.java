package org.posthouse.peer;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Finds the user at the other end of a TCP connection within this host and network namespace. It uses Linux's socket
 * tables (proc(5), {@code /proc/net/tcp} and {@code tcp6}). Immutable, thread-safe.
 *
 * <p>A look-up reads a whole table: a few milliseconds, more with many sockets. It must not run on an event loop. A
 * peer that has closed its socket, or has not accepted the connection yet, has no owner in the table, and counts as
 * unknown.
 */
public final class PeerUsers {
    private static final PeerUsers HOST = new PeerUsers(Path.of("/proc/net"), PeerUser.own());

    /** Prefix of an IPv4-mapped address in an IPv6 socket (RFC 4291, section 2.5.5.2), in the table's 32-bit words. */
    private static final byte[] MAPPED = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (byte) 0xff, (byte) 0xff};

    private static final List<String> TABLES = List.of("tcp6", "tcp");
    private static final int LOCAL = 1;
    private static final int REMOTE = 2;
    private static final int UID = 7;
    private static final int INODE = 9;

    private static final Path OWN_FILES = Path.of("/proc/self/fd");
    private static final String SOCKET = "socket:[";

    private final Path tables;
    private final long ownUid;

    /** One line of a table. */
    record Socket(long uid, String inode) {}

    PeerUsers(Path tables, long ownUid) {
        this.tables = tables;
        this.ownUid = ownUid;
    }

    /** The tables of this host. */
    public static PeerUsers ofHost() {
        return HOST;
    }

    /**
     * Finds the peer of a connection. Blocks for a few milliseconds.
     *
     * @param local  this end's address
     * @param remote the other end's address, as this end sees it
     * @return unknown if the peer is on another host or in another network namespace, has closed, or the system has no
     *         such tables
     */
    public PeerUser find(SocketAddress local, SocketAddress remote) {
        return socket(local, remote).map(socket -> PeerUser.of(socket.uid(), ownUid)).orElse(PeerUser.UNKNOWN);
    }

    /**
     * As {@link #find}, but a peer that is this process counts as unknown. This process may relay bytes that another
     * user sent to one of its other ports. Blocks longer with many open files.
     */
    public PeerUser findOther(SocketAddress local, SocketAddress remote) {
        return socket(local, remote)
                .filter(socket -> !isOwn(socket.inode()))
                .map(socket -> PeerUser.of(socket.uid(), ownUid))
                .orElse(PeerUser.UNKNOWN);
    }

    /** A snapshot of the tables. Blocks for as long as {@link #findOther}. */
    public PeerTable read() {
        Map<String, Socket> sockets = new HashMap<>();
        for (String table : TABLES) {
            each(table, line -> {
                String[] fields = line.strip().split(" +");
                // A socket without an inode has no owner, and the table shows user 0.
                if (fields[0].endsWith(":") && !fields[INODE].equals("0")) {
                    sockets.put(fields[LOCAL] + " " + fields[REMOTE], new Socket(Long.parseLong(fields[UID]), fields[INODE]));
                }
            });
        }
        return new PeerTable(sockets, ownInodes().orElse(null), ownUid);
    }

    /** The peer's own socket: its local address is our remote one. */
    private Optional<Socket> socket(SocketAddress local, SocketAddress remote) {
        if (ownUid == PeerUser.NO_UID) {
            return Optional.empty();
        }
        List<String> ends = ends(local, remote);
        for (int i = 0; i < ends.size(); i++) {
            Socket found = socketIn(TABLES.get(i), ends.get(i));
            if (found != null) {
                return Optional.of(found);
            }
        }
        return Optional.empty();
    }

    /** The possible keys of the peer's socket in each of the {@link #TABLES}. */
    static List<String> ends(SocketAddress local, SocketAddress remote) {
        if (!(local instanceof InetSocketAddress here) || !(remote instanceof InetSocketAddress there) || here.isUnresolved() || there.isUnresolved()) {
            return List.of();
        }
        String version6 = text(there, true) + " " + text(here, true);
        return there.getAddress() instanceof Inet4Address ? List.of(version6, text(there, false) + " " + text(here, false)) : List.of(version6);
    }

    private static boolean isOwn(String inode) {
        return ownInodes().map(own -> own.contains(inode)).orElse(true);
    }

    /** The sockets that this process has open; empty if unknown. */
    private static Optional<Set<String>> ownInodes() {
        Set<String> own = new HashSet<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(OWN_FILES)) {
            for (Path file : files) {
                String name = target(file);
                if (name.startsWith(SOCKET)) {
                    own.add(name.substring(SOCKET.length(), name.length() - 1));
                }
            }
            return Optional.of(own);
        } catch (IOException | DirectoryIteratorException e) {
            return Optional.empty();
        }
    }

    private static String target(Path file) {
        try {
            return Files.readSymbolicLink(file).toString();
        } catch (IOException e) {
            return ""; // Closed meanwhile.
        }
    }

    private Socket socketIn(String table, String ends) {
        Socket[] found = new Socket[1];
        each(table, line -> {
            if (line.contains(ends)) {
                String[] fields = line.strip().split(" +");
                if (ends.equals(fields[LOCAL] + " " + fields[REMOTE]) && !fields[INODE].equals("0")) {
                    found[0] = new Socket(Long.parseLong(fields[UID]), fields[INODE]);
                }
            }
        });
        return found[0];
    }

    /** A missing table, or one of a different format, yields no users. */
    private void each(String table, Consumer<String> lines) {
        try (BufferedReader sockets = Files.newBufferedReader(tables.resolve(table), StandardCharsets.US_ASCII)) {
            for (String line = sockets.readLine(); line != null; line = sockets.readLine()) {
                lines.accept(line);
            }
        } catch (IOException | ArrayIndexOutOfBoundsException | NumberFormatException e) {
            // The process's sockets are unknown.
        }
    }

    /** An address in a table's format: 32-bit words in the processor's byte order, in hexadecimal, and the port. */
    private static String text(InetSocketAddress address, boolean asVersion6) {
        byte[] bytes = address.getAddress().getAddress();
        ByteBuffer words = ByteBuffer.allocate(MAPPED.length + bytes.length).order(ByteOrder.BIG_ENDIAN);
        if (asVersion6 && address.getAddress() instanceof Inet4Address) {
            words.put(MAPPED);
        }
        words.put(bytes).flip();
        StringBuilder text = new StringBuilder();
        words.order(ByteOrder.nativeOrder());
        while (words.hasRemaining()) {
            text.append(String.format(Locale.ROOT, "%08X", words.getInt()));
        }
        return text.append(String.format(Locale.ROOT, ":%04X", address.getPort())).toString();
    }
}
