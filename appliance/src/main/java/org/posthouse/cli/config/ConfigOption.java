package org.posthouse.cli.config;

import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The option of commands whose options may stand in variables and in a file too. */
public final class ConfigOption {
    @Spec(Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "A YAML file with a section for each command, whose keys are its options (default: POSTHOUSE_CONFIG). Options on the command line"
                    + " come before POSTHOUSE_ variables, and these before the file.")
    private Path file;

    private Configuration configuration = Configuration.NONE;

    /** Told before the command runs. */
    void use(Configuration used) {
        configuration = used;
    }

    /** Where options of the command come from. */
    public Configuration configuration() {
        return configuration;
    }
}
