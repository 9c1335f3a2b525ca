package org.posthouse.core;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Wire;

/**
 * The channel memory of one rank (MPICH-CM): posted receives, unexpected messages and the next sequence number of every
 * channel. Confined to the relay core that owns the rank.
 *
 * <p>It guarantees MPI's non-overtaking rule (MPI-4.1, section 3.5). Of two messages in one channel that match a
 * receive, the earlier sent is received first. Of two receives that match a message, the earlier posted gets it.
 *
 * <p>Cost: the match of a receive that names its source, and of a message that meets a posted receive, takes constant
 * time. The messages of other sources that wait do not count. Among messages of one channel with other tags, and among
 * receives with other tags, the search is linear. A wildcard source with a wildcard tag is constant too, with a named
 * tag linear in the messages that arrived before it.
 */
public final class Mailbox {
    /** The result of a message's arrival. */
    public enum Arrival {
        /** Its sequence number is the expected one; it is stored, or matched if {@link Message#receive} is set. */
        ACCEPTED,
        /** A message of the same channel and sequence number was stored before: dropped, as promise P2 requires. */
        DUPLICATE,
        /** An earlier message of the channel is missing: never acknowledged past this gap. */
        GAP
    }

    /** Limit of receives and blocking probes that wait at once: at 48 bytes each, 12 MiB a rank. */
    static final int RECEIVES_MAX = 256 * 1024;

    /**
     * Limit of contexts ever used: two for each number that the library may have, and one number is for the ports. The
     * others are 8,192 of communicators and as many of parts of them that make one (ADR 6).
     */
    static final int CONTEXTS_MAX = 2 * (2 * 8_192 + 1);

    /**
     * Limit of places in all contexts. Each context has a place for every rank of the job: at 4 bytes, 256 MiB a rank
     * at most. Jobs of more than 2,047 ranks have fewer contexts for that reason.
     */
    static final int PLACES_MAX = 1 << 26;

    /** Limit of channels ever used: at 200 bytes each, 200 MiB a rank. */
    static final int CHANNELS_MAX = 1 << 20;

    private final int size;
    private final int contextsMax;
    private final Map<Integer, Context> contexts = new HashMap<>();
    private Context recent;

    /** Numbers of the communicators that were revoked. */
    private final BitSet revoked = new BitSet();

    /** The order number of the last posted receive or probe. */
    private long posts = Long.MIN_VALUE;

    private int channels;
    private int unexpected;
    private int posted;

    /** Makes the mailbox of a rank in a job of {@code size} ranks. */
    Mailbox(int size) {
        this.size = size;
        this.contextsMax = Math.min(CONTEXTS_MAX, PLACES_MAX / size);
    }

    /** One communicator's traffic to this rank. */
    private final class Context {
        private final int id;
        private final Channel[] channels = new Channel[size];
        private final MessageList arrived = new MessageList(MessageList.Order.ARRIVAL);
        private final ReceiveList anySource = new ReceiveList();
        private final ReceiveList anySourceProbes = new ReceiveList();
        private int probes;

        /** Null until the rank has first let the context run ahead. */
        private PushWindow pushWindow;

        private Context(int id) {
            this.id = id;
        }

        private Channel channel(int source) {
            Channel channel = channels[source];
            if (channel == null) {
                channel = new Channel();
                channels[source] = channel;
                Mailbox.this.channels++;
            }
            return channel;
        }
    }

    /** One ordered (context, source) stream to this rank. */
    private static final class Channel {
        private final MessageList unexpected = new MessageList(MessageList.Order.CHANNEL);
        private final ReceiveList posted = new ReceiveList();
        private final ReceiveList probes = new ReceiveList();
        private long sequence;
    }

    /** Whether the next message of this channel may have {@code sequence}; changes nothing. */
    Arrival check(int context, int source, long sequence) {
        long expected = lastSequence(context, source) + 1;
        if (sequence == expected) {
            return Arrival.ACCEPTED;
        }
        return sequence < expected ? Arrival.DUPLICATE : Arrival.GAP;
    }

    /** The last sequence number accepted in this channel; 0 if there was none. */
    long lastSequence(int context, int source) {
        Channel channel = known(context, source);
        return channel == null ? 0 : channel.sequence;
    }

    /**
     * Whether this context may have a message of this source, or a receive for it. A context or channel once used is
     * kept until the job ends.
     */
    boolean mayUse(int contextId, int source) {
        Context context = known(contextId);
        if (context == null) {
            return contexts.size() < contextsMax && channels < CHANNELS_MAX;
        }
        return source == Wire.ANY || context.channels[source] != null || channels < CHANNELS_MAX;
    }

    /** Says which limit is exhausted, for an error message. */
    String used() {
        return contexts.size() + " contexts and " + channels + " channels were used, " + contextsMax + " and " + CHANNELS_MAX + " are the most";
    }

    /** Visits each used channel from {@code source} with its last sequence number. */
    void forEachChannel(int source, SendState.ChannelVisitor visitor) {
        for (Context context : contexts.values()) {
            Channel channel = context.channels[source];
            if (channel != null && channel.sequence > 0) {
                visitor.channel(context.id, source, channel.sequence);
            }
        }
    }

    /** Visits each unmatched offer from {@code source}. */
    void forEachOffer(int source, Consumer<Message> visitor) {
        for (Context context : contexts.values()) {
            Channel channel = context.channels[source];
            for (Message message = channel == null ? null : channel.unexpected.first();
                    message != null;
                    message = message.next(MessageList.Order.CHANNEL)) {
                if (message.form() == FrameType.OFFER) {
                    visitor.accept(message);
                }
            }
        }
    }

    /** The waiting message that arrived first according to the log; null if none waits. */
    Message oldest() {
        Message oldest = null;
        for (Context context : contexts.values()) {
            Message first = context.arrived.firstWithTag(Wire.ANY);
            oldest = first == null || oldest != null && oldest.logPosition() < first.logPosition() ? oldest : first;
        }
        return oldest;
    }

    /** The earliest posted receive that matches an arriving message; null if there is none. Changes nothing. */
    Receive matchFor(int contextId, int source, int tag) {
        Context context = context(contextId);
        return earlier(context.channel(source).posted.firstFor(tag), context.anySource.firstFor(tag));
    }

    /**
     * Accepts a message that {@link #check} accepted, and matches or stores it.
     *
     * @param receive the result of {@link #matchFor}, or {@link Receive#PUSHED} if that is null and the context is open
     */
    void accept(Message message, Receive receive) {
        Context context = context(message.context());
        Channel channel = context.channel(message.source());
        assert receive == Receive.DISCARDED || isRevoked(context.id) || message.sequence() == channel.sequence + 1 : message + " after " + channel.sequence;
        channel.sequence = message.sequence();
        assert receive != null || !isOpen(context.id) : message + " waits in " + context.pushWindow;
        if (receive == Receive.DISCARDED) {
            message.match(receive);
            return;
        }
        if (receive == Receive.PUSHED) {
            assert isOpen(context.id) && context.arrived.first() == null : message + " is pushed in " + context.pushWindow;
            message.match(receive);
            return;
        }
        if (receive != null) {
            (receive.source() == Wire.ANY ? context.anySource : channel.posted).remove(receive);
            posted--;
            message.match(receive);
            return;
        }
        store(context, message);
    }

    /** Restores a channel from the log, which has a message with this number and none with a higher one. */
    void restore(int contextId, int source, long sequence) {
        context(contextId).channel(source).sequence = sequence;
    }

    /** Restores an unmatched message from the log; called in the order of arrival. */
    void restore(Message message) {
        store(context(message.context()), message);
    }

    private void store(Context context, Message message) {
        context.channel(message.source()).unexpected.append(message);
        context.arrived.append(message);
        unexpected++;
    }

    /**
     * Posts a receive. Removes and returns the message that it gets; null if the receive has to wait.
     *
     * @param nanos when it is posted. A receive that waits is ordered by this, or by the next free number.
     */
    Message post(Receive receive, long nanos) {
        Message message = find(receive.context(), receive.source(), receive.tag());
        if (message == null) {
            posts = Math.max(posts + 1, nanos);
            receive.order(posts);
            Context context = context(receive.context());
            (receive.source() == Wire.ANY ? context.anySource : context.channel(receive.source()).posted).append(receive);
            posted++;
            return null;
        }
        takeOut(context(receive.context()), message);
        message.match(receive);
        return message;
    }

    /** Removes the message that has waited longest in its context, in order to push it. */
    void push(Message message) {
        Context context = context(message.context());
        assert context.arrived.first() == message : message + " is pushed before " + context.arrived.first();
        takeOut(context, message);
        message.match(Receive.PUSHED);
    }

    /** Whether messages of this context are pushed. */
    boolean isOpen(int contextId) {
        PushWindow pushWindow = round(contextId);
        return pushWindow != null && pushWindow.isOpen();
    }

    /** The context's round; null if it never had one. */
    PushWindow round(int contextId) {
        Context context = known(contextId);
        return context == null ? null : context.pushWindow;
    }

    /** The context's round, which is created if there is none; null if the context was never used. */
    PushWindow begunRound(int contextId) {
        Context context = contexts.get(contextId);
        if (context != null && context.pushWindow == null) {
            context.pushWindow = new PushWindow(contextId, 0);
        }
        return context == null ? null : context.pushWindow;
    }

    /** Whether a blocking probe waits in this context. */
    boolean hasProbes(int contextId) {
        Context context = contexts.get(contextId);
        return context != null && context.probes > 0;
    }

    /** The message that a receive with this pattern would get now; null if there is none. The message stays. */
    Message find(int contextId, int source, int tag) {
        if (source == Wire.ANY) {
            Context context = known(contextId);
            return context == null ? null : context.arrived.firstWithTag(tag);
        }
        Channel channel = known(contextId, source);
        return channel == null ? null : channel.unexpected.firstWithTag(tag);
    }

    /** Cancels a posted receive; false if none has this source and number, since it was matched. */
    boolean cancel(int contextId, int source, int request) {
        Context context = contexts.get(contextId);
        if (context == null || source != Wire.ANY && context.channels[source] == null) {
            return false;
        }
        ReceiveList list = source == Wire.ANY ? context.anySource : context.channels[source].posted;
        Receive receive = list.numbered(request);
        if (receive == null) {
            return false;
        }
        list.remove(receive);
        posted--;
        return true;
    }

    /** Whether a receive that names {@code source} waits in this context. */
    boolean waitsFor(int contextId, int source) {
        Context context = contexts.get(contextId);
        Channel channel = context == null ? null : context.channels[source];
        return channel != null && !channel.posted.isEmpty();
    }

    /** Whether a receive waits that names one of these sources. */
    boolean waitsForAny(IntPredicate sources) {
        for (Context context : contexts.values()) {
            for (int source = 0; source < context.channels.length; source++) {
                Channel channel = context.channels[source];
                if (channel != null && !channel.posted.isEmpty() && sources.test(source)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** An offer that waits for a receive; null if it does not wait. */
    Message offer(int contextId, int source, long sequence) {
        Context context = contexts.get(contextId);
        Channel channel = context == null ? null : context.channels[source];
        Message message = channel == null ? null : channel.unexpected.numbered(sequence);
        return message == null || message.form() != FrameType.OFFER ? null : message;
    }

    /**
     * Removes an offer that waits for a receive. Null if it was matched, or if its sender was cleared before a match.
     */
    Message takeOffer(int contextId, int source, long sequence) {
        Message message = offer(contextId, source, sequence);
        if (message == null || message.clearedUpTo() != SuppressedSends.NOT_CLEARED) {
            return null;
        }
        takeOut(contexts.get(contextId), message);
        return message;
    }

    private void takeOut(Context context, Message message) {
        context.channel(message.source()).unexpected.remove(message);
        context.arrived.remove(message);
        unexpected--;
    }

    /** Lets a blocking probe wait for the first message that it matches and no receive takes. */
    void postProbe(Receive probe) {
        Context context = context(probe.context());
        probe.order(++posts);
        (probe.source() == Wire.ANY ? context.anySourceProbes : context.channel(probe.source()).probes).append(probe);
        context.probes++;
        posted++;
    }

    /** Removes and returns a waiting probe that an unexpected {@code message} answers; null if no more do. */
    Receive takeProbe(Message message) {
        Context context = context(message.context());
        Channel channel = context.channel(message.source());
        Receive probe = earlier(channel.probes.firstFor(message.tag()), context.anySourceProbes.firstFor(message.tag()));
        if (probe != null) {
            (probe.source() == Wire.ANY ? context.anySourceProbes : channel.probes).remove(probe);
            context.probes--;
            posted--;
        }
        return probe;
    }

    /** Removes and returns the waiting probes that name this source. */
    List<Receive> takeProbes(int source) {
        List<Receive> taken = new ArrayList<>();
        for (Context context : contexts.values()) {
            Channel channel = context.channels[source];
            for (Receive probe = channel == null ? null : channel.probes.takeFirst(); probe != null; probe = channel.probes.takeFirst()) {
                context.probes--;
                posted--;
                taken.add(probe);
            }
        }
        return taken;
    }

    /** Whether one more receive or probe may wait. */
    boolean mayPost() {
        return posted < RECEIVES_MAX;
    }

    /** Discards all receives, probes and push windows: they end with the incarnation that posted them. */
    void forgetReceives() {
        for (Context context : contexts.values()) {
            context.anySource.clear();
            context.anySourceProbes.clear();
            context.probes = 0;
            context.pushWindow = null;
            for (Channel channel : context.channels) {
                if (channel != null) {
                    channel.posted.clear();
                    channel.probes.clear();
                }
            }
        }
        posted = 0;
    }

    /** Visits each message that waits for a receive. */
    void forEachUnexpected(Consumer<Message> each) {
        for (Context context : contexts.values()) {
            for (Message message = context.arrived.first();
                    message != null;
                    message = message.next(MessageList.Order.ARRIVAL)) {
                each.accept(message);
            }
        }
    }

    /** Removes the waiting messages that {@code which} selects, and passes them to {@code end} in the order of arrival. */
    void remove(Predicate<Message> which, Consumer<Message> end) {
        List<Message> removed = new ArrayList<>();
        forEachUnexpected(message -> {
            if (which.test(message)) {
                removed.add(message);
            }
        });
        for (Message message : removed) {
            takeOut(context(message.context()), message);
            end.accept(message);
        }
    }

    /** Nothing more is received in this context or the next one, which belong to one communicator: what comes is dropped. */
    void revoke(int contextId) {
        revoked.set(contextId >> 1);
    }

    boolean isRevoked(int contextId) {
        return !revoked.isEmpty() && revoked.get(contextId >> 1);
    }

    /** Number of messages that wait for a receive. */
    public int unexpected() {
        return unexpected;
    }

    /** Number of receives and blocking probes that wait for a message. */
    public int posted() {
        return posted;
    }

    /** Removes all waiting messages and passes them to {@code end}. */
    void drain(Consumer<Message> end) {
        for (Context context : contexts.values()) {
            for (Message message = context.arrived.firstWithTag(Wire.ANY);
                    message != null;
                    message = context.arrived.firstWithTag(Wire.ANY)) {
                takeOut(context, message);
                end.accept(message);
            }
        }
    }

    private static Receive earlier(Receive a, Receive b) {
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        return a.order() < b.order() ? a : b;
    }

    /** The context if it was ever used, else null. */
    private Context known(int id) {
        return recent != null && recent.id == id ? recent : contexts.get(id);
    }

    private Channel known(int contextId, int source) {
        Context context = known(contextId);
        return context == null ? null : context.channels[source];
    }

    private Context context(int id) {
        if (recent == null || recent.id != id) {
            recent = contexts.computeIfAbsent(id, Context::new);
        }
        return recent;
    }
}
