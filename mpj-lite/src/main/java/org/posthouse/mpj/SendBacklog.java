package org.posthouse.mpj;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Sends that have not begun, since the relay has as many unmatched offers of this rank as it is given at once: each channel's in the order of their calls, with no number yet. They
 * take this rank's memory, as the program's buffers do. Guarded by the endpoint's lock.
 *
 * <p>A channel of which the relay has no offer may always have one there, as long as there are fewer than {@link #OFFERS_MAX}: so no channel waits for what becomes of another one.
 */
final class SendBacklog {
    /** Offers of one rank that its relay has at once, of any channels: half of what it takes (docs/wire.md, credit). */
    static final int OFFERS_SHARED = 32 * 1024;

    /** The same, with one for each channel that has none else. The relay may count some that this rank does not, behind a restart: it takes as many again. */
    static final int OFFERS_MAX = 48 * 1024;

    private record Channel(int context, int destination) {}

    private final Map<Channel, ArrayDeque<OfferedSend>> channels = new LinkedHashMap<>();

    /** How many unmatched offers of each channel the relay has; none of those that have none. */
    private final Map<Channel, int[]> offersOf = new HashMap<>();

    private int offers;

    /** Whether a send may be able to begin that was not when it was looked last. */
    private boolean due;

    boolean isEmpty() {
        return channels.isEmpty();
    }

    /** Whether sends of this channel wait, so that a further one is behind them. */
    boolean holds(int context, int destination) {
        return !channels.isEmpty() && channels.containsKey(new Channel(context, destination));
    }

    /** Whether the relay may be given another offer of this channel. */
    boolean mayOffer(int context, int destination) {
        return offers < OFFERS_SHARED || offers < OFFERS_MAX && !offersOf.containsKey(new Channel(context, destination));
    }

    /** The relay is given an offer. */
    void offered(OfferedSend offeredSend) {
        offeredSend.isUncleared = true;
        offers++;
        offersOf.computeIfAbsent(channel(offeredSend), none -> new int[1])[0]++;
    }

    /** It was matched, may go on, or was taken back; does nothing if that is known. */
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

    /** There is credit again, so that what waits may need no offer. */
    void credit() {
        due = true;
    }

    /** It waits, behind those of its channel. */
    void add(OfferedSend offeredSend) {
        offeredSend.isWaiting = true;
        channels.computeIfAbsent(channel(offeredSend), none -> new ArrayDeque<>()).add(offeredSend);
    }

    /** The next one that may begin, which waits no more; null if none may. @param mayBegin asked for the first of a channel */
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

    /** Takes it out; false if it does not wait here. */
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

    /** Takes out all of a context, and ends them with an error: none of them has begun. */
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

    /** Another number if one has begun meanwhile. */
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
