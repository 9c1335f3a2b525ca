package org.posthouse.core;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.posthouse.wire.Agree;
import org.posthouse.wire.Agreed;
import org.posthouse.wire.RankFailed;
import org.posthouse.wire.Revocation;

/**
 * What one core knows of the failures of a job: the ranks that are dead, the communicators that are revoked, and the agreements that are decided
 * here. A rank is dead when its home relay has declared it so, and a process that was declared dead never comes back, so that no two members of a
 * communicator can differ in who is dead for longer than the notice is under way. Confined to the core.
 */
final class JobFailures {
    private record Place(int context, int lowestMember) {}

    private record Key(Place communicator, int number) {}

    private final BitSet dead = new BitSet();

    /** In the order in which they became known here, as {@link #revoked}. */
    private final List<RankFailed> deaths = new ArrayList<>();

    private final Map<Place, Revocation> revoked = new LinkedHashMap<>();
    private final Map<Key, PendingAgreement> pending = new HashMap<>();

    /** How many communicators the agreements have made. */
    private int made;

    /** Results that name a death of which the ranks here have not been told. */
    private final List<Agreed> early = new ArrayList<>();

    /** Communicators of different members may have one number. */
    private static Place place(int context, BitSet members) {
        return new Place(context, members.nextSetBit(0));
    }

    // ---- deaths

    boolean isDead(int rank) {
        return dead.get(rank);
    }

    /** Notes a death; false if it is known. */
    boolean died(RankFailed failed) {
        boolean isNew = !dead.get(failed.rank());
        if (isNew) {
            dead.set(failed.rank());
            deaths.add(failed);
        }
        return isNew;
    }

    List<RankFailed> deaths() {
        return deaths;
    }

    // ---- communicators that are revoked

    /** Notes a revocation; false if it is known. */
    boolean revoke(Revocation revocation) {
        return revoked.putIfAbsent(place(revocation.context(), revocation.members()), revocation) == null;
    }

    Collection<Revocation> revocations() {
        return revoked.values();
    }

    // ---- agreements that are decided here

    /** Number of agreements that are not decided. */
    int pendingCount() {
        return pending.size();
    }

    /** The agreement that a rank's part belongs to; it is begun if the part is the first. */
    PendingAgreement agreement(Agree part) {
        return pending.computeIfAbsent(new Key(place(part.context(), part.members()), part.number()), none -> new PendingAgreement());
    }

    /** The result if every member has taken part or is dead, after which the agreement is over; else null. */
    Agreed decide(PendingAgreement agreement) {
        Agreed agreed = agreement.result(dead, made + 1);
        if (agreed != null) {
            made = Math.max(made, agreed.communicator());
            pending.values().remove(agreement);
        }
        return agreed;
    }

    /** Whether the ranks here may be told of a result: they know of all deaths in it. If not, {@link #takeTellable} returns it later. */
    boolean isTellable(Agreed agreed) {
        BitSet unknown = (BitSet) agreed.failed().clone();
        unknown.andNot(dead);
        if (!unknown.isEmpty()) {
            early.add(agreed);
        }
        return unknown.isEmpty();
    }

    /** Removes the results that may be told by now. */
    List<Agreed> takeTellable() {
        List<Agreed> waiting = List.copyOf(early);
        early.clear();
        return waiting.stream().filter(this::isTellable).toList();
    }

    /** The agreements that are not decided. */
    Set<PendingAgreement> pending() {
        return Set.copyOf(pending.values());
    }
}
