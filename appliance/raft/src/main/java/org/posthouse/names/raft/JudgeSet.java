package org.posthouse.names.raft;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.SortedMap;
import java.util.UUID;

/**
 * The judges that agree on one set of names. Immutable.
 *
 * @param addresses the id of each judge, and where the others reach it, as host:port
 */
record JudgeSet(SortedMap<String, String> addresses) {
    private static final long MAGIC = 0x50484a5544474531L; // PHJUDGE1

    /** Bytes of what both ends of a connection send first. */
    static final int HELLO_BYTES = Long.BYTES + 2 * Long.BYTES;

    /** Differs from that of every other set of ids. */
    UUID id() {
        return UUID.nameUUIDFromBytes(("posthouse judges " + ids()).getBytes(StandardCharsets.UTF_8));
    }

    /** The ids with commas between. */
    String ids() {
        return String.join(",", addresses.keySet());
    }

    byte[] hello() {
        UUID id = id();
        return ByteBuffer.allocate(HELLO_BYTES).putLong(MAGIC).putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits()).array();
    }
}
