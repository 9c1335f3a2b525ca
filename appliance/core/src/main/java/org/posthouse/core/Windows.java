package org.posthouse.core;

import java.util.LinkedHashSet;
import java.util.Set;
import org.posthouse.wire.Wire;

/**
 * How much of offered messages may be under way after they were matched. One window of each; of one that comes over a link more, since it takes the
 * link's round trip until its sender hears that it may go on. Each sender may have one window under way here in all; what it has beyond that is lent,
 * and comes back as payload comes. All that is lent has a limit: past it a sender hears of one message after the other, and senders in turns.
 *
 * <p>So S senders never have more under way than S windows and what may be lent, however many receives are posted, and a sender that is slow, or has
 * gone, keeps nobody else's window. A sender waits only while something of its own is under way, whose coming lets it go on. Confined to the relay core.
 */
final class Windows {
    private final CoreConfig config;
    private final long lentMax;

    /** Senders with words that wait, in the order of their turns. */
    private final Set<Sender> waiting = new LinkedHashSet<>();

    private long lent;
    private long underWay;

    /** @param shards how many cores of the relay share its limit */
    Windows(CoreConfig config, int shards) {
        this.config = config;
        this.lentMax = config.lentBytesTotal() / shards;
    }

    /** Up to where a message may be sent now. @param far whether it comes over a link */
    long bound(Message message, Sender from, boolean far) {
        long window = window(message);
        if (!far || !waiting.isEmpty()) {
            return window;
        }
        long needed = Math.max(window - message.granted(), 0);
        long extra = Math.min(Math.max(own(from) + free() - needed, 0), config.lentBytes());
        return Math.min(message.bytes(), window + extra - extra % Wire.PAYLOAD_BYTES_MAX);
    }

    /** Up to where a message may be sent that was granted some when nobody had room for it: a window from where it is now. */
    long boundNow(Message message) {
        return Math.max(message.granted(), window(message));
    }

    private long window(Message message) {
        return Math.min(message.bytes(), message.arrived() + config.windowBytes());
    }

    /** Whether half of what a message had been allowed is here, and there is more of it. */
    boolean wantsMore(Message message) {
        return message.granted() < message.bytes() && message.granted() - message.arrived() <= message.span() / 2;
    }

    /** Whether there is room for what comes if the message's sender is told to go on; if not, or others wait for theirs, the word is to wait. */
    boolean admits(Sender.Word word) {
        long more = more(word);
        long own = own(word.from());
        return word.from().words().isEmpty() && more <= own || waiting.isEmpty() && more <= own + free();
    }

    /**
     * What does not find room is said when there is. More than a window is granted only where it finds room at once, so that a sender with nothing
     * under way never waits; but for a message that is begun again whole, which needs no word.
     */
    void await(Sender.Word word) {
        assert more(word) <= config.windowBytes() || word.message().granted() == word.message().bytes() : word;
        word.message().wordWaits(true);
        word.from().words().add(word);
        waiting.add(word.from());
    }

    /** What may be said now: to a sender that has room again, or out of what is lent to the one whose turn it is. Null if there is nothing. */
    Sender.Word next(Sender from) {
        Sender.Word word = from.words().peek();
        if (word != null && more(word) <= own(from)) {
            return take(from);
        }
        if (waiting.isEmpty()) {
            return null;
        }
        Sender first = waiting.iterator().next();
        return more(first.words().element()) <= own(first) + free() ? take(first) : null;
    }

    private Sender.Word take(Sender from) {
        waiting.remove(from);
        Sender.Word word = from.words().remove();
        if (!from.words().isEmpty()) {
            waiting.add(from);
        }
        return word;
    }

    /** The message's sender is told to go on. */
    void told(Sender.Word word) {
        long before = word.message().underWay();
        word.message().tell(word.message().granted());
        count(word.from(), word.message().underWay() - before);
    }

    /** So much of what it was told to send has come. */
    void arrived(Sender from, long bytes) {
        count(from, -bytes);
    }

    /** The job ends, and what is still to come of the message is not wanted any more. */
    void giveBack(Sender from, Message message) {
        count(from, -message.underWay());
    }

    /** The job ends. */
    void forget(Job job) {
        waiting.removeIf(sender -> sender.job() == job);
    }

    private void count(Sender from, long bytes) {
        lent -= beyondWindow(from);
        from.add(bytes);
        underWay += bytes;
        lent += beyondWindow(from);
    }

    private long beyondWindow(Sender from) {
        return Math.max(from.underWay() - config.windowBytes(), 0);
    }

    /** How much more comes when it is said. */
    private long more(Sender.Word word) {
        Message message = word.message();
        return (message.wordWaits() ? boundNow(message) : message.granted()) - message.arrived() - message.underWay();
    }

    private long own(Sender from) {
        return Math.max(config.windowBytes() - from.underWay(), 0);
    }

    private long free() {
        return Math.max(lentMax - lent, 0);
    }

    /** What senders have beyond their windows. */
    long lent() {
        return lent;
    }

    /** How many senders wait for a word. */
    int waiting() {
        return waiting.size();
    }

    /** What all senders were told to send, and is not here. */
    long underWay() {
        return underWay;
    }
}
