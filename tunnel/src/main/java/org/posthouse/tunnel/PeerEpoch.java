package org.posthouse.tunnel;

import org.posthouse.wire.CloseReason;
import org.posthouse.wire.LinkHello;
import org.posthouse.wire.WireException;

/**
 * The epoch of the peer relay that a link knows, and the fencing rules that follow from it: at most one relay of one
 * name at a time (docs/links.md, "Handshake"). Confined to its link.
 */
final class PeerEpoch {
    private final Links links;
    private final Link link;
    private long last;
    private boolean seen;

    PeerEpoch(Links links, Link link) {
        this.links = links;
        this.link = link;
        this.last = links.table().leftEpochs().of(link.relay());
    }

    /** The last known epoch, perhaps from a previous link that was dropped; 0 before the first contact. */
    long last() {
        return last;
    }

    /** Whether this link was made with that epoch. */
    boolean isSeen() {
        return seen;
    }

    /** Whether {@code hello} is from a later start of the relay than the one that the link was made with. */
    boolean isRestart(LinkHello hello) {
        return seen && hello.epoch() > last;
    }

    void see(long epoch) {
        last = epoch;
        seen = true;
    }

    /**
     * Checks the epochs of both ends. Refuses the peer if a later epoch of either end was seen, or if this end
     * announced an epoch that it no longer has. Also refuses a later start while an earlier start of the peer is
     * linked.
     *
     * @param linked the first lane of the link that is up with the known relay; null if there is none
     * @throws WireException FENCED or NAME_TAKEN
     */
    void check(LinkConnection connection, LinkHello hello, LinkConnection linked) throws WireException {
        if (hello.epoch() < last) {
            tellLast(connection, hello);
            throw new WireException(
                    CloseReason.FENCED,
                    "a relay that calls itself " + link.relay() + " has epoch " + hello.epoch() + ", expected at least " + last
                            + ": another one has taken its place, or its host's clock was set back");
        }
        if (hello.peerEpoch() > links.epoch()) {
            outlive(connection, hello);
        }
        requireSaid(connection);
        if (isRestart(hello) && linked != null) {
            refuseBeside(linked, hello);
        }
    }

    /**
     * Tells a refused peer the last known epoch, so that it may take the next one. Not while the link to the later
     * start is up.
     */
    private void tellLast(LinkConnection connection, LinkHello hello) {
        if (!connection.dialled() && !link.isUp()) {
            connection.greet(link.hello("", 0, hello.session()));
        }
    }

    /**
     * Takes a later epoch for this relay, or refuses the peer. A connection dialled here is refused in any case,
     * because this end announced its old epoch on it.
     */
    private void outlive(LinkConnection connection, LinkHello hello) throws WireException {
        long own = links.epoch();
        if (!links.tryOutlive(hello.peerEpoch()) || connection.dialled()) {
            throw new WireException(
                    CloseReason.FENCED,
                    "relay " + link.relay() + " has seen epoch " + hello.peerEpoch() + " of relay " + links.config().relay()
                            + ", this one had " + own + ": another one has taken its place, or this host's clock was set back");
        }
    }

    /**
     * Refuses the connection if this end announced an outdated epoch on it; another peer may have reported a later
     * start meanwhile. A peer that knows the old epoch would take the new one for a restart, and drop state that this
     * relay still has.
     */
    private void requireSaid(LinkConnection connection) throws WireException {
        if (connection.dialled() && connection.epochSaid() != links.epoch()) {
            throw new WireException(
                    CloseReason.FENCED,
                    "relay " + link.relay() + " was told epoch " + connection.epochSaid() + " of relay " + links.config().relay() + ", which has epoch "
                            + links.epoch() + " by now: it says that on its next connection");
        }
    }

    /**
     * Refuses a later start of the peer while the earlier one is linked, and probes the earlier one. The later start is
     * accepted once the earlier is gone. A relay started under this name by mistake would otherwise get the frames that
     * jobs have sent to it.
     */
    private void refuseBeside(LinkConnection linked, LinkHello hello) throws WireException {
        linked.suspect();
        throw new WireException(
                CloseReason.NAME_TAKEN,
                "a relay that calls itself " + link.relay() + " has epoch " + hello.epoch() + ", but the one with epoch " + last + " is linked, " + linked
                        + ": unless that answers within " + links.config().timeouts().pingMs() + " ms the later one is let in");
    }
}
