package org.posthouse.mpj.channel;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;

/**
 * A folder of Unix sockets by which ranks find the relays of their own host and user. A message costs the host less
 * there than through the network protocols (docs/adr/0042-unix-sockets-for-local-ranks.md).
 *
 * <p>Socket names are not announced. A name consists of what only one process can listen at, and the rank knows it:
 * network namespace, address and port. A rank that finds no socket, or one with no listener, uses the port. The folder
 * must belong to its user alone: whoever can create a socket there would get the tokens of jobs.
 *
 * @param folder it need not exist; the path of a socket in it has up to some 40 characters more, and 107 are the most
 * that a system takes
 */
public record LocalSockets(Path folder) {
    /**
     * Names the folder, or is {@link #OFF}. Without it, the folder is the user's own in the system's folder for
     * temporary files.
     */
    public static final String VARIABLE = "POSTHOUSE_LOCAL_SOCKETS";

    /** Value for relays and ranks that use ports only. */
    public static final String OFF = "off";

    /** The address part of the socket name of a relay that listens at every address. */
    private static final String EVERY_ADDRESS = "any";

    /** The address part of a socket name while its relay is being checked; the number behind it is arbitrary. */
    private static final String ASIDE = "aside";

    private static final Pattern NAMED = Pattern.compile("\\d+-.+-\\d+");

    /** A relay listens at its socket at most this long after it made it: two system calls, one behind the other. */
    private static final long LISTENS_WITHIN_MS = 60_000;

    private static final int SEND_BYTES = 4 << 20;
    private static final Path SELF = Path.of("/proc/self");
    private static final Path NAMESPACE = SELF.resolve("ns/net");
    private static final Set<PosixFilePermission> OWNERS = PosixFilePermissions.fromString("rwx------");

    /**
     * The folder from the environment. Empty where the system does not tell the process's user and namespace: anywhere
     * but on Linux.
     */
    public static Optional<LocalSockets> of(Map<String, String> environment) {
        String said = environment.getOrDefault(VARIABLE, "");
        if (said.equals(OFF) || !Files.isDirectory(SELF)) {
            return Optional.empty();
        }
        try {
            return Optional.of(new LocalSockets(said.isEmpty() ? usual() : Path.of(said)));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Path usual() throws IOException {
        return Path.of(System.getProperty("java.io.tmpdir"), "posthouse-" + Files.getOwner(SELF).getName());
    }

    /**
     * The socket's path for a relay that listens at {@code port}. Afterwards the folder exists, and nothing of that
     * name is in it.
     *
     * @throws IOException if the folder cannot be made, or is not this user's alone
     */
    public Path prepare(InetSocketAddress port) throws IOException {
        make();
        requireOwn();
        InetAddress address = port.getAddress();
        Path socket = named(address.isAnyLocalAddress() ? EVERY_ADDRESS : address.getHostAddress(), port.getPort());
        // No process listens there: the port is the caller's.
        Files.deleteIfExists(socket);
        return socket;
    }

    /**
     * Removes the sockets without a listener: those of killed relays that have not returned to their ports, in whatever
     * network namespace. Live sockets accept a connection for the check.
     *
     * @throws IOException if the folder cannot be read, or is not this user's alone
     */
    public void sweep() throws IOException {
        requireOwn();
        try (DirectoryStream<Path> sockets = Files.newDirectoryStream(folder, file -> NAMED.matcher(file.getFileName().toString()).matches())) {
            for (Path socket : sockets) {
                sweep(socket);
            }
        }
    }

    private void sweep(Path socket) throws IOException {
        try {
            if (isOld(socket) && isRefused(socket)) {
                remove(socket);
            }
        } catch (NoSuchFileException e) {
            // Its relay has ended meanwhile, or another one sweeps.
            return;
        }
    }

    /** Removes the socket, unless a new one has taken its name: then the relay has returned and listens there again. */
    void remove(Path socket) throws IOException {
        Path aside = named(ASIDE, ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE));
        Files.move(socket, aside, StandardCopyOption.ATOMIC_MOVE);
        if (isOld(aside)) {
            Files.delete(aside);
        } else {
            Files.move(aside, socket, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    private static boolean isOld(Path socket) throws IOException {
        BasicFileAttributes found = Files.readAttributes(socket, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        return found.isOther() && found.lastModifiedTime().toMillis() < System.currentTimeMillis() - LISTENS_WITHIN_MS;
    }

    private static boolean isRefused(Path socket) throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            // A relay that does not accept just now has a full backlog. It is not waited for.
            channel.configureBlocking(false);
            channel.connect(UnixDomainSocketAddress.of(socket));
            return false;
        } catch (SocketException e) {
            return e instanceof ConnectException;
        }
    }

    /**
     * Connects to a relay that listens at {@code port}, if it has a socket here. Blocks only while the relay's backlog
     * is full.
     */
    Optional<SocketChannel> connect(InetSocketAddress port) {
        try {
            if (!Files.isDirectory(folder)) {
                return Optional.empty();
            }
            requireOwn();
            Path own = named(port.getAddress().getHostAddress(), port.getPort());
            Path any = named(EVERY_ADDRESS, port.getPort());
            if (Files.exists(own)) {
                return Optional.of(connect(own));
            }
            return Files.exists(any) && isHere(port.getAddress()) ? Optional.of(connect(any)) : Optional.empty();
        } catch (IOException e) {
            // The socket was left behind, or the folder is not trusted: the port is certain.
            return Optional.empty();
        }
    }

    private static SocketChannel connect(Path socket) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            sized(channel);
            channel.connect(UnixDomainSocketAddress.of(socket));
            return channel;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /**
     * Sets a socket's send buffer to the largest that the system allows. A sender that waits for room waits until three
     * quarters are empty.
     */
    public static void sized(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.SO_SNDBUF, SEND_BYTES);
    }

    private static boolean isHere(InetAddress address) throws IOException {
        return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
    }

    /**
     * Link-local addresses contain a percent sign before their interface, and IPv6 addresses contain colons. Both may
     * be in a file's name.
     */
    private Path named(String address, int port) throws IOException {
        String namespace = Files.readSymbolicLink(NAMESPACE).toString().replaceAll("\\D", "");
        return folder.resolve(namespace + "-" + address + "-" + port);
    }

    private void make() throws IOException {
        try {
            Files.createDirectories(folder.toAbsolutePath().getParent());
            Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(OWNERS));
        } catch (FileAlreadyExistsException e) {
            // An earlier relay or somebody else made it: the owner is checked next.
            return;
        }
    }

    private void requireOwn() throws IOException {
        PosixFileAttributes found = Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!found.isDirectory() || !found.owner().equals(Files.getOwner(SELF)) || !found.permissions().equals(OWNERS)) {
            throw new IOException(folder + " is of " + found.owner().getName() + " with "
                    + PosixFilePermissions.toString(found.permissions()) + ", expected a folder of this user's with "
                    + PosixFilePermissions.toString(OWNERS));
        }
    }
}
