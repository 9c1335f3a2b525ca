package org.posthouse.directory;

import java.nio.channels.ServerSocketChannel;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of a relay whose group is reached over its own links: it joins when the relay is there, and leaves before the links go.
 *
 * <p>Thread-safe. Until {@link #join} it knows what this relay has said itself, and then says what is left of that to the group. The member's port
 * listens from the beginning and is handed to the member: another relay of this host would take it as soon as the two are linked.
 */
public final class LateDirectory implements Directory {
    private static final Logger LOG = LoggerFactory.getLogger(LateDirectory.class);

    private static final long AGAIN_SECONDS = 30;

    private final GroupConfig config;
    private final BiFunction<GroupConfig, ServerSocketChannel, HazelcastDirectory> start;
    private final long againMs;
    private final MemoryDirectory before = new MemoryDirectory();
    private final CountDownLatch leaving = new CountDownLatch(1);

    /** That of the member that is to be started, or was. Guarded by this. */
    private ServerSocketChannel port;

    /** Whom to look for besides those of the configuration. Guarded by this. */
    private final Set<String> met = new LinkedHashSet<>();

    /** Written under this object's lock, read by any thread. */
    private volatile Directory current = before;

    private boolean left;

    /** @throws GroupException if the group's port is taken: nothing of the relay needs to be started then */
    public LateDirectory(GroupConfig config) {
        this(config, HazelcastDirectory::start, TimeUnit.SECONDS.toMillis(AGAIN_SECONDS));
    }

    /** @param start what makes a member of a port that listens. @param againMs how long after one that could not start the next one is started */
    LateDirectory(GroupConfig config, BiFunction<GroupConfig, ServerSocketChannel, HazelcastDirectory> start, long againMs) {
        this.config = config;
        this.start = start;
        this.againMs = againMs;
        this.port = GroupMember.hold(config);
    }

    /**
     * Joins the group. Blocks for seconds, and longer if the member cannot start: the relay has jobs already, and they need no group. A directory that is closed meanwhile does not
     * wait for it: the member is ended here, by whoever started it.
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

    /** A member that could not start has closed its port. */
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

    /** @return false if it is too late for a group */
    private synchronized boolean take(HazelcastDirectory group) {
        if (left) {
            return false;
        }
        met.forEach(group::meet);
        before.tell(group);
        current = group;
        return true;
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

    /** Whoever writes meanwhile does not wait: a relay's loop carries what the member says to the others while it leaves. */
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
        last.close();
        GroupMember.release(held, config);
    }
}
