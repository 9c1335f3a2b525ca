package org.posthouse.cli.option;

import java.util.List;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;
import picocli.CommandLine.Option;

/** The placement of relays' work on threads: flags of every command that starts a relay. */
public final class ModeOptions {
    @Option(
            names = "--mode",
            defaultValue = "MULTIPLEXED",
            description = "How the relay's work is placed on threads: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private RelayConfig.Mode mode;

    @Option(
            names = "--loops",
            paramLabel = "N",
            description = "Mode pooled: its event loops (default: as many as processors, at least 2, at most 16).")
    private int loops = ModeConfig.LOOPS_DEFAULT;

    @Option(
            names = "--pipeline",
            paramLabel = "R,L,E",
            defaultValue = ModeConfig.PIPELINE_DEFAULT,
            description = "Mode pipeline: loops that read, that log and match, and that write (default: ${DEFAULT-VALUE}).")
    private String pipeline;

    /** @throws CommandFailure in one line, if a number is out of range */
    public ModeConfig config() throws CommandFailure {
        try {
            return ModeConfig.of(mode, loops, pipeline);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }

    /** The same as options of a relay's process. @throws CommandFailure as {@link #config} does */
    public List<String> arguments() throws CommandFailure {
        return List.of(
                "--mode", config().mode().word(), "--loops", Integer.toString(loops), "--pipeline", pipeline);
    }
}
