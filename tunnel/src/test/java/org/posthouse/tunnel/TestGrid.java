package org.posthouse.tunnel;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.posthouse.keys.GridAuthority;
import org.posthouse.keys.KeysException;
import org.posthouse.keys.RelayId;
import org.posthouse.keys.SiteKeys;

/** The keys of a grid in a temporary folder; issues each site's on first use. */
public final class TestGrid {
    private final Path folder;
    private final GridAuthority authority;
    private final Map<String, SiteKeys> keys = new HashMap<>();

    public TestGrid(Path folder) throws KeysException {
        this.folder = folder;
        this.authority = GridAuthority.init(folder.resolve("authority"), 30);
    }

    public GridAuthority authority() {
        return authority;
    }

    SiteKeys keys(String site) throws KeysException {
        SiteKeys known = keys.get(site);
        if (known == null) {
            Path into = folder.resolve("site-" + site);
            authority.issue(site, 10, into);
            known = SiteKeys.load(into);
            keys.put(site, known);
        }
        return known;
    }

    /** A relay, SITE or SITE/NAME, with short times, started in {@code epoch}. */
    public LinkConfig config(String relay, long epoch) throws KeysException {
        return LinkConfig.of(relay, epoch, keys(RelayId.parse(relay).site())).timeouts(TestRelay.QUICK);
    }

    public LinkConfig listening(String relay, long epoch) throws KeysException {
        return config(relay, epoch).listen("127.0.0.1", 0);
    }

    /**
     * A port that nobody listens at, below those that Linux gives to connections: it stays free until whoever asked has
     * it. Asks by a connection: a process that another test starts would hold on a port that was bound to find out.
     */
    static int freePort() throws IOException {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(12_000, 32_000);
            try {
                new Socket(InetAddress.getLoopbackAddress(), port).close();
            } catch (ConnectException e) {
                return port;
            }
        }
    }
}
