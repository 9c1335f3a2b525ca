package org.posthouse.cli.console;

import java.nio.file.Path;
import org.posthouse.cli.file.OpsSecret;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.option.HostPort;
import org.posthouse.peer.PeerUser;
import picocli.CommandLine.Option;

/** Where a running relay's console is, and how its answer is shown: the flags of every command that asks one. */
public final class ConsoleOptions {
    /** Where a relay has its console, and where commands look for it, when nothing else is said. */
    public static final String ADDRESS_DEFAULT = "127.0.0.1:7413";

    @Option(
            names = "--ops",
            paramLabel = "HOST:PORT",
            converter = HostPort.Converter.class,
            defaultValue = ADDRESS_DEFAULT,
            description = "The relay's console (default: ${DEFAULT-VALUE}).")
    private HostPort ops;

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
            description = "The number of the relay's user, where that is another user of this host: he is shown the secret, too. Else only this user's relay,"
                    + " root's, and those of other hosts are.")
    private long relayUser;

    /** A client of the console that the options name. @throws CommandFailure if the secret cannot be read */
    public ConsoleClient client() throws CommandFailure {
        return new ConsoleClient(ops, OpsSecret.read(tokenFile == null ? namedByVariable() : tokenFile), relayUser);
    }

    /** A client of another console, with the secret that {@code POSTHOUSE_OPS_TOKEN_FILE} names, if any. @throws CommandFailure the same */
    public static ConsoleClient clientOf(HostPort console) throws CommandFailure {
        return new ConsoleClient(console, OpsSecret.read(namedByVariable()), PeerUser.NO_UID);
    }

    private static Path namedByVariable() {
        String named = System.getenv("POSTHOUSE_OPS_TOKEN_FILE");
        return named == null || named.isEmpty() ? null : Path.of(named);
    }

    /** Whether the answer is printed as it is. */
    public boolean json() {
        return json;
    }
}
