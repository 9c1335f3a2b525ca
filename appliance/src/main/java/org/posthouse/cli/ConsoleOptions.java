package org.posthouse.cli;

import picocli.CommandLine.Option;

/** Where a running relay's console is, and how its answer is shown: the flags of every command that asks one. */
final class ConsoleOptions {
    /** Where a relay has its console, and where commands look for it, when nothing else is said. */
    static final String ADDRESS_DEFAULT = "127.0.0.1:7413";

    @Option(
            names = "--ops",
            paramLabel = "HOST:PORT",
            converter = HostPort.Converter.class,
            defaultValue = ADDRESS_DEFAULT,
            description = "The relay's console (default: ${DEFAULT-VALUE}).")
    private HostPort ops;

    @Option(names = "--json", description = "Print the answer as JSON.")
    private boolean json;

    ConsoleClient client() {
        return new ConsoleClient(ops);
    }

    /** Whether the answer is printed as it is. */
    boolean json() {
        return json;
    }
}
