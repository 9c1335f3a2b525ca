package org.posthouse.launch.reserve;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import org.posthouse.wire.AgentMessage.Refusal;
import org.posthouse.wire.AgentMessage.Reserve;
import org.posthouse.wire.AgentMessage.Reserved;
import org.posthouse.wire.Token;

/**
 * The slots of an agent, and the jobs that hold them. Confined to the agent's thread. Times are those of a monotonic
 * clock in nanoseconds; they may wrap.
 *
 * <p>At most J jobs have slots, each at most P, all together at most the limit of the node ({@link SlotLimits}). A job
 * proves itself by its key: the first RESERVE sets it, and every later message must show it. Slots that are reserved
 * and not confirmed are free again after their time. Each operation may be repeated and changes nothing the second time.
 */
public final class SlotLedger {
    private static final long NS_PER_MS = 1_000_000;

    private final SlotLimits limits;

    /** Users that may reserve; empty: all. */
    private final Set<String> users;

    /** Name of the only job that may reserve; empty: all may. */
    private final String name;

    private final Map<Long, Holding> holdings = new HashMap<>();

    private boolean isDraining;

    /** The slots of one job: {@code confirmed <= held <= P}, {@code 0 < held}. */
    private static final class Holding {
        private final Token key;

        /** Of the last RESERVE. A RESERVE of the same number is a repetition. */
        private int want;

        private int held;
        private int confirmed;

        /** When the slots beyond the confirmed ones are free again; meaningless if there are none. */
        private long expiresNs;

        Holding(Token key) {
            this.key = key;
        }

        boolean isExpired(long nowNs) {
            return held > confirmed && nowNs - expiresNs >= 0;
        }

        void keep(int slots) {
            confirmed = slots;
            held = slots;
            want = slots;
        }
    }

    /** @param users that may reserve slots; empty: all */
    public SlotLedger(SlotLimits limits, Set<String> users) {
        this(limits, users, "");
    }

    /**
     * @param users that may reserve slots; empty: all
     * @param name of the only job that may, by which agents join it; empty: all may
     */
    public SlotLedger(SlotLimits limits, Set<String> users, String name) {
        this.limits = limits;
        this.users = Set.copyOf(users);
        this.name = name;
    }

    /**
     * Holds slots for a job: as many as are asked for, or as there are. A RESERVE of another number asks for so many in all;
     * the job never gets fewer than it has. The answer to a repetition is the same.
     */
    public Reserved reserve(long job, Reserve message, long nowNs) {
        expire(nowNs);
        Holding holding = holdings.get(job);
        if (holding == null && holdings.values().stream().anyMatch(other -> other.key.matches(message.key()))) {
            return refused(Refusal.NOT_ALLOWED, "the key is another job's");
        }
        if (holding != null && !holding.key.matches(message.key())) {
            return refused(Refusal.NOT_ALLOWED, "the job has another key");
        }
        if (!users.isEmpty() && !users.contains(message.user())) {
            return refused(Refusal.NOT_ALLOWED, "the node's owner does not allow user " + message.user());
        }
        if (!name.isEmpty() && !name.equals(message.name())) {
            return refused(Refusal.NOT_ALLOWED, "the node has joined job " + name);
        }
        int held = holding == null ? 0 : holding.held;
        if (holding != null && (message.want() == holding.want || message.want() <= held)) {
            return granted(held, message.want());
        }
        if (isDraining) {
            return new Reserved(held, Refusal.DRAINING, "");
        }
        if (holding == null && holdings.size() >= limits.jobs()) {
            return refused(Refusal.FULL, "jobs: " + holdings.size() + " of " + limits.jobs());
        }
        int more = Math.min(Math.min(message.want(), limits.slotsPerJob()) - held, limits.slotsInAll() - held());
        if (more > 0) {
            Holding grown = holdings.computeIfAbsent(job, key -> new Holding(message.key()));
            grown.want = message.want();
            grown.held += more;
            grown.expiresNs = nowNs + message.ttlMs() * NS_PER_MS;
        }
        return granted(held + Math.max(0, more), message.want());
    }

    private Reserved granted(int slots, int want) {
        return slots >= want
                ? new Reserved(slots, Refusal.NONE, "")
                : new Reserved(slots, Refusal.FULL, "slots: " + held() + " of " + limits.slotsInAll() + ", at most " + limits.slotsPerJob() + " a job");
    }

    private static Reserved refused(Refusal reason, String detail) {
        return new Reserved(0, reason, detail);
    }

    /**
     * Makes slots the job's until it releases them, and frees its others.
     *
     * @param slots that the job keeps; 0: none
     * @return the number of slots that the job has now; fewer than {@code slots} if their time was over or the key is wrong
     */
    public int confirm(long job, Token key, int slots, long nowNs) {
        expire(nowNs);
        if (!isKeyOf(job, key)) {
            return 0;
        }
        Holding holding = holdings.get(job);
        holding.keep(Math.min(slots, holding.held));
        if (holding.held == 0) {
            holdings.remove(job);
        }
        return holding.held;
    }

    /**
     * Frees all slots of the job.
     *
     * @return whether it had any, and the key is the job's
     */
    public boolean release(long job, Token key) {
        return isKeyOf(job, key) && holdings.remove(job) != null;
    }

    /**
     * Frees the slots whose time is over.
     *
     * @return whether there were any
     */
    public boolean expire(long nowNs) {
        boolean isAny = false;
        for (Iterator<Holding> all = holdings.values().iterator(); all.hasNext();) {
            Holding holding = all.next();
            if (holding.isExpired(nowNs)) {
                isAny = true;
                holding.keep(holding.confirmed);
                if (holding.held == 0) {
                    all.remove();
                }
            }
        }
        return isAny;
    }

    /** Nanoseconds until {@link #expire} frees slots, 0 if they are due; {@code Long.MAX_VALUE} if none are unconfirmed. */
    public long untilExpiryNs(long nowNs) {
        return holdings.values().stream()
                .filter(holding -> holding.held > holding.confirmed)
                .mapToLong(holding -> Math.max(0, holding.expiresNs - nowNs))
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** Whether the job has slots here, and this is its key. */
    public boolean isKeyOf(long job, Token key) {
        Holding holding = holdings.get(job);
        return holding != null && holding.key.matches(key);
    }

    /** Takes no new job, and gives no job more slots; or does so again. */
    public void drain(boolean on) {
        isDraining = on;
    }

    public boolean isDraining() {
        return isDraining;
    }

    /** Slots that a new job would get: 0 if the node is draining or has J jobs. */
    public int free() {
        return isDraining || holdings.size() >= limits.jobs() ? 0 : Math.min(limits.slotsPerJob(), limits.slotsInAll() - held());
    }

    /** Slots of the job, confirmed or not. */
    public int slotsOf(long job) {
        Holding holding = holdings.get(job);
        return holding == null ? 0 : holding.held;
    }

    /** Confirmed slots of the job. */
    public int confirmedOf(long job) {
        Holding holding = holdings.get(job);
        return holding == null ? 0 : holding.confirmed;
    }

    /** Slots of all jobs, confirmed or not. */
    public int held() {
        return holdings.values().stream().mapToInt(holding -> holding.held).sum();
    }

    /** Number of jobs that have slots. */
    public int jobs() {
        return holdings.size();
    }

    public SlotLimits limits() {
        return limits;
    }
}
