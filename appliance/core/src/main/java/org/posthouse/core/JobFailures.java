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
    private final Map<Key, Agreed> decided = new HashMap<>();
    private final Map<Key, Map<Integer, Agree>> asked = new LinkedHashMap<>();

    /** Of the job, as its program sees them. */
    private final int ranks;

    /** Null until a process takes part in a rebuild that is decided here. */
    private PendingRebuild rebuild;

    /** How many communicators the agreements have made. */
    private int made;

    /** Results that name a death of which the ranks here have not been told. */
    private final List<Agreed> early = new ArrayList<>();

    /** @param ranks of the job, as its program sees them */
    JobFailures(int ranks) {
        this.ranks = ranks;
    }

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
            if (rebuild != null) {
                rebuild.died(failed.rank());
            }
        }
        return isNew;
    }

    List<RankFailed> deaths() {
        return deaths;
    }

    // ---- communicators that are revoked

    /** Notes a revocation; has no effect if it is known. */
    void revoke(Revocation revocation) {
        revoked.putIfAbsent(place(revocation.context(), revocation.members()), revocation);
    }

    boolean isRevoked(Revocation revocation) {
        return revoked.containsKey(place(revocation.context(), revocation.members()));
    }

    /** Whether messages of this rank and context may be dropped, so that nobody counts them. */
    boolean mayDrop(int context, int rank) {
        return dead.get(rank) || revoked.values().stream().anyMatch(each -> each.context() == (context & -2) && each.members().get(rank));
    }

    Collection<Revocation> revocations() {
        return revoked.values();
    }

    // ---- agreements that are decided here

    /** Number of agreements that are kept here: of a logged job also those that are decided. */
    int keptAgreements() {
        return pending.size() + decided.size();
    }

    /** The result of a logged job's agreement; null if it is not decided. */
    Agreed decided(Agree part) {
        return decided.get(new Key(place(part.context(), part.members()), part.number()));
    }

    /** A logged job keeps the results, since a rank that is started again asks for them again. */
    void decided(Agreed agreed) {
        decided.put(new Key(place(agreed.context(), agreed.members()), agreed.number()), agreed);
        made = Math.max(made, agreed.communicator());
    }

    // ---- agreements that are decided elsewhere

    /** A rank here, of a logged job, takes part in an agreement that another core decides. Its part is kept until then. */
    void asked(Agree part) {
        asked.computeIfAbsent(new Key(place(part.context(), part.members()), part.number()), none -> new HashMap<>()).put(part.rank(), part);
    }

    /** The result has come, and the ranks here are told. */
    void answered(Agreed agreed) {
        asked.remove(new Key(place(agreed.context(), agreed.members()), agreed.number()));
    }

    /** The parts for which no result has come. */
    List<Agree> parts() {
        return asked.values().stream().flatMap(parts -> parts.values().stream()).toList();
    }

    // ---- agreements that are decided here, and not yet

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

    /** A process takes part in a rebuild that is decided here, or its rank in none any more. */
    void joinRebuild(Agree part) {
        rebuild = rebuild == null ? new PendingRebuild(ranks) : rebuild;
        if (part.flags() == 0) {
            rebuild.finalized();
        } else if (!dead.get(part.rank())) {
            rebuild.join(part.rank());
        }
    }

    /** The result if a process of each rank takes part, or if none can be made any more and some wait for it; else null. */
    Agreed decideRebuild(long job) {
        BitSet answered = rebuild.takeAnswered();
        if (answered.isEmpty()) {
            return null;
        }
        made += rebuild.isOver() ? 0 : 1;
        return new Agreed(job, 0, 1, Agree.Kind.REBUILD, -1, rebuild.isOver() ? 0 : made, false, answered, new BitSet());
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
