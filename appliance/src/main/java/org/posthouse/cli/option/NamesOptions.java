package org.posthouse.cli.option;

import org.posthouse.cli.terminal.OneLine;
import org.posthouse.names.MemoryNames;
import org.posthouse.relay.config.NamesConfig;
import picocli.CommandLine.Option;

/** What keeps a relay's names. */
public final class NamesOptions {
    private static final String HAZELCAST = "hazelcast";

    @Option(
            names = "--names",
            paramLabel = "WHAT",
            defaultValue = HAZELCAST,
            description = "What keeps names, elections and memberships: hazelcast, the group of the relays; memory, this relay alone (default: ${DEFAULT-VALUE}).")
    private String names = HAZELCAST;

    /** @throws CommandFailure if it is none of those */
    public NamesConfig config() throws CommandFailure {
        return switch (names) {
            case HAZELCAST -> NamesConfig.GROUP;
            case "memory" -> group -> new MemoryNames();
            default -> throw new CommandFailure("--names \"" + OneLine.of(names) + "\", expected hazelcast or memory");
        };
    }
}
