package org.posthouse.bench.names;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.posthouse.wan.WanShape;

/** The back ends that are compared. */
public enum NamesBackEnd {
    MEMORY(MemoryGroup::new),
    HAZELCAST(HazelcastGroup::start),
    LDAP(LdapServer::start),
    RAFT(RaftGroup::start);

    private final Opening opening;

    /** Starts a back end, whose files are in an empty folder, at the other end of ways of this shape. */
    private interface Opening {
        NamesGroup open(Path folder, WanShape way) throws IOException, InterruptedException;
    }

    NamesBackEnd(Opening opening) {
        this.opening = opening;
    }

    /** As the command line has it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @throws IllegalArgumentException if there is no such */
    public static NamesBackEnd of(String word) {
        return Arrays.stream(values()).filter(each -> each.word().equals(word)).findFirst().orElseThrow(
                () -> new IllegalArgumentException("\"" + word + "\" is no back end, expected one of "
                        + Arrays.stream(values()).map(NamesBackEnd::word).collect(Collectors.joining(", "))));
    }

    NamesGroup open(Path folder, WanShape way) throws IOException, InterruptedException {
        return opening.open(folder, way);
    }
}
