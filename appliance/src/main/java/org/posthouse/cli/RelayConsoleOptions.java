package org.posthouse.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.posthouse.cli.console.ConsoleAddress;
import org.posthouse.cli.console.ConsoleOptions;
import org.posthouse.cli.file.OpsSecret;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.option.HostPort;
import org.posthouse.cli.option.Problems;
import org.posthouse.ops.OpsConfig;
import org.posthouse.ops.access.ConsoleTls;
import org.posthouse.ops.access.ProxyHeader;
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
            description = "Let --ops be reached from outside without TLS, or without a login: then it shows everything to everybody.")
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

    @Option(
            names = "--ops-cert",
            paramLabel = "FILE",
            description = "The console's certificate, with those of its issuers behind it, in PEM: it then speaks TLS alone. Read again when it changes.")
    private Path certificate;

    @Option(names = "--ops-cert-key", paramLabel = "FILE", description = "The key of --ops-cert, in PEM (PKCS #8 without a password).")
    private Path certificateKey;

    @Option(
            names = "--ops-proxy",
            paramLabel = "ADDRESS",
            description = "A reverse proxy that has logged its users in: the address that its connections come from. It is believed who they are; with this,"
                    + " others than this relay's own user and root see only whether the relay is well.")
    private String proxy;

    @Option(names = "--ops-proxy-header", paramLabel = "NAME", description = "The header in which the proxy names the user, such as X-Remote-User.")
    private String proxyHeader;

    @Option(
            names = "--ops-proxy-operators",
            paramLabel = "NAME",
            split = ",",
            description = "Users of the proxy who give orders, with commas between; all others look. May be repeated.")
    private List<String> proxyOperators = List.of();

    @Option(
            names = "--ops-proxy-user",
            paramLabel = "UID",
            defaultValue = "-1",
            description = "The number of the user as whom a proxy on this host runs (default: this relay's own, or root). Other processes of this host have"
                    + " its address, too, and are not believed.")
    private long proxyUser;

    HostPort address() {
        return ops;
    }

    /** As commands take it with --ops. @param port the one that it listens at */
    String url(int port) {
        return new ConsoleAddress(new HostPort(ops.host(), port), certificate != null).toString();
    }

    /** Checks what of it is open to others. @param makesSecret whether the relay has a data folder, for a secret */
    void check(boolean makesSecret, Problems problems) {
        if ((certificate == null) != (certificateKey == null)) {
            problems.add("--ops-cert and --ops-cert-key are given together or not at all");
        }
        if (proxy == null ? proxyHeader != null || !proxyOperators.isEmpty() || proxyUser >= 0 : proxyHeader == null) {
            problems.add("--ops-proxy ADDRESS and --ops-proxy-header NAME are given together, --ops-proxy-operators and --ops-proxy-user only with them");
        }
        List<String> missing = new ArrayList<>();
        if (certificate == null) {
            missing.add("TLS (--ops-cert FILE --ops-cert-key FILE)");
        }
        if (usersFile == null && proxy == null && !(privateConsole && (makesSecret || tokenFile != null))) {
            missing.add("a login (--ops-users FILE; or --private-console with --data DIR or --ops-token-file FILE; or --ops-proxy ADDRESS)");
        }
        if (!ops.isLoopback() && !unsafeOpenConsole && !missing.isEmpty()) {
            problems.add("--ops " + ops + " can be reached from outside: add " + String.join(", and ", missing)
                    + ", or --unsafe-open-console if you mean it");
        }
    }

    /** Null if there is a problem. */
    OpsConfig config(Problems problems) {
        Optional<String> secret = problems.of(() -> OpsSecret.read(tokenFile));
        Optional<UsersFile> users = problems.of(this::users);
        Optional<ProxyHeader> named = proxy == null || proxyHeader == null ? Optional.empty() : problems.of(this::proxy);
        ConsoleTls tls = certificate == null || certificateKey == null ? null : problems.of(this::tls);
        return problems.of(() -> new OpsConfig(ops.host(), ops.port(), opsNames, ConsoleAccess.of(secret, privateConsole).users(users).proxy(named))
                .tls(Optional.ofNullable(tls)));
    }

    /** The same with the secret of the data folder, unless another one is named. */
    OpsConfig withSecretOf(Path data, OpsConfig config) throws CommandFailure {
        return tokenFile != null ? config : config.access(config.access().secret(OpsSecret.readOrMake(data)));
    }

    private Optional<ProxyHeader> proxy() {
        InetAddress address;
        try {
            address = InetAddress.ofLiteral(proxy);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("--ops-proxy is \"" + proxy + "\", expected an address such as 127.0.0.1, without a port", e);
        }
        return Optional.of(new ProxyHeader(
                address, proxyHeader, Set.copyOf(proxyOperators), proxyUser < 0 ? OptionalLong.empty() : OptionalLong.of(proxyUser)));
    }

    private ConsoleTls tls() throws CommandFailure {
        try {
            ConsoleTls files = new ConsoleTls(certificate, certificateKey);
            files.load();
            return files;
        } catch (IOException e) {
            throw new CommandFailure("--ops-cert: " + e.getMessage(), e);
        }
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
