package org.posthouse.cli.option;

import org.posthouse.relay.config.RelayConfig;
import picocli.CommandLine.Option;

/** The memory of a relay for messages: of {@code posthouse relay}, and of the relays inside {@code posthouse run}. */
public final class MemoryOptions {
    @Option(
            names = "--unexpected-max",
            paramLabel = "BYTES",
            converter = ByteCount.class,
            description = "What messages may take of a relay's memory that wait for their receives, beyond 16 MiB for each rank that sends, such as 1g: two thirds for those in the log"
                    + " (150 bytes each), the rest for the others (512 bytes more than they have) (default: 3/8 of the heap, at most 384m).")
    private Long unexpectedBytes;

    /** @throws CommandFailure in one line, if it is more than a relay of this process can have */
    public long unexpectedBytes() throws CommandFailure {
        long most = Runtime.getRuntime().maxMemory() / 4 * 3;
        if (unexpectedBytes != null && unexpectedBytes > most) {
            throw new CommandFailure("--unexpected-max " + unexpectedBytes + ", expected at most " + most
                    + ", three quarters of the heap; POSTHOUSE_RELAY_FLAGS=-Xmx… gives a relay's process more, JAVA_TOOL_OPTIONS=-Xmx… posthouse run");
        }
        return unexpectedBytes == null ? RelayConfig.unexpectedBytesDefault() : unexpectedBytes;
    }
}
