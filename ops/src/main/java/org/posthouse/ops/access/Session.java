package org.posthouse.ops.access;

import java.util.Optional;

/**
 * One login of a user. Confined to the console's event loop.
 *
 * <p>It is bound to the user of the process at the other end, where the system tells him: a cookie is sent to every port of a host, so a process of
 * another user of this host could collect it.
 */
public final class Session {
    private final Holder holder;
    private final String peer;
    private final long openedAt;
    private long usedAt;
    private boolean ended;

    /**
     * Whose it is.
     *
     * @param user his entry in the file of users; empty for who has shown the secret
     */
    record Holder(String name, Role role, Optional<ConsoleUser> user) {
        static Holder of(ConsoleUser user) {
            return new Holder(user.name(), user.role(), Optional.of(user));
        }
    }

    Session(Holder holder, String peer, long now) {
        this.holder = holder;
        this.peer = peer;
        this.openedAt = now;
        this.usedAt = now;
    }

    public String name() {
        return holder.name();
    }

    public Role role() {
        return holder.role();
    }

    Optional<ConsoleUser> user() {
        return holder.user();
    }

    boolean isOf(String otherPeer) {
        return peer.equals(otherPeer);
    }

    boolean isOver(long now) {
        return ended || now - usedAt >= Sessions.IDLE_MS || now - openedAt >= Sessions.WHOLE_MS;
    }

    void used(long now) {
        usedAt = now;
    }

    void end() {
        ended = true;
    }
}
