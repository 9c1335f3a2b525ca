package org.posthouse.cli.option;

import org.posthouse.cli.terminal.LogOutput;
import picocli.CommandLine.Option;

/** The form of the log lines of a process that runs for long. */
public final class LogFormatOption {
    /** The forms. */
    enum Format {
        text, json
    }

    @Option(
            names = "--log-format",
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "The form of log lines on standard error: text; json: an object a line (default: ${DEFAULT-VALUE}).")
    private Format format;

    /** Has the process log in this form from now on. */
    public void apply() {
        if (format == Format.json) {
            LogOutput.useJson();
        }
    }
}
