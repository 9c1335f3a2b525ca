package org.posthouse.directory;

import com.hazelcast.cluster.Member;
import com.hazelcast.config.TcpIpConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import java.nio.channels.ServerSocketChannel;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.posthouse.causes.Causes;
import org.posthouse.directory.names.HazelcastNames;
import org.posthouse.directory.names.NamesMajority;
import org.posthouse.names.NameService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of relays in separate processes: a Hazelcast group with one member in each relay process. Thread-safe.
 *
 * <p>Reads are answered from a local view. Writes are passed to the directory's own thread, the only one that calls
 * Hazelcast. The view outlives the group: after a partition it stays as it was, and data that the group lost are
 * written again from the views. A relay whose member left without notice is taken off the list after a grace period.
 */
public final class HazelcastDirectory implements Directory {
    private static final Logger LOG = LoggerFactory.getLogger(HazelcastDirectory.class);
    private static final long SWEEP_SECONDS = 30;

    /** Seconds between checks for replaced or revoked certificates. */
    private static final long RENEW_SECONDS = 5;

    private static final long LOAD_SECONDS_MAX = 15;
    private static final long LAST_WRITES_SECONDS_MAX = 3;
    private static final long LEAVE_SECONDS_MAX = 5;

    private final Map<String, Posting> announced = new ConcurrentHashMap<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final DirectoryView view;
    private final PostingProof proof;
    private final String relay;
    private final HazelcastInstance member;
    private final GroupGuard guard;
    private final ScheduledExecutorService thread;
    private final GroupWriter writer;
    private final GroupReconciler sweep;
    private final HazelcastNames names;
    private final MemberIdentities identities;

    HazelcastDirectory(GroupConfig config, HazelcastInstance member, GroupGuard guard, PostingProof proof, NamesMajority majority) {
        this.relay = config.relay();
        this.member = member;
        this.guard = guard;
        this.proof = proof;
        this.identities = new MemberIdentities(member, guard);
        this.view = new DirectoryView(proof, why -> guard.refused(GroupRefusal.POSTING, "a posting", why));
        this.thread = new ScheduledThreadPoolExecutor(
                1,
                Thread.ofPlatform().name("posthouse-directory-" + relay).daemon().factory(),
                // Discards tasks only after close; {@code write} refuses postings by then.
                new ThreadPoolExecutor.DiscardPolicy());
        IMap<String, String> map = member.getMap(GroupMember.MAP);
        this.writer = new GroupWriter(map, view, thread, posting -> new PostProcessor(proof.sign(posting, relay), proof), this::again);
        this.sweep = new GroupReconciler(member, map, view, writer, thread, config.timing().grace(), this::revive);
        GroupListener.register(member, view, sweep, this::revive);
        majority.follow(new MembersOfGroup());
        majority.merged().follow(member);
        this.names = new HazelcastNames(member, relay, majority);
    }

    /**
     * Starts this relay's member, joins the group and loads its map. Blocks for seconds: call it on a worker thread.
     *
     * @throws GroupException with one line, if the port is in use, the member cannot start, or all other members ask
     *         for keys that this relay lacks; nothing is left running
     */
    public static HazelcastDirectory start(GroupConfig config) {
        return start(config, GroupMember.hold(config));
    }

    /** The same with a port that was bound before; taken over. */
    static HazelcastDirectory start(GroupConfig config, ServerSocketChannel held) {
        GroupGuard guard = new GroupGuard(config);
        PostingProof proof = new PostingProof(config.proof(), System::currentTimeMillis);
        NamesMajority majority = GroupMember.majority(config);
        HazelcastInstance member = GroupMember.start(config, held, guard, proof, majority);
        HazelcastDirectory directory;
        try {
            directory = new HazelcastDirectory(config, member, guard, proof, majority);
        } catch (RuntimeException e) {
            member.getLifecycleService().terminate();
            throw new GroupException("relay " + config.relay() + ": the group member stopped while it started", e);
        }
        directory.load();
        try {
            guard.joined();
        } catch (GroupException e) {
            directory.close();
            throw e;
        }
        return directory;
    }

    private void load() {
        sweep.soon();
        Future<?> loaded = thread.submit(() -> LOG.info("relay {}: directory of {} relays, {} members",
                relay, view.relays().size(), member.getCluster().getMembers().size()));
        try {
            loaded.get(LOAD_SECONDS_MAX, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("relay {}: the directory is still empty, loading goes on: {}", relay, Causes.text(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            close();
            throw new GroupException("relay " + relay + ": interrupted while it joined the group", e);
        }
        if (proof.isAsked()) {
            var renewing = thread.scheduleWithFixedDelay(this::renew, RENEW_SECONDS, RENEW_SECONDS, TimeUnit.SECONDS);
        }
        var unused = thread.scheduleWithFixedDelay(sweep, SWEEP_SECONDS, SWEEP_SECONDS, TimeUnit.SECONDS);
    }

    /** Of which names need a majority. */
    private final class MembersOfGroup implements NamesMajority.Group {
        /** The relays that are or may be alive, and those that are not. */
        @Override
        public NamesMajority.Roll roll() {
            Set<String> listed = new HashSet<>();
            Set<String> withdrawn = new HashSet<>();
            for (Posting posting : view.relayPostings()) {
                (posting.standing() == Posting.Standing.WITHDRAWN ? withdrawn : listed).add(posting.member());
            }
            withdrawn.removeAll(listed);
            return new NamesMajority.Roll(listed, withdrawn);
        }

        @Override
        public Collection<? extends Member> members() {
            return GroupMember.members(member);
        }

        @Override
        public int copies(String key) {
            return GroupMember.copies(member, key);
        }

        @Override
        public long listVersion() {
            return GroupMember.listVersion(member);
        }
    }

    @Override
    public NameService names() {
        return names;
    }

    @Override
    public void announce(RelayEntry entry) {
        Posting posting = Posting.of(entry, relay, System.currentTimeMillis());
        announced.merge(entry.relay(), posting, (held, next) -> next.version() < held.version() ? held : next);
        write(posting);
    }

    @Override
    public void withdraw(String withdrawn, long epoch) {
        announced.computeIfPresent(withdrawn, (id, held) -> held.version() <= epoch ? null : held);
        Posting known = view.get(Posting.relayKey(withdrawn));
        write(Posting.withdrawn(withdrawn, epoch, known, relay, System.currentTimeMillis()));
    }

    @Override
    public List<RelayEntry> relays() {
        return view.relays();
    }

    @Override
    public long epoch(String of) {
        return view.epoch(of);
    }

    @Override
    public void putRanks(Collection<RankEntry> ranks) {
        for (RankEntry rank : ranks) {
            write(Posting.of(rank, relay, System.currentTimeMillis()));
        }
    }

    @Override
    public void removeJob(long job) {
        long now = System.currentTimeMillis();
        List<String> keys = view.ranks(job).stream()
                .filter(rank -> !proof.isAsked() || rank.relay().equals(relay))
                .map(rank -> Posting.rankKey(job, rank.rank()))
                .toList();
        // With keys, a relay speaks only for its own ranks; each other relay marks the job as ended for its own.
        write(proof.isAsked() ? Posting.endedAt(relay, job, now) : Posting.ended(job, relay, now));
        writer.delete(keys);
    }

    @Override
    public List<RankEntry> ranks() {
        return view.ranks();
    }

    @Override
    public List<RankEntry> ranks(long job) {
        return view.ranks(job);
    }

    /** Hazelcast reads its member list again whenever it looks for other parts of the group. */
    @Override
    public void meet(String address) {
        TcpIpConfig list = lookedFor();
        if (!list.getMembers().contains(address)) {
            list.addMember(address);
            LOG.info("relay {}: looks for a member at {} too", relay, address);
        }
    }

    @Override
    public void miss(String address) {
        lookedFor().getMembers().remove(address);
    }

    private TcpIpConfig lookedFor() {
        return member.getConfig().getAdvancedNetworkConfig().getJoin().getTcpIpConfig();
    }

    private void write(Posting posting) {
        if (closed.get()) {
            LOG.warn("relay {}: directory is closed: {} at {} dropped", relay, posting.key(), posting.version());
            return;
        }
        view.write(posting).ifPresent(writer::post);
    }

    /** Writes one of our postings again with a later stamp, because the group holds a later one of the same version. */
    private void again(Posting late) {
        if (late.standing() != Posting.Standing.VANISHED && late.member().equals(relay) && !closed.get()) {
            write(late.again(System.currentTimeMillis()));
        }
    }

    /**
     * Signs again what was signed with a certificate that has been replaced, before that one expires. Disconnects
     * members whose certificate was revoked, or that say to be another relay than they have proven to be. Runs on the directory's thread.
     */
    private void renew() {
        guard.expel();
        identities.check();
        for (Posting posting : view.all()) {
            if (posting.member().equals(relay) && posting.standing() != Posting.Standing.VANISHED && proof.isOutdated(posting) && !closed.get()) {
                view.again(posting, System.currentTimeMillis()).ifPresent(writer::post);
            }
        }
    }

    /** Announces relays of this process again that others have called vanished. */
    private void revive() {
        for (Posting own : announced.values()) {
            Posting seen = view.get(own.key());
            boolean mistaken = seen != null && seen.version() == own.version()
                    && seen.standing() == Posting.Standing.VANISHED;
            if (mistaken && !closed.get()) {
                LOG.warn("relay {}: the group missed it, announced again", own.relay().relay());
                write(Posting.of(own.relay(), relay, System.currentTimeMillis()));
            }
        }
    }

    @Override
    public void ledBy(Supplier<Optional<String>> leader) {
        sweep.writesIf(() -> leader.get().map(relay::equals).orElse(true));
    }

    @Override
    public Map<GroupRefusal, Long> refusals() {
        return guard.refusals();
    }

    /** Requests an early sweep; for tests. */
    void sweep() {
        sweep.soon();
    }

    /** Checks the member's connections; for tests. */
    GroupGuard guard() {
        return guard;
    }

    /** The group member; for tests. */
    HazelcastInstance member() {
        return member;
    }

    /**
     * Withdraws this relay's announcements, writes what waits, hands the member's partitions to the others and leaves
     * the group. After about 20 s the member is terminated instead.
     */
    @Override
    public void close() {
        announced.values().forEach(posting -> withdraw(posting.relay().relay(), posting.version()));
        if (closed.compareAndSet(false, true)) {
            names.close();
            within(LAST_WRITES_SECONDS_MAX, "last writes", thread.submit(writer::flush));
            Future<?> left = thread.submit(() -> member.getLifecycleService().shutdown());
            within(LEAVE_SECONDS_MAX, "leaving the group", left);
            thread.shutdownNow();
            member.getLifecycleService().terminate();
        }
    }

    private void within(long secondsMax, String what, Future<?> task) {
        try {
            task.get(secondsMax, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("relay {}: {} not done in {} s, {} writes lost to the group", relay, what, secondsMax,
                    writer.waiting(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            LOG.warn("relay {}: interrupted in {}", relay, what);
        }
    }
}
