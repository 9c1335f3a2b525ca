package org.posthouse.peer;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Finds the user at the other end of a TCP connection within this host and network namespace, in Linux's tables of sockets (proc(5),
 * {@code /proc/net/tcp} and {@code tcp6}). Immutable, thread-safe.
 *
 * <p>A look-up reads a whole table: a few milliseconds, more with many sockets. It must not run on an event loop. A peer that has closed
 * its socket, or has not accepted the connection yet, has no owner in the table, and counts as unknown.
 */
public final class PeerUsers {
    private static final PeerUsers HOST = new PeerUsers(Path.of("/proc/net"), PeerUser.own());

    /** An address of version 4 as a socket of version 6 has it (RFC 4291, section 2.5.5.2), in the table's words of 32 bits. */
    private static final byte[] MAPPED = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (byte) 0xff, (byte) 0xff};

    private static final int LOCAL = 1;
    private static final int REMOTE = 2;
    private static final int UID = 7;
    private static final int INODE = 9;

    private final Path tables;
    private final long ownUid;

    PeerUsers(Path tables, long ownUid) {
        this.tables = tables;
        this.ownUid = ownUid;
    }

    /** Those of this host. */
    public static PeerUsers ofHost() {
        return HOST;
    }

    /**
     * Looks the peer of a connection up. Blocks for a few milliseconds.
     *
     * @param local  this end's address
     * @param remote the other end's address, as this end sees it
     * @return unknown if the peer is on another host or in another network namespace, has gone, or the system has no such tables
     */
    public PeerUser find(SocketAddress local, SocketAddress remote) {
        if (ownUid == PeerUser.NO_UID
                || !(local instanceof InetSocketAddress here) || !(remote instanceof InetSocketAddress there)
                || here.isUnresolved() || there.isUnresolved()) {
            return PeerUser.UNKNOWN;
        }
        // The peer's own socket: its local address is our remote one.
        long uid = uidIn("tcp6", text(there, true), text(here, true));
        if (uid == PeerUser.NO_UID && there.getAddress() instanceof Inet4Address) {
            uid = uidIn("tcp", text(there, false), text(here, false));
        }
        return uid == PeerUser.NO_UID ? PeerUser.UNKNOWN : PeerUser.of(uid, ownUid);
    }

    private long uidIn(String table, String local, String remote) {
        try (BufferedReader sockets = Files.newBufferedReader(tables.resolve(table), StandardCharsets.US_ASCII)) {
            for (String line = sockets.readLine(); line != null; line = sockets.readLine()) {
                if (line.contains(local) && line.contains(remote)) {
                    String[] fields = line.strip().split(" +");
                    // Without an inode nobody owns the socket, and the table says user 0.
                    if (fields[LOCAL].equals(local) && fields[REMOTE].equals(remote) && !fields[INODE].equals("0")) {
                        return Long.parseLong(fields[UID]);
                    }
                }
            }
            return PeerUser.NO_UID;
        } catch (IOException | ArrayIndexOutOfBoundsException | NumberFormatException e) {
            return PeerUser.NO_UID; // No such table, or one of another form: nobody is known by it.
        }
    }

    /** An address as a table writes it: words of 32 bits in the processor's order, as hexadecimal digits, and the port. */
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
