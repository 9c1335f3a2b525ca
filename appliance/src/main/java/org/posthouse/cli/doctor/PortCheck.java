package org.posthouse.cli.doctor;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import org.posthouse.causes.Causes;
import org.posthouse.cli.option.HostPort;

/** Whether a relay can listen at an address of this host. Stateless. */
final class PortCheck {
    /** Where a relay listens that is not told otherwise. */
    static final List<HostPort> DEFAULTS =
            List.of(new HostPort("127.0.0.1", 7411), new HostPort("127.0.0.1", 7412), new HostPort("127.0.0.1", 7413), new HostPort("127.0.0.1", 7414));

    private PortCheck() {}

    static Finding check(HostPort address) {
        InetSocketAddress here = new InetSocketAddress(address.host(), address.port());
        if (here.isUnresolved()) {
            return Finding.fail("port", address + ": the name " + address.host() + " is unknown here", "name an address of this host");
        }
        try (ServerSocket probe = new ServerSocket()) {
            probe.setReuseAddress(true); // As a relay does: connections that have just ended are in nobody's way.
            probe.bind(here);
            return Finding.ok("port", address + " is free");
        } catch (IOException e) {
            return Causes.text(e).contains("in use")
                    ? Finding.warn("port", address + " is taken by " + PortOwner.find(address.port()),
                            "if that is no relay of yours, end it or choose another port")
                    : Finding.fail("port", address + ": " + Causes.text(e), "choose an address of this host, and a port that this user may open");
        }
    }
}
