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

    private final Map<Channel, ArrayDeque<Sending>> channels = new LinkedHashMap<>();

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
    void offered(Sending sending) {
        sending.isUncleared = true;
        offers++;
        offersOf.computeIfAbsent(channel(sending), none -> new int[1])[0]++;
    }

    /** It was matched, may go on, or was taken back; does nothing if that is known. */
    void cleared(Sending sending) {
        if (!sending.isUncleared) {
            return;
        }
        sending.isUncleared = false;
        offers--;
        Channel channel = channel(sending);
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
    void add(Sending sending) {
        sending.isWaiting = true;
        channels.computeIfAbsent(channel(sending), none -> new ArrayDeque<>()).add(sending);
    }

    /** The next one that may begin, which waits no more; null if none may. @param mayBegin asked for the first of a channel */
    Sending next(Predicate<Sending> mayBegin) {
        if (!due) {
            return null;
        }
        for (Iterator<ArrayDeque<Sending>> each = channels.values().iterator(); each.hasNext();) {
            ArrayDeque<Sending> waiting = each.next();
            if (mayBegin.test(waiting.peek())) {
                Sending next = waiting.poll();
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
    boolean remove(Sending sending) {
        if (!sending.isWaiting) {
            return false;
        }
        sending.isWaiting = false;
        ArrayDeque<Sending> waiting = channels.get(channel(sending));
        if (waiting.peekLast() == sending) {
            waiting.removeLast();
        } else {
            waiting.remove(sending);
        }
        if (waiting.isEmpty()) {
            channels.remove(channel(sending));
        }
        return true;
    }

    /** Takes out all of a context, and ends them with an error: none of them has begun. */
    void abandon(int context, ReceiveException why) {
        channels.entrySet().removeIf(each -> {
            if (each.getKey().context == context) {
                each.getValue().forEach(sending -> {
                    sending.isWaiting = false;
                    sending.abandon(why);
                });
            }
            return each.getKey().context == context;
        });
    }

    /** Another number if one has begun meanwhile. */
    long trace() {
        long trace = 0;
        for (ArrayDeque<Sending> waiting : channels.values()) {
            trace += waiting.size();
        }
        return trace;
    }

    private static Channel channel(Sending sending) {
        return new Channel(sending.context, sending.destination);
    }
}
