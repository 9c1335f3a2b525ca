package org.posthouse.bench.carrier;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.posthouse.bench.affinity.ProcessLayout;
import org.posthouse.bench.affinity.Processors;
import org.posthouse.keys.GridAuthority;

/** Two stunnels, which ask each other for certificates of one authority, over TLS 1.3: as a link does. */
final class StunnelTunnel implements PlainTunnel {
    private static final int KEY_DAYS = 2;

    private final Path stunnel;
    private final Path folder;
    private final List<Companion> near = new ArrayList<>();
    private final List<Companion> far = new ArrayList<>();

    private StunnelTunnel(Path stunnel, Path folder) {
        this.stunnel = stunnel;
        this.folder = folder;
    }

    /** Makes the keys. @param folder for them and for settings, which are the caller's to remove */
    static StunnelTunnel start(Path folder) throws IOException {
        Path stunnel = Tunnels.require("stunnel");
        GridAuthority.init(folder.resolve("authority"), KEY_DAYS).issue("stunnel", KEY_DAYS, folder.resolve("keys"));
        return new StunnelTunnel(stunnel, folder);
    }

    @Override
    public int open(int target, PortForwarder way) throws IOException, InterruptedException {
        int there = Companion.freePort();
        far.add(run(there, target, "no"));
        int here = Companion.freePort();
        near.add(run(here, way.to(there), "yes"));
        return here;
    }

    private Companion run(int accept, int connect, String client) throws IOException, InterruptedException {
        Path keys = folder.resolve("keys");
        Path settings = Files.writeString(folder.resolve("stunnel-" + accept + ".conf"), String.join(
                "\n",
                "foreground = yes",
                "debug = info", // says when it listens
                "syslog = no",
                "pid =",
                "socket = l:TCP_NODELAY=1",
                "socket = r:TCP_NODELAY=1",
                "[bench]",
                "client = " + client,
                "accept = 127.0.0.1:" + accept,
                "connect = 127.0.0.1:" + connect,
                "cert = " + keys.resolve("site.pem"),
                "key = " + keys.resolve("site.key"),
                "CAfile = " + keys.resolve("authority.pem"),
                "verifyChain = yes",
                "sslVersion = TLSv1.3",
                ""));
        return Companion.start(List.of(stunnel.toString(), settings.toString()), "Accepting new connections");
    }

    @Override
    public void place(ProcessLayout layout, Processors processors) throws IOException, InterruptedException {
        for (Companion companion : near) {
            companion.place(layout.site(0, 2), processors);
        }
        for (Companion companion : far) {
            companion.place(layout.site(1, 2), processors);
        }
    }

    @Override
    public void end() {
        Stream.of(near, far).forEach(companions -> {
            companions.forEach(Companion::close);
            companions.clear();
        });
    }

    @Override
    public void close() {
        end();
    }
}
