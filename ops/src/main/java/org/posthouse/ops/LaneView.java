package org.posthouse.ops;

import java.util.List;

/**
 * One lane of a link: a connection, and those that were before it in its place. Immutable.
 *
 * @param lane         its number, from 0
 * @param up           whether it carries frames now
 * @param inSession    whether the link's present session has it, so that it comes again if it is not up; false of one that only an earlier session had,
 *                     and of all lanes of a link that is down
 * @param via          the relays that it goes over; none: straight, or not up
 * @param bytesIn      bytes that came on it since the relay started, before TLS and as packed
 * @param bytesOut     bytes that went
 * @param waitingBytes bytes that were written on it and that the peer has not acknowledged yet, now
 */
public record LaneView(int lane, boolean up, boolean inSession, List<String> via, long bytesIn, long bytesOut, long waitingBytes) {

    /** Copies the list. */
    public LaneView {
        via = List.copyOf(via);
    }
}
