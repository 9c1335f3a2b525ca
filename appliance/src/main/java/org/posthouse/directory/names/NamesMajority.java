package org.posthouse.directory.names;

import com.hazelcast.cluster.Member;
import com.hazelcast.splitbrainprotection.HeartbeatAware;
import com.hazelcast.splitbrainprotection.SplitBrainProtectionFunction;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Decides whether this member is in the part of the group that may answer for names. Thread-safe.
 *
 * <p>A part may if it has more than half of the relays that are known: the addresses that the member was configured with, or the relays that it has seen since
 * it started, whichever are more. A configured relay always counts, even if it has left with notice (withdrawn): it may start again in another part, where all
 * configured relays count. One that is not configured counts until it has left with notice; if it has died, for as long as this process runs. So no two parts
 * may, however a group of one configuration splits.
 *
 * <p>A member counts when its names are merged ({@link MergedMembers}).
 *
 * <p>A record has {@link NamesMap#BACKUPS} copies beside the owner's. In a group of more than 13 relays a majority could be without any of them. So at most as
 * many relays may be missing as a record has such copies: the part that may answer always has one.
 */
public final class NamesMajority implements SplitBrainProtectionFunction, HeartbeatAware {
    private final String attribute;
    private final Set<String> configured;
    private final MergedMembers merged;

    /** Relays seen that have not left with notice. Guarded by this. */
    private final Set<String> known = new TreeSet<>();

    /** The last address of each relay seen. Guarded by this. */
    private final Map<String, String> addresses = new TreeMap<>();

    /** The members that Hazelcast has told last. Guarded by this. */
    private Collection<Member> told = List.of();

    /** Written once by the thread that starts the member, read by Hazelcast's threads. */
    private volatile Group group = new Group() {
        @Override
        public Roll roll() {
            return new Roll(Set.of(), Set.of());
        }

        @Override
        public Collection<Member> members() {
            return told;
        }

        @Override
        public int copies(String key) {
            return 0;
        }

        @Override
        public long listVersion() {
            return 0;
        }
    };

    /** What the member and its directory know. Its methods do not block. */
    public interface Group {
        /** What the directory knows. */
        Roll roll();

        /**
         * The members of this part, as they are now. Hazelcast tells of a change only after the copies of a lost member are not waited for any more, so what it
         * has told last is not enough.
         */
        Collection<? extends Member> members();

        /** How many of these members have to confirm a change of a key, the owner among them. One that has just come keeps no copy yet. */
        int copies(String key);

        /** The number of the list of members. */
        long listVersion();
    }

    /**
     * What the directory knows of relays.
     *
     * @param listed that were announced and not withdrawn; they may be dead
     * @param withdrawn that have left with notice
     */
    public record Roll(Set<String> listed, Set<String> withdrawn) {
        /** Copies the sets. */
        public Roll {
            listed = Set.copyOf(listed);
            withdrawn = Set.copyOf(withdrawn);
        }
    }

    /**
     * @param attribute the member's attribute with the id of its relay
     * @param own the own address of this member
     * @param addresses of the members that it looks for, with or without its own
     */
    public NamesMajority(String attribute, String own, List<String> addresses) {
        this.attribute = attribute;
        this.configured = new TreeSet<>(addresses);
        configured.add(own);
        this.merged = new MergedMembers(attribute, () -> group.roll().withdrawn());
    }

    /** Which members have merged what they had. The member's listener, from before it starts. */
    public MergedMembers merged() {
        return merged;
    }

    /** From now on asks the directory and the member; before, only configuration and members count. */
    public void follow(Group of) {
        group = of;
    }

    /** Called by Hazelcast when a member has come or gone, and with each heartbeat; so it does not wait for merges. */
    @Override
    public synchronized boolean apply(Collection<Member> members) {
        told = List.copyOf(members);
        return lacking(members).isEmpty();
    }

    private String relayOf(Member member) {
        String relay = member.getAttribute(attribute);
        return relay == null ? member.getUuid().toString() : relay;
    }

    /** Why this part may not answer, in one clause; empty if it may. */
    synchronized Optional<String> lacking() {
        List<? extends Member> counted = counted();
        Set<String> others = new TreeSet<>();
        group.members().stream().filter(each -> !merged.isMerged(each)).forEach(each -> others.add(relayOf(each)));
        return lacking(counted).map(why -> why + notMerged(others) + awaited());
    }

    private static String notMerged(Set<String> relays) {
        return relays.isEmpty()
                ? ""
                : "; " + relays.size() + " more have come, and their names are not merged yet: " + String.join(", ", relays);
    }

    /** What this member's merge waits for. Another member's is told by its own relay. */
    private String awaited() {
        Set<String> awaited = merged.awaited();
        Set<String> absent = new TreeSet<>(awaited);
        group.members().forEach(each -> absent.remove(relayOf(each)));
        return absent.isEmpty()
                ? ""
                : "; this relay waits for names of " + String.join(", ", absent) + ", which came with it and is gone: start that again, or this one";
    }

    private List<? extends Member> counted() {
        return group.members().stream().filter(merged::isMerged).toList();
    }

    private synchronized Optional<String> lacking(Collection<? extends Member> members) {
        int here = present(members).size();
        int relays = relays();
        int needed = needed(relays);
        return here >= needed
                ? Optional.empty()
                : Optional.of(here + " of " + relays + " known relays reach each other, expected at least " + needed);
    }

    /** The relays of these members, known from now on. */
    private Set<String> present(Collection<? extends Member> members) {
        Set<String> here = new TreeSet<>();
        for (Member member : members) {
            here.add(relayOf(member));
            addresses.put(relayOf(member), member.getAddress().getHost() + ":" + member.getAddress().getPort());
        }
        Roll now = group.roll();
        known.removeAll(now.withdrawn());
        known.addAll(now.listed());
        known.addAll(here);
        return here;
    }

    /** Whether all relays that are known reach each other. */
    synchronized boolean isWhole() {
        return present(counted()).size() >= relays();
    }

    /** Why a record here may not be changed, in one clause; empty if it may. The part that goes on after the next cut must have one of its copies. */
    Optional<String> lackingCopies(String key) {
        int relays = relays();
        int needed = relays - needed(relays) + 1;
        int copies = group.copies(key);
        return copies >= needed
                ? Optional.empty()
                : Optional.of(copies + " of the relays that reach each other would keep a copy of this name, expected at least " + needed + " of " + relays);
    }

    /** The number of relays that are known, with the configured ones that have left with notice. */
    synchronized int relays() {
        Set<String> left = new TreeSet<>();
        addresses.forEach((relay, address) -> {
            if (!known.contains(relay) && configured.contains(address)) {
                left.add(address);
            }
        });
        known.stream().map(addresses::get).filter(Objects::nonNull).forEach(left::remove); // A relay of another name is there now.
        return Math.max(configured.size(), known.size() + left.size());
    }

    /** How many of so many relays a part must have. */
    static int needed(int relays) {
        return Math.max(relays / 2 + 1, relays - NamesMap.BACKUPS);
    }

    /** The number of the present member list. */
    long term() {
        return group.listVersion();
    }

    /** Makes Hazelcast call {@link #apply} with each heartbeat, as relays may become known without being members. */
    @Override
    public void onHeartbeat(Member member, long timestamp) {}
}
