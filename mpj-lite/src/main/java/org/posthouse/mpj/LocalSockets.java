package org.posthouse.mpj;

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
 * A folder of Unix sockets, in which ranks find the relays of their own host and user: past the network's protocols a message costs
 * its host less (docs/adr/0042-unix-sockets-for-local-ranks.md).
 *
 * <p>Nobody is told of a socket. It is named after what only one process can listen at, which the rank knows anyway: network
 * namespace, address and port. A rank that finds none, or one where nobody listens any more, goes to the port. The folder must
 * be its user's alone, as whoever can put a socket there is shown the tokens of jobs.
 *
 * @param folder it need not exist; the path of a socket in it has up to some 40 characters more, and 107 are the most that a system takes
 */
public record LocalSockets(Path folder) {
    /** Names the folder, or is {@link #OFF}; without it, it is the user's own in the system's folder for temporary files. */
    public static final String VARIABLE = "POSTHOUSE_LOCAL_SOCKETS";

    /** Of relays and ranks that meet at ports only. */
    public static final String OFF = "off";

    /** What a socket of a relay that listens at every address is named after, in an address's place. */
    private static final String EVERY_ADDRESS = "any";

    /** What a socket is named after, in an address's place, while its relay is asked for; the number behind is any. */
    private static final String ASIDE = "aside";

    private static final Pattern NAMED = Pattern.compile("\\d+-.+-\\d+");

    /** A relay listens at its socket this long after it made it at the latest: two system calls, one behind the other. */
    private static final long LISTENS_WITHIN_MS = 60_000;

    private static final int SEND_BYTES = 4 << 20;
    private static final Path SELF = Path.of("/proc/self");
    private static final Path NAMESPACE = SELF.resolve("ns/net");
    private static final Set<PosixFilePermission> OWNERS = PosixFilePermissions.fromString("rwx------");

    /** What the environment says; nothing where the system does not say who the process is, and in which namespace: elsewhere than on Linux. */
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
     * Where a relay that listens at {@code port} is to be met: the folder is there then, and nothing of that name in it.
     *
     * @throws IOException if the folder cannot be made, or is not this user's alone
     */
    public Path prepare(InetSocketAddress port) throws IOException {
        make();
        requireOwn();
        InetAddress address = port.getAddress();
        Path socket = named(address.isAnyLocalAddress() ? EVERY_ADDRESS : address.getHostAddress(), port.getPort());
        // Nobody listens there: the port is the caller's.
        Files.deleteIfExists(socket);
        return socket;
    }

    /**
     * Removes the sockets at which nobody listens any more: those of killed relays that have not come back at their ports, in whatever
     * network namespace. A connection to a live one is accepted from all of them.
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

    /** Unless it is a new one meanwhile: then its relay has come back, and is met there again. */
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
            // One whose relay does not accept just now has no room for it, and is not waited for.
            channel.configureBlocking(false);
            channel.connect(UnixDomainSocketAddress.of(socket));
            return false;
        } catch (SocketException e) {
            return e instanceof ConnectException;
        }
    }

    /** Connects to a relay that listens at {@code port}, if it is met here. Blocks only while more connections wait there than a relay lets. */
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
            // Somebody has left the socket behind, or the folder is not to be trusted: where the relay listens for sure is the port.
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

    /** Gives a socket's sender as much room as the system lets it have: who waits for room waits until three quarters are empty. */
    public static void sized(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.SO_SNDBUF, SEND_BYTES);
    }

    private static boolean isHere(InetAddress address) throws IOException {
        return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
    }

    /** Link-local addresses have their interface behind a percent sign, addresses of version 6 colons: both may be in a file's name. */
    private Path named(String address, int port) throws IOException {
        String namespace = Files.readSymbolicLink(NAMESPACE).toString().replaceAll("\\D", "");
        return folder.resolve(namespace + "-" + address + "-" + port);
    }

    private void make() throws IOException {
        try {
            Files.createDirectories(folder.toAbsolutePath().getParent());
            Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(OWNERS));
        } catch (FileAlreadyExistsException e) {
            // Made by an earlier relay, or by somebody else: that is looked at next.
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
