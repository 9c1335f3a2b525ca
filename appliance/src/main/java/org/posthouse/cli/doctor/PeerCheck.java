package org.posthouse.cli.doctor;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import org.posthouse.causes.Causes;
import org.posthouse.cli.option.HostPort;
import org.posthouse.keys.KeysException;
import org.posthouse.keys.SiteCertificate;
import org.posthouse.keys.SiteKeys;

/** Whether another relay's links are reached from here, and are of the same grid. Stateless. */
final class PeerCheck {
    private static final int TIMEOUT_MS = 5_000;

    private PeerCheck() {}

    /** @param keys the site's keys folder; null for TCP alone */
    static Finding check(HostPort peer, Path keys) {
        InetSocketAddress address = new InetSocketAddress(peer.host(), peer.port());
        if (address.isUnresolved()) {
            return Finding.fail("peer", peer + ": the name " + peer.host() + " is unknown here", "correct it, or name the address");
        }
        try (Socket socket = new Socket()) {
            socket.connect(address, TIMEOUT_MS);
            socket.setSoTimeout(TIMEOUT_MS);
            return keys == null ? Finding.ok("peer", peer + " takes connections; with --keys its TLS is checked too") : handshake(peer, keys, socket);
        } catch (IOException e) {
            return Finding.fail("peer", peer + ": " + Causes.text(e), "start that relay with --links there, and let firewalls pass TCP to it");
        }
    }

    private static Finding handshake(HostPort peer, Path keys, Socket socket) {
        try {
            SiteCertificate shown = SiteKeys.load(keys).greet(socket);
            return Finding.ok("peer", peer + " speaks TLS as " + shown.subject() + ", valid until " + shown.notAfter());
        } catch (KeysException e) {
            return Finding.fail("peer", peer + " takes connections, and TLS cannot be tried: " + e.getMessage(), "see the keys above");
        } catch (IOException e) {
            return Finding.fail("peer", peer + " takes connections, and TLS fails: " + Causes.text(e),
                    "name the --links of a relay whose keys are of the same authority, and compare the clocks");
        }
    }
}
