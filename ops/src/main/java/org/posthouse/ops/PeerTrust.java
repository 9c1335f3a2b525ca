package org.posthouse.ops;

import io.vertx.core.net.SocketAddress;

/**
 * Finds the user at the other end of a connection, as the system reports it; supplied by the appliance.
 *
 * <p>Called on a worker thread, since it may read the system's tables; must be thread-safe.
 */
@FunctionalInterface
public interface PeerTrust {
    /** No user is known: every client has to present the secret. */
    PeerTrust NOBODY = (local, remote) -> Peer.UNKNOWN;

    /**
     * A peer's user.
     *
     * @param trusted whether the user may give this process orders: its own user, or root
     * @param name    for people and for the audit, such as "user 1000"
     */
    record Peer(boolean trusted, String name) {
        /** On another host, in another network namespace, or the system does not say. */
        public static final Peer UNKNOWN = new Peer(false, "an unknown user");
    }

    /**
     * Looks it up.
     *
     * @param local  this end's address
     * @param remote the other end's
     */
    Peer peer(SocketAddress local, SocketAddress remote);
}
