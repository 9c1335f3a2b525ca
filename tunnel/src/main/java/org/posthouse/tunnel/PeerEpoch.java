package org.posthouse.tunnel;

import org.posthouse.wire.CloseReason;
import org.posthouse.wire.LinkHello;
import org.posthouse.wire.WireException;

/**
 * The start of the relay at the other end that a link knows, and who is refused for it: of one name, one relay at a time (docs/links.md, "Handshake"). Confined
 * to its link.
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

    /** As last seen, be it by a link before this one, which was let go of; 0 before the first contact. */
    long last() {
        return last;
    }

    /** Whether this link was made with it. */
    boolean isSeen() {
        return seen;
    }

    /** Whether this comes from a later start of the relay than the one that the link was made with. */
    boolean isRestart(LinkHello hello) {
        return seen && hello.epoch() > last;
    }

    void see(long epoch) {
        last = epoch;
        seen = true;
    }

    /**
     * Neither end may have been seen with a later epoch, nor be linked with an earlier one, nor have told one that it has no more.
     *
     * @param linked the first lane on which frames flow to the relay that the link knows; null if there is none
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

    /** One that is refused hears which epoch it was, unless the link to the later one is up: then it may take the next one. */
    private void tellLast(LinkConnection connection, LinkHello hello) {
        if (!connection.dialled() && !link.isUp()) {
            connection.greet(link.hello("", 0, hello.session()));
        }
    }

    /** What was said on a connection that this end dialled, it said with its old epoch. */
    private void outlive(LinkConnection connection, LinkHello hello) throws WireException {
        long own = links.epoch();
        if (!links.tryOutlive(hello.peerEpoch()) || connection.dialled()) {
            throw new WireException(
                    CloseReason.FENCED,
                    "relay " + link.relay() + " has seen epoch " + hello.peerEpoch() + " of relay " + links.config().relay()
                            + ", this one had " + own + ": another one has taken its place, or this host's clock was set back");
        }
    }

    /** Another peer may have told of a later start meanwhile. Who knows this relay by its old epoch would take the new one for a restart, and forget what this one remembers. */
    private void requireSaid(LinkConnection connection) throws WireException {
        if (connection.dialled() && connection.epochSaid() != links.epoch()) {
            throw new WireException(
                    CloseReason.FENCED,
                    "relay " + link.relay() + " was told epoch " + connection.epochSaid() + " of relay " + links.config().relay() + ", which has epoch "
                            + links.epoch() + " by now: it says that on its next connection");
        }
    }

    /**
     * A later start takes over when the earlier one is gone. As long as that is linked it is asked for a sign of life: who was started under its name by mistake
     * would take what the jobs have sent to it.
     */
    private void refuseBeside(LinkConnection linked, LinkHello hello) throws WireException {
        linked.suspect();
        throw new WireException(
                CloseReason.NAME_TAKEN,
                "a relay that calls itself " + link.relay() + " has epoch " + hello.epoch() + ", but the one with epoch " + last + " is linked, " + linked
                        + ": unless that answers within " + links.config().timeouts().pingMs() + " ms the later one is let in");
    }
}
