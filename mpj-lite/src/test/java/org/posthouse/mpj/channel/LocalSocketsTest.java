package org.posthouse.mpj.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which local sockets are made and trusted, and when a rank goes to the port. */
final class LocalSocketsTest {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
    private static final InetSocketAddress PORT = new InetSocketAddress(LOOPBACK, 7000);

    @TempDir
    private Path folder;

    /** From where the tests run: a socket's whole path has 107 characters at most. */
    private Path local() {
        return Path.of("").toAbsolutePath().relativize(folder).resolve("local");
    }

    private LocalSockets sockets() {
        return new LocalSockets(local());
    }

    private static ServerSocketChannel listen(Path socket) throws IOException {
        return ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket));
    }

    private static boolean meets(LocalSockets sockets, InetSocketAddress port) throws IOException {
        Optional<SocketChannel> met = sockets.connect(port);
        if (met.isPresent()) {
            met.get().close();
        }
        return met.isPresent();
    }

    @Test
    void meetsTheRelayOfThatPortAlone() throws IOException {
        try (ServerSocketChannel relay = listen(sockets().prepare(PORT))) {
            assertThat(relay.isOpen()).isTrue();
            assertThat(meets(sockets(), PORT)).isTrue();
            assertThat(meets(sockets(), new InetSocketAddress(LOOPBACK, 7001))).isFalse();
            assertThat(meets(sockets(), new InetSocketAddress("127.0.0.2", 7000))).isFalse();
        }
    }

    @Test
    void meetsARelayOfEveryAddressAtThisHostsAddressesAlone() throws IOException {
        try (ServerSocketChannel relay = listen(sockets().prepare(new InetSocketAddress("0.0.0.0", 7000)))) {
            assertThat(relay.isOpen()).isTrue();
            assertThat(meets(sockets(), PORT)).isTrue();
            assertThat(meets(sockets(), new InetSocketAddress("127.0.0.2", 7000))).isTrue();
            // 192.0.2.0/24 is nobody's (RFC 5737).
            assertThat(meets(sockets(), new InetSocketAddress("192.0.2.1", 7000))).isFalse();
        }
    }

    @Test
    void passesOverASocketThatWasLeftBehind() throws IOException {
        Path socket = sockets().prepare(PORT);
        listen(socket).close();
        assertThat(socket).exists();
        assertThat(meets(sockets(), PORT)).isFalse();
        assertThat(sockets().prepare(PORT)).isEqualTo(socket).doesNotExist();
    }

    private static void makeOld(Path file) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(3_600)));
    }

    /** Of a relay that was killed an hour ago. */
    private Path leftBehind(String name) throws IOException {
        Path socket = local().resolve(name);
        listen(socket).close();
        makeOld(socket);
        return socket;
    }

    @Test
    void sweepsSocketsThatNobodyListensAt() throws IOException {
        Path live = sockets().prepare(PORT);
        try (ServerSocketChannel relay = listen(live)) {
            assertThat(relay.isOpen()).isTrue();
            makeOld(live);
            Path left = leftBehind("1-127.0.0.1-7411");
            Path another = leftBehind("2-any-7411");
            Path notListeningYet = leftBehind("1-127.0.0.1-7412");
            Files.setLastModifiedTime(notListeningYet, FileTime.from(Instant.now()));
            Path notARelays = leftBehind("agent.1");
            Path notASocket = Files.createFile(local().resolve("1-any-1"));
            makeOld(notASocket);
            sockets().sweep();
            assertThat(List.of(left, another)).noneMatch(Files::exists);
            assertThat(List.of(live, notListeningYet, notARelays, notASocket)).allMatch(Files::exists);
            assertThat(meets(sockets(), PORT)).isTrue();
        }
    }

    @Test
    void asksNoRelayThatMayNotListenYet() throws IOException {
        try (ServerSocketChannel relay = listen(sockets().prepare(PORT))) {
            sockets().sweep();
            relay.configureBlocking(false);
            assertThat(relay.accept()).isNull();
        }
    }

    @Test
    void leavesTheSocketOfARelayThatHasJustComeBack() throws IOException {
        Path socket = sockets().prepare(PORT);
        try (ServerSocketChannel relay = listen(socket)) {
            assertThat(relay.isOpen()).isTrue();
            sockets().remove(socket);
            assertThat(meets(sockets(), PORT)).isTrue();
        }
    }

    @Test
    void trustsNoFolderThatOthersMayWriteTo() throws IOException {
        try (ServerSocketChannel relay = listen(sockets().prepare(PORT))) {
            assertThat(relay.isOpen()).isTrue();
            Files.setPosixFilePermissions(local(), PosixFilePermissions.fromString("rwxrwx---"));
            assertThat(meets(sockets(), PORT)).isFalse();
        }
        assertThatIOException()
                .isThrownBy(() -> sockets().prepare(PORT))
                .withMessageContaining("with rwxrwx---, expected a folder of this user's with rwx------");
    }

    @Test
    void trustsNoLinkToAFolder() throws IOException {
        Files.createDirectory(folder.resolve("own"), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.createSymbolicLink(local(), folder.resolve("own"));
        assertThatIOException().isThrownBy(() -> sockets().prepare(PORT)).withMessageContaining("expected a folder of this user's");
    }

    @Test
    void environmentVariableSelectsSocketFolder() {
        assertThat(LocalSockets.of(Map.of(LocalSockets.VARIABLE, LocalSockets.OFF))).isEmpty();
        assertThat(LocalSockets.of(Map.of(LocalSockets.VARIABLE, "/some/where"))).contains(new LocalSockets(Path.of("/some/where")));
        assertThat(LocalSockets.of(Map.of()))
                .map(usual -> usual.folder().getParent())
                .contains(Path.of(System.getProperty("java.io.tmpdir")));
    }
}
