package org.posthouse.peer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The user of the process at the other end of a connection. Immutable.
 *
 * <p>A port on loopback is open to every user of the host, so an address proves nothing. Linux lists the owner of each
 * TCP socket (proc(5), {@code /proc/net/tcp}); {@link PeerUsers} reads it there.
 *
 * @param trust whether the user counts as the owner of this process
 * @param uid   the user's number; {@link #NO_UID} if unknown
 */
public record PeerUser(Trust trust, long uid) {
    /** The number of an unknown user. */
    public static final long NO_UID = -1;

    /** The system's information about a peer's user. */
    public enum Trust {
        /** The user of this process, or root, who can read this process's memory anyway. */
        TRUSTED,

        /** Another user of this host. */
        FOREIGN,

        /** Not a user of this host, or unknown to the system. The peer must prove its identity by other means. */
        UNKNOWN
    }

    /** The value for an unknown user. */
    public static final PeerUser UNKNOWN = new PeerUser(Trust.UNKNOWN, NO_UID);
    private static final long ROOT = 0;

    /** A peer whose user number is known, for example by SO_PEERCRED. */
    public static PeerUser of(long uid, long ownUid) {
        return new PeerUser(uid == ownUid || uid == ROOT ? Trust.TRUSTED : Trust.FOREIGN, uid);
    }

    /** The user number of this process; {@link #NO_UID} if unknown. */
    public static long own() {
        try {
            return ((Number) Files.getAttribute(Path.of("/proc/self"), "unix:uid")).longValue();
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return NO_UID;
        }
    }

    /** For logs and refusals: "user 1000", "an unknown user". */
    @Override
    public String toString() {
        return uid == NO_UID ? "an unknown user" : "user " + uid;
    }
}
