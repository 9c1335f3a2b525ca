package org.posthouse.mpj.send;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.posthouse.mpj.operation.OfferedSend;
import org.posthouse.mpj.operation.ReceiveException;

/**
 * Sends that have not begun, because the relay has the most unmatched offers of this rank that it may get, or the most
 * unconfirmed messages of a follower. They are kept by channel in call order, with no number yet, except those that a
 * follower had claimed before it led. They use this rank's memory, as the program's buffers do. Guarded by the
 * endpoint's lock.
 *
 * <p>A channel without an offer at the relay may always have one there, as long as fewer than {@link #OFFERS_MAX}
 * exist. So no channel waits for another one.
 */
public final class SendBacklog {
    /**
     * Most offers of one rank at its relay, over all channels: half of what the relay accepts (docs/wire.md, credit).
     */
    public static final int OFFERS_SHARED = 32 * 1024;

    /**
     * The same limit for channels that have no other offer. The relay may count some that this rank does not, after a
     * restart: it accepts as many again.
     */
    static final int OFFERS_MAX = 48 * 1024;

    private record Channel(int context, int destination) {}

    private final Map<Channel, ArrayDeque<OfferedSend>> channels = new LinkedHashMap<>();

    /** Number of unmatched offers that the relay has of each channel; channels without any are absent. */
    private final Map<Channel, int[]> offersOf = new HashMap<>();

    private int offers;

    /** Whether a send may be able to begin that was not at the last look. */
    private boolean due;

    boolean isEmpty() {
        return channels.isEmpty();
    }

    /** Whether sends of this channel wait, so that a further one queues behind them. */
    boolean holds(int context, int destination) {
        return !channels.isEmpty() && channels.containsKey(new Channel(context, destination));
    }

    /** Whether the relay may be given another offer of this channel. */
    boolean mayOffer(int context, int destination) {
        return offers < OFFERS_SHARED || offers < OFFERS_MAX && !offersOf.containsKey(new Channel(context, destination));
    }

    /** Counts an offer given to the relay. */
    void offered(OfferedSend offeredSend) {
        offeredSend.isUncleared = true;
        offers++;
        offersOf.computeIfAbsent(channel(offeredSend), none -> new int[1])[0]++;
    }

    /** Discounts an offer that was matched, may continue, or was cancelled. A repeat does nothing. */
    void cleared(OfferedSend offeredSend) {
        if (!offeredSend.isUncleared) {
            return;
        }
        offeredSend.isUncleared = false;
        offers--;
        Channel channel = channel(offeredSend);
        int[] count = offersOf.get(channel);
        if (--count[0] == 0) {
            offersOf.remove(channel);
        }
        due |= count[0] == 0 || offers < OFFERS_SHARED;
    }

    /** Notes new credit: waiting sends may need no offer. */
    void credit() {
        due = true;
    }

    /** Adds a send behind those of its channel. */
    void add(OfferedSend offeredSend) {
        offeredSend.isWaiting = true;
        channels.computeIfAbsent(channel(offeredSend), none -> new ArrayDeque<>()).add(offeredSend);
    }

    /** Adds a send before those of its channel. It may be able to begin. */
    void addFirst(OfferedSend offeredSend) {
        offeredSend.isWaiting = true;
        channels.computeIfAbsent(channel(offeredSend), none -> new ArrayDeque<>()).addFirst(offeredSend);
        due = true;
    }

    /**
     * Removes and returns the next send that may begin; null if none may.
     *
     * @param mayBegin asked for the first of a channel
     */
    OfferedSend next(Predicate<OfferedSend> mayBegin) {
        if (!due) {
            return null;
        }
        for (Iterator<ArrayDeque<OfferedSend>> each = channels.values().iterator(); each.hasNext();) {
            ArrayDeque<OfferedSend> waiting = each.next();
            if (mayBegin.test(waiting.peek())) {
                OfferedSend next = waiting.poll();
                next.isWaiting = false;
                if (waiting.isEmpty()) {
                    each.remove();
                }
                return next;
            }
        }
        due = false;
        return null;
    }

    /** Removes a send; false if it does not wait here. */
    boolean remove(OfferedSend offeredSend) {
        if (!offeredSend.isWaiting) {
            return false;
        }
        offeredSend.isWaiting = false;
        ArrayDeque<OfferedSend> waiting = channels.get(channel(offeredSend));
        if (waiting.peekLast() == offeredSend) {
            waiting.removeLast();
        } else {
            waiting.remove(offeredSend);
        }
        if (waiting.isEmpty()) {
            channels.remove(channel(offeredSend));
        }
        return true;
    }

    /** Removes all sends of a context, and ends them with an error: none of them has begun. */
    void abandon(int context, ReceiveException why) {
        channels.entrySet().removeIf(each -> {
            if (each.getKey().context == context) {
                each.getValue().forEach(offeredSend -> {
                    offeredSend.isWaiting = false;
                    offeredSend.abandon(why);
                });
            }
            return each.getKey().context == context;
        });
    }

    /** Removes the sends that {@code which} selects, and ends them with an error: none of them has begun. */
    void fail(Predicate<OfferedSend> which, ReceiveException why) {
        List<OfferedSend> all = new ArrayList<>();
        for (ArrayDeque<OfferedSend> waiting : channels.values()) {
            all.addAll(waiting);
        }
        for (OfferedSend offeredSend : all) {
            if (which.test(offeredSend)) {
                remove(offeredSend);
                offeredSend.abandon(why);
            }
        }
    }

    /** Visits all sends, those of a channel in their order. */
    void forEach(Consumer<OfferedSend> visitor) {
        channels.values().forEach(waiting -> waiting.forEach(visitor));
    }

    /** A value that changes when a send begins. */
    long trace() {
        long trace = 0;
        for (ArrayDeque<OfferedSend> waiting : channels.values()) {
            trace += waiting.size();
        }
        return trace;
    }

    private static Channel channel(OfferedSend offeredSend) {
        return new Channel(offeredSend.context, offeredSend.destination);
    }
}
