package org.posthouse.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.posthouse.cli.console.ConsoleOptions;
import org.posthouse.cli.file.OpsSecret;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.option.HostPort;
import org.posthouse.cli.option.Problems;
import org.posthouse.ops.OpsConfig;
import org.posthouse.ops.access.UsersFile;
import org.posthouse.relay.host.ConsoleAccess;
import picocli.CommandLine.Option;

/** Where a relay has its console, and who may use it. */
final class RelayConsoleOptions {
    @Option(
            names = "--ops",
            paramLabel = "HOST:PORT",
            converter = HostPort.Converter.class,
            defaultValue = ConsoleOptions.ADDRESS_DEFAULT,
            description = "Console, API and metrics (default: ${DEFAULT-VALUE}).")
    private HostPort ops;

    @Option(
            names = "--ops-name",
            paramLabel = "NAME",
            description = "A further name that browsers may use for the console; may be repeated.")
    private List<String> opsNames = List.of();

    @Option(
            names = "--unsafe-open-console",
            description = "Let --ops be reached from outside: without --private-console the console shows everything to everybody.")
    private boolean unsafeOpenConsole;

    @Option(
            names = "--private-console",
            description = "Show the console to this relay's own user, to root and with the secret of --ops-token-file only, but for /healthz and /readyz.")
    private boolean privateConsole;

    @Option(
            names = "--ops-token-file",
            paramLabel = "FILE",
            description = "The secret with which others than this relay's own user and root may give the console orders: 32 hexadecimal digits that only"
                    + " the owner may read (default: ops-token in the --data folder, which is made).")
    private Path tokenFile;

    @Option(
            names = "--ops-users",
            paramLabel = "FILE",
            description = "Who may log in at the console, as \"posthouse users\" writes it: viewers look, operators give orders, too. To all others but"
                    + " this relay's own user and root it then shows only whether the relay is well. Read again when it changes.")
    private Path usersFile;

    HostPort address() {
        return ops;
    }

    /** Checks what of it is open to others. */
    void check(Problems problems) {
        if (!ops.isLoopback() && !unsafeOpenConsole) {
            problems.add("--ops " + ops + " can be reached from outside and has no login: add --unsafe-open-console if you mean it");
        }
    }

    /** Null if there is a problem. */
    OpsConfig config(Problems problems) {
        Optional<String> secret = problems.of(() -> OpsSecret.read(tokenFile));
        Optional<UsersFile> users = problems.of(this::users);
        return problems.of(() -> new OpsConfig(ops.host(), ops.port(), opsNames, ConsoleAccess.of(secret, privateConsole).users(users)));
    }

    /** The same with the secret of the data folder, unless another one is named. */
    OpsConfig withSecretOf(Path data, OpsConfig config) throws CommandFailure {
        return tokenFile != null ? config : config.access(ConsoleAccess.of(OpsSecret.readOrMake(data), privateConsole).users(config.access().users()));
    }

    private Optional<UsersFile> users() throws CommandFailure {
        if (usersFile == null) {
            return Optional.empty();
        }
        try {
            UsersFile file = new UsersFile(usersFile);
            file.readSome();
            return Optional.of(file);
        } catch (IOException e) {
            throw new CommandFailure("--ops-users: " + e.getMessage(), e);
        }
    }
}
