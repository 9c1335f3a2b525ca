package org.posthouse.testkit;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The system's ssh and sshd with keys of a test. Each ssh starts an sshd for its one connection, so that no port is needed. */
public final class SshHosts {
    private SshHosts() {}

    private static String sshd() {
        return Stream.concat(Stream.of(System.getenv("PATH").split(File.pathSeparator)), Stream.of("/usr/sbin"))
                .map(each -> each + "/sshd")
                .filter(each -> Files.isExecutable(Path.of(each)))
                .findFirst()
                .orElse(null);
    }

    /** Why no host can be reached by it; empty if hosts can. */
    public static String missing(Path folder) {
        if (sshd() == null) {
            return "there is no sshd here: install openssh-server";
        }
        try {
            template(folder);
            String refused = run(sshd(), "-t", "-f", folder.resolve("sshd_config").toString());
            return refused.isEmpty() ? "" : "sshd cannot be run here: " + refused;
        } catch (IOException | InterruptedException e) {
            return e.toString();
        }
    }

    /** The value of {@code --launch-agent} for any host. */
    public static String template(Path folder) throws IOException, InterruptedException {
        for (String key : List.of("host", "user")) {
            if (!Files.exists(folder.resolve(key))) {
                run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder.resolve(key).toString());
            }
        }
        Files.writeString(folder.resolve("known"), "node " + Files.readString(folder.resolve("host.pub")));
        Files.writeString(folder.resolve("sshd_config"), String.join(
                "\n",
                "HostKey " + folder.resolve("host"),
                "AuthorizedKeysFile " + folder.resolve("user.pub"),
                "PidFile none",
                "UsePAM no",
                "StrictModes no",
                "PermitRootLogin prohibit-password",
                ""));
        return "ssh -F none -i " + folder + "/user -o IdentitiesOnly=yes -o IdentityAgent=none -o BatchMode=yes -o HostKeyAlias=node -o UserKnownHostsFile="
                + folder + "/known -o StrictHostKeyChecking=yes -o LogLevel=ERROR -o 'ProxyCommand=" + sshd() + " -i -f " + folder + "/sshd_config -E " + folder
                + "/sshd.log' {host}";
    }

    private static String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        int status = process.waitFor();
        return status == 0 || !said.isEmpty() ? said : "status " + status;
    }
}
