package org.posthouse.cli.init;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.posthouse.keys.GridAuthority;
import org.posthouse.keys.KeysException;
import org.posthouse.wire.Token;

/**
 * The folder of a grid of two sites: {@code grid} with the authority, a folder for each site with keys, token, {@code relay.yaml}
 * and the script {@code relay}, and {@code compose.yaml}. Only its owner may read it. A folder that exists is never written to.
 */
public final class GridFolder {
    private static final int AUTHORITY_DAYS = 3_650;
    private static final int SITE_DAYS = 365;
    private static final FileAttribute<Set<PosixFilePermission>> OWNER = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    private static final FileAttribute<Set<PosixFilePermission>> SECRET = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final Path folder;
    private final GridPlan plan;
    private final String program;

    /** @param program the path of the command on this host, which start scripts use if it is there */
    public GridFolder(Path folder, GridPlan plan, String program) {
        this.folder = folder;
        this.plan = plan;
        this.program = program;
    }

    /** Writes all of it. @throws java.nio.file.FileAlreadyExistsException if the folder is there */
    public void write() throws IOException, KeysException {
        if (folder.toAbsolutePath().getParent() != null) {
            Files.createDirectories(folder.toAbsolutePath().getParent());
        }
        Files.createDirectory(folder, OWNER);
        GridAuthority authority = GridAuthority.init(folder.resolve("grid"), AUTHORITY_DAYS);
        String token = Token.random().hex();
        for (String site : List.of(plan.first(), plan.second())) {
            Path own = Files.createDirectory(folder.resolve(site), OWNER);
            authority.issue(site, SITE_DAYS, own.resolve("keys"));
            Files.writeString(Files.createFile(own.resolve("token"), SECRET), token);
            Files.createDirectory(own.resolve("container-data"), OWNER);
            Files.writeString(own.resolve("relay.yaml"), RelayFile.text(site, plan.relay(site)));
            Files.writeString(Files.createFile(own.resolve("relay"), OWNER), script(site));
        }
        Files.writeString(folder.resolve("compose.yaml"), ComposeFile.text(plan, owner()));
    }

    private String script(String site) {
        return """
                #!/usr/bin/env bash
                # Starts the relay of SITE. relay.yaml has its options; further ones may follow here. POSTHOUSE names the command on another host.
                set -euo pipefail
                cd "$(dirname "${BASH_SOURCE[0]}")"
                posthouse=${POSTHOUSE:-PROGRAM}
                command -v "$posthouse" >/dev/null || posthouse=posthouse
                exec "$posthouse" relay --config relay.yaml "$@"
                """.replace("SITE", site).replace("PROGRAM", word(program));
    }

    private String owner() throws IOException {
        return Files.getAttribute(folder, "unix:uid", LinkOption.NOFOLLOW_LINKS) + ":" + Files.getAttribute(folder, "unix:gid", LinkOption.NOFOLLOW_LINKS);
    }

    /** What to do next, as lines for people; those with two blanks first are commands. */
    public List<String> next() {
        String first = word(folder.resolve(plan.first()).toString());
        String second = word(folder.resolve(plan.second()).toString());
        String job = "  " + word(program) + " " + line(plan.job(folder.resolve(plan.first()).resolve("token").toString()));
        String container = "or all of it in containers, after docker build -t posthouse . in a checkout:";
        String compose = "  docker compose -f " + word(folder.resolve("compose.yaml").toString()) + " up";
        String secret = "keep " + folder.resolve("grid") + " secret: it makes the keys of sites";
        return plan.isOnOneHost()
                ? List.of("start each relay in a terminal of its own:", "  " + first + "/relay", "  " + second + "/relay", "then a job over both:", job,
                        container,
                        compose, secret)
                : List.of("start the relay of " + plan.first() + " on the host " + plan.links().host() + ":", "  " + first + "/relay",
                        "copy the folder of " + plan.second() + " to its relay's host with its rights (scp -rp " + second + " HOST:), and start it there:",
                        "  " + plan.second() + "/relay", "then a job over both, on the host of " + plan.first() + ":", job, container, compose, secret);
    }

    private static String line(List<String> words) {
        return words.stream().map(GridFolder::word).collect(Collectors.joining(" "));
    }

    /** As bash reads it. */
    private static String word(String text) {
        return text.matches("[\\w./:=@%+,-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
    }
}
