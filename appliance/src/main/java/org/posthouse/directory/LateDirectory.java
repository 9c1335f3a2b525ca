package org.posthouse.directory;

import java.nio.channels.ServerSocketChannel;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.posthouse.directory.names.LateNames;
import org.posthouse.names.NameService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of a relay whose group is reached over its own links. It joins the group when the relay serves, and
 * leaves before the links close. Thread-safe.
 *
 * <p>Until {@link #join} it holds this relay's own entries only; afterwards it writes those that remain to the group.
 * It binds the member's port from the beginning and passes it to the member. Otherwise another relay of this host could
 * take the port as soon as the two are linked.
 */
public final class LateDirectory implements Directory {
    private static final Logger LOG = LoggerFactory.getLogger(LateDirectory.class);

    private static final long AGAIN_SECONDS = 30;

    private final GroupConfig config;
    private final BiFunction<GroupConfig, ServerSocketChannel, HazelcastDirectory> start;
    private final long againMs;
    private final MemoryDirectory before = new MemoryDirectory();
    private final LateNames names;
    private final CountDownLatch leaving = new CountDownLatch(1);

    /** The port of the member that is to be started, or was. Guarded by this. */
    private ServerSocketChannel port;

    /** Addresses of members to look for, beside those of the configuration. Guarded by this. */
    private final Set<String> met = new LinkedHashSet<>();

    /** Written under this object's lock, read by any thread. */
    private volatile Directory current = before;

    private boolean left;

    /** Who leads the grid. Guarded by this. */
    private Supplier<Optional<String>> leader = Optional::empty;

    /** @throws GroupException if the group's port is in use; the relay then need not be started */
    public LateDirectory(GroupConfig config) {
        this(config, HazelcastDirectory::start, TimeUnit.SECONDS.toMillis(AGAIN_SECONDS));
    }

    /**
     * @param start starts a member on a bound port
     * @param againMs milliseconds between a failed start of the member and the next
     */
    LateDirectory(GroupConfig config, BiFunction<GroupConfig, ServerSocketChannel, HazelcastDirectory> start, long againMs) {
        this.config = config;
        this.start = start;
        this.againMs = againMs;
        this.port = GroupMember.hold(config);
        this.names = new LateNames(config.relay());
    }

    /**
     * Joins the group. Blocks for seconds, and for longer if the member cannot start: the relay already has jobs, and
     * they do not need the group. {@link #close} does not wait for a join; the joining thread then shuts the member
     * down.
     *
     * @throws GroupException with one line, if this is closed, or the thread interrupted, before there is a member
     */
    public void join() {
        HazelcastDirectory group = member();
        if (!take(group)) {
            group.close();
            throw ended();
        }
    }

    private HazelcastDirectory member() {
        while (true) {
            try {
                return start.apply(config, held());
            } catch (GroupException e) {
                awaitNext(e);
            }
        }
    }

    /** The bound port; bound again after a failed start, which closes it. */
    private synchronized ServerSocketChannel held() {
        if (left) {
            throw ended();
        }
        if (!port.isOpen()) {
            port = GroupMember.hold(config);
        }
        return port;
    }

    private void awaitNext(GroupException failed) {
        try {
            if (leaving.getCount() > 0) {
                LOG.warn("{}; the relay serves without its group, and tries again every {} s", failed.getMessage(), TimeUnit.MILLISECONDS.toSeconds(againMs));
            }
            if (leaving.await(againMs, TimeUnit.MILLISECONDS)) {
                throw failed;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed;
        }
    }

    private GroupException ended() {
        return new GroupException("relay " + config.relay() + ": ended while its group member started at " + config.host() + ":" + config.port());
    }

    /**
     * Uses the group from now on.
     *
     * @return false if this directory has been closed
     */
    private synchronized boolean take(HazelcastDirectory group) {
        if (left) {
            return false;
        }
        met.forEach(group::meet);
        before.tell(group);
        group.ledBy(leader);
        names.join(group.names());
        current = group;
        return true;
    }

    @Override
    public NameService names() {
        return names;
    }

    @Override
    public void announce(RelayEntry entry) {
        say(directory -> directory.announce(entry));
    }

    @Override
    public void withdraw(String relay, long epoch) {
        say(directory -> directory.withdraw(relay, epoch));
    }

    @Override
    public void putRanks(Collection<RankEntry> ranks) {
        say(directory -> directory.putRanks(ranks));
    }

    @Override
    public void removeJob(long job) {
        say(directory -> directory.removeJob(job));
    }

    private synchronized void say(Consumer<Directory> word) {
        if (left) {
            LOG.info("relay {}: it has left the group, nothing is written there any more", config.relay());
            return;
        }
        word.accept(current);
    }

    @Override
    public synchronized void ledBy(Supplier<Optional<String>> leads) {
        leader = leads;
        current.ledBy(leads);
    }

    @Override
    public synchronized void meet(String member) {
        met.add(member);
        if (!left) {
            current.meet(member);
        }
    }

    @Override
    public synchronized void miss(String member) {
        met.remove(member);
        if (!left) {
            current.miss(member);
        }
    }

    @Override
    public List<RelayEntry> relays() {
        return current.relays();
    }

    @Override
    public long epoch(String relay) {
        return current.epoch(relay);
    }

    @Override
    public List<RankEntry> ranks() {
        return current.ranks();
    }

    @Override
    public List<RankEntry> ranks(long job) {
        return current.ranks(job);
    }

    @Override
    public Map<GroupRefusal, Long> refusals() {
        return current.refusals();
    }

    @Override
    public void part() {
        close();
    }

    /**
     * Writers do not wait meanwhile: while the member leaves, a loop of the relay carries its traffic to the other
     * members.
     */
    @Override
    public void close() {
        Directory last;
        ServerSocketChannel held;
        synchronized (this) {
            if (left) {
                return;
            }
            left = true;
            last = current;
            held = port;
        }
        leaving.countDown();
        names.close();
        last.close();
        GroupMember.release(held, config);
    }
}
