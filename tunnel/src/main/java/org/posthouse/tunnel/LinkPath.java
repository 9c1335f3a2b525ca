package org.posthouse.tunnel;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import org.posthouse.keys.RelayId;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.WireException;

/**
 * The path of a lane: direct over TCP, or through streams of other links. Immutable.
 *
 * @param via the relays between the two ends, from the dialling one on; empty if it is direct
 */
record LinkPath(List<String> via) {
    static final LinkPath DIRECT = new LinkPath(List.of());

    /** Maximum number of links in a path. */
    static final int HOPS_MAX = 4;

    /** Prefix of the door of a path; no other door has a space in its name. */
    private static final String DOOR = "links ";

    private static final String BETWEEN = " ";

    LinkPath {
        via = List.copyOf(via);
    }

    boolean isDirect() {
        return via.isEmpty();
    }

    /** The first relay on the path from the dialling end. */
    String first() {
        return via.getFirst();
    }

    static boolean isDoor(String door) {
        return door.startsWith(DOOR);
    }

    /** The door that a stream along this path requests at each relay on its way. */
    String door(String from, String to) {
        return DOOR + from + BETWEEN + String.join(BETWEEN, via) + BETWEEN + to;
    }

    /**
     * All relays of the path, both ends included.
     *
     * @throws WireException if it is not an acceptable path
     */
    static List<String> relays(String door) throws WireException {
        List<String> relays = Arrays.asList(door.substring(DOOR.length()).split(BETWEEN, -1));
        boolean whole = relays.size() >= 3 && relays.size() <= HOPS_MAX + 1 && new HashSet<>(relays).size() == relays.size();
        if (!whole || !relays.stream().allMatch(RelayId::isWritten)) {
            throw new WireException(
                    CloseReason.LIMIT, "a path over " + relays + ", expected 3 to " + (HOPS_MAX + 1) + " relays, each once");
        }
        return relays;
    }

    /** The path for display: the relays on the way. */
    @Override
    public String toString() {
        return isDirect() ? "direct" : "via " + String.join(", ", via);
    }
}
