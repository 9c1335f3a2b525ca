package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;

/**
 * Puts the parts of one process's {@link StartSpec} together. Confined to the agent's owner of that process.
 *
 * <p>A sender that reconnects begins again with part 0. Parts that are not the next one are refused, except part 0.
 */
public final class StartAssembly {
    private byte[] bytes = {};
    private int parts;

    /**
     * Takes the next part.
     *
     * @return the specification, behind its last part
     * @throws WireException if it is not the next part, or too long, or no specification; the assembly is empty then
     */
    public Optional<StartSpec> add(AgentMessage.Start start) throws WireException {
        if (start.part() == 0) {
            clear();
        }
        int expected = parts;
        if (start.part() != expected) {
            clear();
            throw new WireException(
                    CloseReason.NOT_EXPECTED,
                    "part " + start.part() + " of the start of rank " + start.rank() + ", expected part " + expected);
        }
        int before = bytes.length;
        int length = before + start.bytes().remaining();
        if (length > StartSpec.BYTES_MAX) {
            clear();
            throw new WireException(
                    CloseReason.LIMIT,
                    "start of rank " + start.rank() + " with " + length + " bytes, expected at most " + StartSpec.BYTES_MAX);
        }
        bytes = Arrays.copyOf(bytes, length);
        start.bytes().duplicate().get(bytes, before, length - before);
        parts++;
        if (start.more()) {
            return Optional.empty();
        }
        byte[] all = bytes;
        clear();
        return Optional.of(StartSpec.decode(ByteBuffer.wrap(all)));
    }

    private void clear() {
        bytes = new byte[0];
        parts = 0;
    }
}
