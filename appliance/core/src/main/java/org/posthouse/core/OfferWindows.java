package org.posthouse.core;

import java.util.LinkedHashSet;
import java.util.Set;
import org.posthouse.wire.Wire;

/**
 * Limits how many bytes of matched offers may be under way. Each message has one window. One that comes over a link may
 * have more, since a CLEAR reaches its sender only a round trip later. Each sender may have one window under way here
 * in all. What it has beyond that is lent, and is paid back as payload arrives. The total lent has a limit. Past it a
 * sender is cleared for one message after the other, and senders take turns.
 *
 * <p>So S senders never have more under way than S windows and the limit of loans, however many receives are posted. A
 * sender that is slow or has gone keeps no other sender's window. A sender waits only while bytes of its own are under
 * way; their arrival clears more. Confined to the relay core.
 */
final class OfferWindows {
    private final CoreConfig config;
    private final long lentMax;

    /** Senders with waiting clears, in the order of their turns. */
    private final Set<OfferingSender> waiting = new LinkedHashSet<>();

    private long lent;
    private long underWay;

    /** @param shards how many cores of the relay share its limit */
    OfferWindows(CoreConfig config, int shards) {
        this.config = config;
        this.lentMax = config.lentBytesTotal() / shards;
    }

    /**
     * The offset up to which a message may be sent now.
     *
     * @param far whether it comes over a link
     */
    long bound(Message message, OfferingSender from, boolean far) {
        long window = window(message);
        if (!far || !waiting.isEmpty()) {
            return window;
        }
        long needed = Math.max(window - message.granted(), 0);
        long extra = Math.min(Math.max(own(from) + free() - needed, 0), config.lentBytes());
        return Math.min(message.bytes(), window + extra - extra % Wire.PAYLOAD_BYTES_MAX);
    }

    /** The offset up to which a message may be sent that waited for room: one window from its present offset. */
    long boundNow(Message message) {
        return Math.max(message.granted(), window(message));
    }

    private long window(Message message) {
        return Math.min(message.bytes(), message.arrived() + config.windowBytes());
    }

    /** Whether half of a message's granted bytes are here, and there are more of it. */
    boolean wantsMore(Message message) {
        return message.granted() < message.bytes() && message.granted() - message.arrived() <= message.span() / 2;
    }

    /**
     * Whether there is room for the payload that a clear would bring. If not, or if other clears wait, this clear waits
     * too.
     */
    boolean admits(OfferingSender.Word word) {
        long more = more(word);
        long own = own(word.from());
        return word.from().words().isEmpty() && more <= own || waiting.isEmpty() && more <= own + free();
    }

    /**
     * Lets a clear wait until there is room. More than a window is granted only if there is room at once, so that a
     * sender with nothing under way never waits. The exception is a message that is begun again whole, which needs no
     * clear.
     */
    void await(OfferingSender.Word word) {
        assert more(word) <= config.windowBytes() || word.message().granted() == word.message().bytes() : word;
        word.message().wordWaits(true);
        word.from().words().add(word);
        waiting.add(word.from());
    }

    /**
     * The next clear that may be sent: to a sender that has room again, or from loans to the sender whose turn it is.
     * Null if there is none.
     */
    OfferingSender.Word next(OfferingSender from) {
        OfferingSender.Word word = from.words().peek();
        if (word != null && more(word) <= own(from)) {
            return take(from);
        }
        if (waiting.isEmpty()) {
            return null;
        }
        OfferingSender first = waiting.iterator().next();
        return more(first.words().element()) <= own(first) + free() ? take(first) : null;
    }

    private OfferingSender.Word take(OfferingSender from) {
        waiting.remove(from);
        OfferingSender.Word word = from.words().remove();
        if (!from.words().isEmpty()) {
            waiting.add(from);
        }
        return word;
    }

    /** The message's sender is cleared. */
    void told(OfferingSender.Word word) {
        long before = word.message().underWay();
        word.message().tell(word.message().granted());
        count(word.from(), word.message().underWay() - before);
    }

    /** So many of its cleared bytes have arrived. */
    void arrived(OfferingSender from, long bytes) {
        count(from, -bytes);
    }

    /** Bytes of the message that are still under way do not count any more. */
    void giveBack(OfferingSender from, Message message) {
        count(from, -message.underWay());
    }

    /** The job ends. */
    void forget(Job job) {
        waiting.removeIf(sender -> sender.job() == job);
    }

    private void count(OfferingSender from, long bytes) {
        lent -= beyondWindow(from);
        from.add(bytes);
        underWay += bytes;
        lent += beyondWindow(from);
    }

    private long beyondWindow(OfferingSender from) {
        return Math.max(from.underWay() - config.windowBytes(), 0);
    }

    /** Bytes that follow when the clear is sent and that count. */
    private long more(OfferingSender.Word word) {
        Message message = word.message();
        return message.isExempt() ? 0 : (message.wordWaits() ? boundNow(message) : message.granted()) - message.arrived() - message.underWay();
    }

    private long own(OfferingSender from) {
        return Math.max(config.windowBytes() - from.underWay(), 0);
    }

    private long free() {
        return Math.max(lentMax - lent, 0);
    }

    /** Bytes that senders have under way beyond their windows. */
    long lent() {
        return lent;
    }

    /** Number of senders that wait for a clear. */
    int waiting() {
        return waiting.size();
    }

    /** Bytes that all senders were cleared to send and that have not arrived. */
    long underWay() {
        return underWay;
    }
}
