package org.posthouse.directory;

import com.hazelcast.cluster.MembershipEvent;
import com.hazelcast.cluster.MembershipListener;
import com.hazelcast.core.EntryEvent;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.LifecycleEvent;
import com.hazelcast.core.LifecycleListener;
import com.hazelcast.map.listener.EntryAddedListener;
import com.hazelcast.map.listener.EntryMergedListener;
import com.hazelcast.map.listener.EntryUpdatedListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes changes of the group's map to the view. Called on Hazelcast's event thread, which it never blocks.
 *
 * <p>It does not listen to removals. The view itself knows which postings expire, so a group that lost its data does
 * not empty the views.
 */
final class GroupListener
        implements EntryAddedListener<String, String>,
        EntryUpdatedListener<String, String>,
        EntryMergedListener<String, String>,
        MembershipListener,
        LifecycleListener {
    private static final Logger LOG = LoggerFactory.getLogger(GroupListener.class);

    private final DirectoryView view;
    private final GroupReconciler sweep;
    private final Runnable learned;

    private GroupListener(DirectoryView view, GroupReconciler sweep, Runnable learned) {
        this.view = view;
        this.sweep = sweep;
        this.learned = learned;
    }

    /** @param learned runs after the view has learned something; must not block */
    static void register(HazelcastInstance member, DirectoryView view, GroupReconciler sweep, Runnable learned) {
        GroupListener listener = new GroupListener(view, sweep, learned);
        sweep.register(listener);
        member.getCluster().addMembershipListener(listener);
        member.getLifecycleService().addLifecycleListener(listener);
    }

    @Override
    public void entryAdded(EntryEvent<String, String> event) {
        take(event);
    }

    @Override
    public void entryUpdated(EntryEvent<String, String> event) {
        take(event);
    }

    @Override
    public void entryMerged(EntryEvent<String, String> event) {
        take(event);
    }

    private void take(EntryEvent<String, String> event) {
        try {
            view.learn(Posting.parse(event.getValue()));
            learned.run();
        } catch (IllegalArgumentException e) {
            LOG.error("directory: {} skipped", event.getKey(), e);
        }
    }

    @Override
    public void memberAdded(MembershipEvent event) {
        sweep.soon();
    }

    @Override
    public void memberRemoved(MembershipEvent event) {
        sweep.soon();
    }

    @Override
    public void stateChanged(LifecycleEvent event) {
        switch (event.getState()) {
            case MERGED -> sweep.soon();
            case MERGE_FAILED -> LOG.warn("directory: two parts of the group could not be merged, tried again later");
            case SHUTTING_DOWN -> LOG.info("directory: the group member stops; the view stays as it is");
            default -> LOG.debug("directory: group member {}", event.getState());
        }
    }
}
