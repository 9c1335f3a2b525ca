package org.posthouse.lab;

import java.util.List;
import org.posthouse.wire.Durability;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The durabilities that a bench measures. */
final class Durabilities {
    private Durabilities() {}

    /**
     * Whether the jobs of a bench are logged.
     *
     * @throws ParameterException if what was asked for is not measured
     */
    static List<Boolean> logged(List<Durability> asked, CommandSpec command) {
        if (asked.contains(Durability.HOST)) {
            throw new ParameterException(command.commandLine(), "--durability host is not measured here: none, process, or both");
        }
        return asked.stream().distinct().map(durability -> durability == Durability.PROCESS).toList();
    }
}
