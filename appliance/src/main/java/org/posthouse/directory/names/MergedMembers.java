package org.posthouse.directory.names;

import com.hazelcast.cluster.Member;
import com.hazelcast.cluster.MembershipAdapter;
import com.hazelcast.cluster.MembershipEvent;
import com.hazelcast.core.ExecutionCallback;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.LifecycleEvent;
import com.hazelcast.core.LifecycleListener;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Which members have no merge under way. When a part of a split group meets a larger one, Hazelcast joins its members first and merges their maps later. In
 * between the new part may lack names that were confirmed, so those members count for no majority (ADR 107).
 *
 * <p>A member knows of its own merge. It waits for those that came with it, too, as each merges what it owned. Every member asks each other one, from when it
 * sees it until that has merged; a merge gives a member another UUID. Thread-safe.
 */
public final class MergedMembers extends MembershipAdapter implements LifecycleListener {
    /** The name of the executor that questions run on. */
    public static final String EXECUTOR = "posthouse.merges";

    private static final long AGAIN_MS = 200;

    private final String attribute;

    /** Others that have said that they merge nothing. */
    private final Set<UUID> merged = ConcurrentHashMap.newKeySet();

    /** Whether this member merges. Guarded by this. */
    private boolean merging;

    /** Relays that came with this one, and are not known to have merged. Guarded by this. */
    private final Set<String> companions = new HashSet<>();

    private final Supplier<Set<String>> withdrawn;

    /** Null before the member has started. Written once by the thread that starts it, read by all. */
    private volatile HazelcastInstance member;

    /**
     * @param attribute the member's attribute with the id of its relay
     * @param withdrawn the relays that have left with notice
     */
    MergedMembers(String attribute, Supplier<Set<String>> withdrawn) {
        this.attribute = attribute;
        this.withdrawn = withdrawn;
    }

    /** Asks the other members from now on. */
    public void follow(HazelcastInstance of) {
        member = of;
        of.getCluster().getMembers().forEach(this::ask);
    }

    /** Whether a member counts. */
    boolean isMerged(Member one) {
        return one.localMember() ? hasMerged() : merged.contains(one.getUuid());
    }

    /** Whether this member and all that came with it have merged what they had. */
    boolean hasMerged() {
        return hasMergedItself() && awaited().isEmpty();
    }

    /** The relays that came with this one, and are not known to have merged. One that has left with notice brings nothing any more. */
    Set<String> awaited() {
        Set<String> left = withdrawn.get();
        synchronized (this) {
            companions.removeAll(left);
            return new TreeSet<>(companions);
        }
    }

    /** Whether this member has. */
    synchronized boolean hasMergedItself() {
        return !merging;
    }

    /** Called by Hazelcast before it leaves the old part, and when all is merged. */
    @Override
    public void stateChanged(LifecycleEvent event) {
        if (event.getState() == LifecycleEvent.LifecycleState.MERGING) {
            begin();
        } else if (event.getState() == LifecycleEvent.LifecycleState.MERGED || event.getState() == LifecycleEvent.LifecycleState.MERGE_FAILED) {
            end();
        }
    }

    private synchronized void begin() {
        merging = true;
        if (member != null) {
            member.getCluster().getMembers().stream().filter(each -> !each.localMember()).map(this::relayOf).forEach(companions::add);
        }
    }

    private void end() {
        synchronized (this) {
            merging = false;
        }
        askCompanions();
    }

    private String relayOf(Member one) {
        String relay = one.getAttribute(attribute);
        return relay == null ? one.getUuid().toString() : relay;
    }

    /** One that has not come yet, or still merges, is asked again. One that was started again has nothing to merge. */
    private void askCompanions() {
        Set<String> asked = awaited();
        for (String relay : asked) {
            Optional<Member> now = member.getCluster().getMembers().stream().filter(each -> relayOf(each).equals(relay)).findAny();
            now.ifPresent(one -> ask(one, true, yes -> {
                if (yes) {
                    forget(relay);
                }
            }));
        }
        if (!asked.isEmpty() && member.getLifecycleService().isRunning()) {
            later(this::askCompanions);
        }
    }

    private synchronized void forget(String companion) {
        companions.remove(companion);
    }

    @Override
    public void memberAdded(MembershipEvent event) {
        if (member != null) {
            ask(event.getMember());
        }
    }

    @Override
    public void memberRemoved(MembershipEvent event) {
        merged.remove(event.getMember().getUuid());
    }

    private void ask(Member other) {
        if (!other.localMember() && member.getLifecycleService().isRunning() && member.getCluster().getMembers().contains(other)) {
            ask(other, false, yes -> {
                if (yes) {
                    merged.add(other.getUuid());
                } else {
                    later(() -> ask(other));
                }
            });
        }
    }

    /** @param answer is told no if there is no answer */
    private void ask(Member other, boolean itself, Consumer<Boolean> answer) {
        try {
            member.getExecutorService(EXECUTOR).submitToMember(new MergeQuestion(this, itself), other, new ExecutionCallback<Boolean>() {
                @Override
                public void onResponse(Boolean yes) {
                    answer.accept(yes);
                }

                @Override
                public void onFailure(Throwable fault) {
                    answer.accept(false); // It has left, or does not answer yet.
                }
            });
        } catch (RuntimeException e) { // This member has stopped, or the other is not its member any more.
            answer.accept(false);
        }
    }

    private static void later(Runnable work) {
        Executor afterPause = CompletableFuture.delayedExecutor(AGAIN_MS, TimeUnit.MILLISECONDS);
        afterPause.execute(work);
    }
}
