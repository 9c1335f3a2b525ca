package org.posthouse.bench.carrier;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.posthouse.bench.affinity.ProcessLayout;
import org.posthouse.bench.affinity.Processors;

/** {@code ssh -L} to an sshd of its own, with keys of its own and the ciphers that the two agree on. */
final class SshTunnel implements PlainTunnel {
    /** The name under which the host's key is known, on any port. */
    private static final String HOST = "posthouse-bench";

    private final Path ssh;
    private final Path folder;
    private final Companion daemon;
    private final int port;
    private final List<Companion> clients = new ArrayList<>();

    private SshTunnel(Path ssh, Path folder, Companion daemon, int port) {
        this.ssh = ssh;
        this.folder = folder;
        this.daemon = daemon;
        this.port = port;
    }

    /** Starts the sshd. @param folder for keys and settings, which are the caller's to remove */
    static SshTunnel start(Path folder) throws IOException, InterruptedException {
        Path ssh = Tunnels.require("ssh");
        Path sshd = Tunnels.require("sshd");
        String keygen = Tunnels.require("ssh-keygen").toString();
        for (String key : List.of("host", "user")) {
            Companion.run(List.of(keygen, "-q", "-t", "ed25519", "-N", "", "-f", folder.resolve(key).toString()));
        }
        Files.writeString(folder.resolve("known"), HOST + " " + Files.readString(folder.resolve("host.pub")));
        int port = Companion.freePort();
        Path settings = Files.writeString(folder.resolve("sshd_config"), String.join(
                "\n",
                "ListenAddress 127.0.0.1",
                "Port " + port,
                "HostKey " + folder.resolve("host"),
                "AuthorizedKeysFile " + folder.resolve("user.pub"),
                "PidFile none",
                "UsePAM no",
                "StrictModes no",
                "PasswordAuthentication no",
                "KbdInteractiveAuthentication no",
                "PermitRootLogin prohibit-password",
                ""));
        Companion daemon =
                Companion.start(List.of(sshd.toString(), "-D", "-e", "-f", settings.toString()), "Server listening on 127.0.0.1");
        return new SshTunnel(ssh, folder, daemon, port);
    }

    @Override
    public int open(int target, PortForwarder way) throws IOException, InterruptedException {
        int near = Companion.freePort();
        clients.add(Companion.start(
                List.of(
                        ssh.toString(), "-N", "-v", "-F", "none", "-i", folder.resolve("user").toString(),
                        "-o", "IdentitiesOnly=yes", "-o", "IdentityAgent=none", "-o", "BatchMode=yes",
                        "-o", "HostKeyAlias=" + HOST, "-o", "UserKnownHostsFile=" + folder.resolve("known"),
                        "-o", "StrictHostKeyChecking=yes", "-o", "ExitOnForwardFailure=yes",
                        "-L", "127.0.0.1:" + near + ":127.0.0.1:" + target, "-p", Integer.toString(way.to(port)), "127.0.0.1"),
                "Entering interactive session"));
        return near;
    }

    @Override
    public void place(ProcessLayout layout, Processors processors) throws IOException, InterruptedException {
        daemon.place(layout.site(1, 2), processors);
        for (Companion client : clients) {
            client.place(layout.site(0, 2), processors);
        }
    }

    @Override
    public void end() {
        clients.forEach(Companion::close);
        clients.clear();
    }

    @Override
    public void close() {
        end();
        daemon.close();
    }
}
