package org.posthouse.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.peer.PeerUser.Trust;

@EnabledOnOs(OS.LINUX)
@Timeout(60)
class PeerUsersTest {
    private static final long NOBODY = 65_534;
    private static final String HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";

    private final PeerUsers users = PeerUsers.ofHost();

    @TempDir
    private Path tables;

    @Test
    void theOwnUserIsTrustedOverBothVersionsOfIp() throws IOException {
        for (String address : new String[] {"127.0.0.1", "127.77.1.2", "::1"}) {
            try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName(address));
                    Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
                    Socket accepted = server.accept()) {
                PeerUser own = new PeerUser(Trust.TRUSTED, PeerUser.own());
                assertThat(peerOf(accepted)).as(address).isEqualTo(own);
                assertThat(peerOf(client)).as("the server, at %s", address).isEqualTo(own);
                PeerTable table = users.read();
                assertThat(table.find(accepted.getLocalSocketAddress(), accepted.getRemoteSocketAddress())).as(address).isEqualTo(own);
                assertThat(table.findOther(accepted.getLocalSocketAddress(), accepted.getRemoteSocketAddress())).as(address).isEqualTo(PeerUser.UNKNOWN);
            }
        }
    }

    @Test
    void aSocketOfVersion4FindsAPeerOfVersion6() throws IOException {
        // A SocketChannel is of version 6 with a mapped address, unless the JDK prefers version 4.
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
                SocketChannel client = SocketChannel.open(server.getLocalSocketAddress());
                Socket accepted = server.accept()) {
            assertThat(peerOf(accepted).trust()).isEqualTo(Trust.TRUSTED);
            assertThat(users.find(client.getLocalAddress(), client.getRemoteAddress()).trust()).isEqualTo(Trust.TRUSTED);
        }
    }

    @Test
    void anotherUserIsForeign() throws IOException, InterruptedException {
        assumeTrue(PeerUser.own() == 0, "only root can start a process of another user");
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            Process stranger = new ProcessBuilder("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups",
                    "bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/" + server.getLocalPort() + "; cat <&3").start();
            try (Socket accepted = server.accept()) {
                PeerUser found = peerOf(accepted);
                assertThat(found).isEqualTo(new PeerUser(Trust.FOREIGN, NOBODY));
                assertThat(found).hasToString("user 65534");
                assertThat(users.read().findOther(accepted.getLocalSocketAddress(), accepted.getRemoteSocketAddress())).isEqualTo(found);
            } finally {
                stranger.destroyForcibly();
                assertThat(stranger.waitFor(30, TimeUnit.SECONDS)).isTrue();
            }
        }
    }

    @Test
    void aPeerThatHasClosedIsUnknown() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
            try (Socket accepted = server.accept()) {
                client.close();
                assertThat(peerOf(accepted)).isEqualTo(PeerUser.UNKNOWN);
            }
        }
    }

    @Test
    void aServerThatHasNotAcceptedIsUnknown() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
                Socket client = new Socket(server.getInetAddress(), server.getLocalPort())) {
            assertThat(peerOf(client)).isEqualTo(PeerUser.UNKNOWN);
        }
    }

    @Test
    void aSocketWithoutAnOwnerDoesNotCountAsRoots() throws IOException {
        SocketAddress here = new InetSocketAddress("127.0.0.1", 0x1CF3);
        SocketAddress there = new InetSocketAddress("127.0.0.1", 0x9C40);
        PeerUsers found = new PeerUsers(tables, 1_000);
        write("0100007F:9C40 0100007F:1CF3 01 00000000:00000000 00:00000000 00000000     0        0 0 1 0");
        assertThat(found.find(here, there)).isEqualTo(PeerUser.UNKNOWN);
        assertThat(found.read().find(here, there)).isEqualTo(PeerUser.UNKNOWN);
        write("0100007F:9C40 0100007F:1CF3 01 00000000:00000000 00:00000000 00000000     0        0 77 1 0");
        assertThat(found.find(here, there)).isEqualTo(new PeerUser(Trust.TRUSTED, 0));
        assertThat(found.read().find(here, there)).isEqualTo(new PeerUser(Trust.TRUSTED, 0));
        write("0100007F:1CF3 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1000        0 78 1 0");
        assertThat(found.find(here, there)).as("this end's own socket is not the peer's").isEqualTo(PeerUser.UNKNOWN);
    }

    @Test
    void peersThatNoTableHasAreUnknown() throws IOException {
        SocketAddress here = new InetSocketAddress("127.0.0.1", 7_411);
        assertThat(users.find(here, new InetSocketAddress("192.0.2.1", 40_000))).isEqualTo(PeerUser.UNKNOWN);
        assertThat(new PeerUsers(tables.resolve("none"), 1_000).find(here, here)).isEqualTo(PeerUser.UNKNOWN);
        Files.writeString(tables.resolve("tcp"), HEAD + "0100007F:1CF3 0100007F:1CF3 of another form\n");
        assertThat(new PeerUsers(tables, 1_000).find(here, here)).isEqualTo(PeerUser.UNKNOWN);
        assertThat(PeerUser.UNKNOWN).hasToString("an unknown user");
    }

    private void write(String socket) throws IOException {
        Files.writeString(tables.resolve("tcp"), HEAD + "   0: " + socket + "\n");
    }

    private PeerUser peerOf(Socket socket) {
        return users.find(socket.getLocalSocketAddress(), socket.getRemoteSocketAddress());
    }
}
