package org.posthouse.cli;

import java.util.List;

/** The subcommands of the lab. */
public final class LabCommands implements CommandProvider {
    @Override
    public List<Class<?>> commands() {
        return List.of(BenchCommand.class, ChaosCommand.class);
    }
}
