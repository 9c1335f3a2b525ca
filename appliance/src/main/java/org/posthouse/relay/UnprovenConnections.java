package org.posthouse.relay;

import io.vertx.core.Future;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.posthouse.peer.PeerUser;
import org.posthouse.relay.io.ConnectionAddresses;

/**
 * The accepted connections that have not proven an identity, the oldest first. Their number is limited. Beyond the
 * limit each new one displaces another, so clients that only connect cannot keep others out. The displaced one belongs
 * to the owner (a user of this host, or another host) with the most places, if that is more than a fair share.
 * Otherwise it is the oldest of all.
 *
 * <p>Users of this host are looked up only when a connection must be displaced and no known owner has more than the
 * share. Accepting is paused meanwhile. One lookup covers all connections whose users are unknown, so a flood costs one
 * lookup for each {@code places - share} connections.
 *
 * <p>Connections are added and displaced on the relay's loop; any thread may call {@link #remove}.
 */
final class UnprovenConnections {
    /** The fair share of an owner is the number of places divided by this. */
    private static final int SHARE = 4;

    /** A connection, as far as this class needs it. */
    interface Newcomer {
        ConnectionAddresses ends();

        /** Cuts the connection without a CLOSE frame. */
        void makeRoom(String why);
    }

    private final int most;
    private final Function<Set<ConnectionAddresses>, Future<Map<ConnectionAddresses, PeerUser>>> users;
    private final Consumer<Boolean> pauseAccepting;

    /** The connections with their owners; an owner is empty until it was looked up. Guarded by this. */
    private final Map<Newcomer, String> owners = new LinkedHashMap<>();

    // Confined to the loop.
    private int owed;
    private String limit = "";
    private boolean asking;

    /**
     * @param most number of places
     * @param users looks users up, and answers on the loop
     * @param pauseAccepting pauses accepting, or resumes it
     */
    UnprovenConnections(int most, Function<Set<ConnectionAddresses>, Future<Map<ConnectionAddresses, PeerUser>>> users, Consumer<Boolean> pauseAccepting) {
        this.most = most;
        this.users = users;
        this.pauseAccepting = pauseAccepting;
    }

    /** Adds a new connection, which may displace another. */
    void add(Newcomer connection) {
        int now = put(connection);
        if (now > most) {
            limit = now + " connections that were not let in, at most " + most;
            displace();
        }
    }

    private synchronized int put(Newcomer connection) {
        owners.put(connection, connection.ends().ownerWithoutLookUp());
        return owners.size();
    }

    /**
     * Removes a connection that has ended or was admitted.
     *
     * @return false if it was displaced before
     */
    synchronized boolean remove(Newcomer connection) {
        return owners.remove(connection) != null;
    }

    synchronized boolean isEmpty() {
        return owners.isEmpty();
    }

    /**
     * Displaces one connection.
     *
     * @param reached description of the limit that requires it
     */
    void makeRoom(String reached) {
        owed++;
        limit = reached;
        displace();
    }

    private synchronized boolean isCrowded() {
        return !owners.isEmpty() && (owed > 0 || owners.size() > most);
    }

    private void displace() {
        while (isCrowded() && !asking) {
            Newcomer crowding = crowding();
            if (crowding != null) {
                end(crowding, "one of those of whom there are most");
            } else if (!tryAsk()) {
                end(oldest(), "the oldest that was not let in");
            }
        }
    }

    private void end(Newcomer connection, String which) {
        owed = Math.max(0, owed - 1);
        if (connection != null && remove(connection)) {
            connection.makeRoom(limit + ", and this is " + which);
        }
    }

    /** The oldest connection of the owner with the most places, if these are more than the share; otherwise null. */
    private synchronized Newcomer crowding() {
        Map<String, Long> places = owners.values().stream()
                .filter(owner -> !owner.isEmpty())
                .collect(Collectors.groupingBy(owner -> owner, Collectors.counting()));
        return places.entrySet().stream()
                .filter(owner -> owner.getValue() > Math.ceilDiv(most, SHARE))
                .max(Map.Entry.comparingByValue())
                .map(owner -> oldestOf(owner.getKey()))
                .orElse(null);
    }

    private synchronized Newcomer oldestOf(String owner) {
        return owners.entrySet().stream().filter(entry -> entry.getValue().equals(owner)).map(Map.Entry::getKey).findFirst().orElse(null);
    }

    private synchronized Newcomer oldest() {
        return owners.keySet().stream().findFirst().orElse(null);
    }

    /**
     * Starts a lookup of the unknown users.
     *
     * @return false if all are known
     */
    private boolean tryAsk() {
        Set<ConnectionAddresses> unknown = unknown();
        if (unknown.isEmpty()) {
            return false;
        }
        asking = true;
        pauseAccepting.accept(true);
        users.apply(unknown).onComplete((found, fault) -> {
            asking = false;
            know(unknown, fault == null ? found : Map.of());
            displace();
            if (!asking) {
                pauseAccepting.accept(false);
            }
        });
        return true;
    }

    private synchronized Set<ConnectionAddresses> unknown() {
        return owners.entrySet().stream()
                .filter(entry -> entry.getValue().isEmpty())
                .map(entry -> entry.getKey().ends())
                .collect(Collectors.toSet());
    }

    /** Stores the result of a lookup. A connection whose user was not found counts for its host. */
    private synchronized void know(Set<ConnectionAddresses> asked, Map<ConnectionAddresses, PeerUser> found) {
        owners.replaceAll((connection, owner) -> owner.isEmpty() && asked.contains(connection.ends())
                ? connection.ends().owner(found.getOrDefault(connection.ends(), PeerUser.UNKNOWN))
                : owner);
    }
}
