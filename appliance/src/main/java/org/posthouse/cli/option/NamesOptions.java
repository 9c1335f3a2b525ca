package org.posthouse.cli.option;

import java.util.function.Supplier;
import org.posthouse.cli.terminal.OneLine;
import org.posthouse.names.MemoryNames;
import org.posthouse.names.ldap.LdapConfig;
import org.posthouse.names.ldap.LdapNames;
import org.posthouse.names.raft.RaftConfig;
import org.posthouse.names.raft.RaftNames;
import org.posthouse.relay.config.NamesConfig;
import picocli.CommandLine.Option;

/** What keeps a relay's names. */
public final class NamesOptions {
    private static final String HAZELCAST = "hazelcast";
    private static final String RAFT = "raft";

    @Option(
            names = "--names",
            paramLabel = "WHAT",
            defaultValue = HAZELCAST,
            description = "What keeps names, elections and memberships: hazelcast, the group of the relays; raft, a majority of --judges;"
                    + " memory, this relay alone; an address as ldaps://HOST/BASE?user=DN&password-file=FILE, that directory (default: ${DEFAULT-VALUE}).")
    private String names = HAZELCAST;

    /** Whether judges keep them. */
    public boolean isRaft() {
        return names.equals(RAFT);
    }

    /**
     * @param judges makes the configuration of {@code raft}
     * @throws CommandFailure if it is none of those
     */
    public NamesConfig config(Supplier<RaftConfig> judges) throws CommandFailure {
        return switch (names) {
            case HAZELCAST -> NamesConfig.GROUP;
            case "memory" -> group -> new MemoryNames();
            case RAFT -> group -> RaftNames.open(judges.get());
            default -> ldap();
        };
    }

    private NamesConfig ldap() throws CommandFailure {
        if (!names.startsWith("ldap:") && !names.startsWith("ldaps:")) {
            throw new CommandFailure(
                    "--names \"" + OneLine.of(names) + "\", expected hazelcast, raft, memory, or the address of a directory, as " + LdapConfig.EXAMPLE);
        }
        try {
            LdapConfig directory = LdapConfig.parse(names);
            return group -> new LdapNames(directory);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure("--names: " + e.getMessage(), e);
        }
    }
}
