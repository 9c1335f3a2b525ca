package org.posthouse.lab;

import java.util.List;
import org.posthouse.cli.CommandProvider;

/** The subcommands of the lab. */
public final class LabCommands implements CommandProvider {
    @Override
    public List<Class<?>> commands() {
        return List.of(BenchCommand.class, ChaosCommand.class);
    }
}
