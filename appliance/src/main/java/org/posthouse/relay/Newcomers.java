package org.posthouse.relay;

import io.vertx.core.Future;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.posthouse.peer.PeerUser;

/**
 * The accepted connections that have not proven who they are, the oldest first. There are places for some; past that each new one displaces another, so that
 * whoever only connects keeps nobody out. An owner (a user of this host, or another host) with more than his share of the places gives one of his, and the
 * oldest of all goes only if there is no such owner.
 *
 * <p>Users of this host are looked up when that matters: when somebody has to go, and no known owner has more than his share. Meanwhile nobody is accepted. One
 * look-up is for all whose users are not known yet, so a flood of them costs one for each {@code places - share} connections.
 *
 * <p>Connections come, and are displaced, on the relay's loop; {@link #remove} is for any thread.
 */
final class Newcomers {
    /** Of the places an owner may have a quarter before those of others go. */
    private static final int SHARE = 4;

    /** A connection, as far as this counts. */
    interface Newcomer {
        ConnectionEnds ends();

        /** It ends, without a word. */
        void makeRoom(String why);
    }

    private final int most;
    private final Function<Set<ConnectionEnds>, Future<Map<ConnectionEnds, PeerUser>>> users;
    private final Consumer<Boolean> pauseAccepting;

    /** Their owners; empty while that has to be looked up. Guarded by this. */
    private final Map<Newcomer, String> owners = new LinkedHashMap<>();

    // Confined to the loop.
    private int owed;
    private String limit = "";
    private boolean asking;

    /**
     * @param most places
     * @param users looks users up, and answers on the loop
     * @param pauseAccepting has nobody come, or whoever wants to
     */
    Newcomers(int most, Function<Set<ConnectionEnds>, Future<Map<ConnectionEnds, PeerUser>>> users, Consumer<Boolean> pauseAccepting) {
        this.most = most;
        this.users = users;
        this.pauseAccepting = pauseAccepting;
    }

    /** Takes a new connection, for which another may have to go. */
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

    /** It has ended, or was let in. @return false if it has just made room for another */
    synchronized boolean remove(Newcomer connection) {
        return owners.remove(connection) != null;
    }

    synchronized boolean isEmpty() {
        return owners.isEmpty();
    }

    /** Has one go. @param reached the limit for which it goes */
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

    /** The oldest one of the owner who has most, if that is more than his share; else null. */
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

    /** Has the users looked up that are not known. @return false if all are */
    private boolean tryAsk() {
        Set<ConnectionEnds> unknown = unknown();
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

    private synchronized Set<ConnectionEnds> unknown() {
        return owners.entrySet().stream()
                .filter(entry -> entry.getValue().isEmpty())
                .map(entry -> entry.getKey().ends())
                .collect(Collectors.toSet());
    }

    /** One who was not found has no user, and is of its host. */
    private synchronized void know(Set<ConnectionEnds> asked, Map<ConnectionEnds, PeerUser> found) {
        owners.replaceAll((connection, owner) -> owner.isEmpty() && asked.contains(connection.ends())
                ? connection.ends().owner(found.getOrDefault(connection.ends(), PeerUser.UNKNOWN))
                : owner);
    }
}
