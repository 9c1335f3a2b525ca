package org.posthouse.tunnel.stream;

import java.util.HashMap;
import java.util.Map;

/**
 * The doors that a relay has for other relays only, beside those of its configuration. The name of such a door is its kind, a space
 * and what its kind needs to know; no name of a forwarded port has a space. Confined to the relay's context.
 */
public final class InternalDoors implements StreamAcceptor {
    private final Map<String, StreamAcceptor> kinds = new HashMap<>();
    private final StreamAcceptor others;

    /** @param others takes the streams to all other doors */
    public InternalDoors(StreamAcceptor others) {
        this.others = others;
    }

    /** Passes streams to doors of this kind to {@code acceptor} from now on. */
    public void open(String kind, StreamAcceptor acceptor) {
        kinds.put(kind, acceptor);
    }

    @Override
    public void onAsked(LinkStream stream, String door) {
        int end = door.indexOf(' ');
        kinds.getOrDefault(end < 0 ? "" : door.substring(0, end), others).onAsked(stream, door);
    }
}
