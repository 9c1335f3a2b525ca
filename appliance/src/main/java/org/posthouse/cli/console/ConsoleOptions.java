package org.posthouse.cli.console;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Optional;
import javax.net.ssl.SSLSocketFactory;
import org.posthouse.cli.file.OpsSecret;
import org.posthouse.cli.file.PasswordFile;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.peer.PeerUser;
import picocli.CommandLine.Option;

/** Where a running relay's console is, and how its answer is shown: the flags of every command that asks one. */
public final class ConsoleOptions {
    /** Where a relay has its console, and where commands look for it, when nothing else is said. */
    public static final String ADDRESS_DEFAULT = "127.0.0.1:7413";

    private static final String TOKEN_VARIABLE = "POSTHOUSE_OPS_TOKEN_FILE";

    @Option(
            names = "--ops",
            paramLabel = "[https://]HOST:PORT",
            converter = ConsoleAddress.Converter.class,
            defaultValue = ADDRESS_DEFAULT,
            description = "The relay's console (default: ${DEFAULT-VALUE}).")
    private ConsoleAddress ops;

    @Option(
            names = "--ops-ca",
            paramLabel = "FILE",
            description = "Whose certificates are accepted of a console over https, in PEM: its issuer's, or its own (default: POSTHOUSE_OPS_CA, else the"
                    + " issuers that this Java knows).")
    private Path authority;

    @Option(names = "--json", description = "Print the answer as JSON.")
    private boolean json;

    @Option(
            names = "--ops-token-file",
            paramLabel = "FILE",
            description = "The relay's secret for orders, where it does not know this process's user as its own: the file ops-token in its data folder"
                    + " (default: POSTHOUSE_OPS_TOKEN_FILE). It is shown only to a relay that asks for it.")
    private Path tokenFile;

    @Option(
            names = "--ops-user",
            paramLabel = "UID",
            defaultValue = "-1",
            description = "The number of the relay's user, where that is another user of this host: he is shown the secret or password, too. Else only this user's relay,"
                    + " root's, and those of other hosts are.")
    private long relayUser;

    @Option(
            names = "--ops-login",
            paramLabel = "NAME",
            description = "A user of the console (--ops-users of the relay), in place of the secret; with --ops-password-file.")
    private String login;

    @Option(names = "--ops-password-file", paramLabel = "FILE", description = "The password of --ops-login: a line that only you may read.")
    private Path passwordFile;

    /** A client of the console that the options name. @throws CommandFailure if the secret or password cannot be read */
    public ConsoleClient client() throws CommandFailure {
        return client(ops, authority, login == null && passwordFile == null ? secret(tokenFile == null ? namedBy(TOKEN_VARIABLE) : tokenFile) : login(),
                relayUser);
    }

    private static Optional<String> secret(Path file) throws CommandFailure {
        return OpsSecret.read(file).map(secret -> "Bearer " + secret);
    }

    /** As RFC 7617 has it. */
    private Optional<String> login() throws CommandFailure {
        if (login == null || passwordFile == null || tokenFile != null) {
            throw new CommandFailure("--ops-login NAME and --ops-password-file FILE are given together, and without --ops-token-file");
        }
        if (login.contains(":")) {
            throw new CommandFailure("--ops-login is \"" + login + "\", expected a user's name, without a colon");
        }
        String both = login + ":" + PasswordFile.read(passwordFile);
        return Optional.of("Basic " + Base64.getEncoder().encodeToString(both.getBytes(StandardCharsets.UTF_8)));
    }

    /** A client of another console, with what {@code POSTHOUSE_OPS_TOKEN_FILE} and {@code POSTHOUSE_OPS_CA} name, if any. @throws CommandFailure the same */
    public static ConsoleClient clientOf(ConsoleAddress console) throws CommandFailure {
        return client(console, null, secret(namedBy(TOKEN_VARIABLE)), PeerUser.NO_UID);
    }

    private static ConsoleClient client(ConsoleAddress console, Path authority, Optional<String> authorization, long relayUser) throws CommandFailure {
        Optional<SSLSocketFactory> tls =
                console.tls() ? Optional.of(ConsoleTrust.of(authority == null ? namedBy("POSTHOUSE_OPS_CA") : authority)) : Optional.empty();
        return new ConsoleClient(console, tls, authorization, relayUser);
    }

    private static Path namedBy(String variable) {
        String named = System.getenv(variable);
        return named == null || named.isEmpty() ? null : Path.of(named);
    }

    /** Whether the answer is printed as it is. */
    public boolean json() {
        return json;
    }
}
