package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.posthouse.mpj.ScriptedRelay.view;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.MessageChecksum;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Wire;

/**
 * What a relay, and those behind it, have of the messages that rank 0 has sent: as little as it can be. It checks that nothing is
 * missing and nothing is said twice without need. Messages to rank {@link #FAR} may get lost with the relay until they are safe.
 */
final class RecordedSends {
    static final int FAR = 2;

    private record Channel(int context, int peer) {}

    private record Transfer(int context, int peer, long sequence) {
        Channel channel() {
            return new Channel(context, peer);
        }
    }

    /** A message, all there or in part. */
    private static final class Message {
        private final ByteBuffer head;
        private final byte[] bytes;
        private final boolean offered;
        private int arrived;
        private boolean matched;

        /** Whether the rank has said on its present connection that it goes on with it, and so may hear of it. */
        private boolean known = true;

        /** Whether the rank was told that it is not all there, which may have changed since. */
        private boolean toldOpen;

        /** For the number of each frame that had a part of it: where that ended. */
        private final TreeMap<Long, Integer> parts = new TreeMap<>();

        Message(ByteBuffer head, long number) {
            this.head = head;
            offered = view(head).type() == FrameType.OFFER;
            bytes = new byte[(int) view(head).messageBytes()];
            if (view(head).type() == FrameType.SEND) {
                head.get(Wire.MESSAGE_HEADER_BYTES, bytes);
                arrived = bytes.length;
            }
            parts.put(number, arrived);
        }

        private boolean isWhole() {
            return arrived == bytes.length && (matched || !offered);
        }

        private int checksum() {
            MessageChecksum checksum = new MessageChecksum();
            for (int at = 0; at < bytes.length; at += Wire.PAYLOAD_BYTES_MAX) {
                int count = Math.min(Wire.PAYLOAD_BYTES_MAX, bytes.length - at);
                checksum.add(MessageChecksum.piece(ByteBuffer.wrap(bytes, at, count)));
            }
            return checksum.value();
        }
    }

    private final Map<Transfer, Message> messages = new LinkedHashMap<>();
    private final Map<Channel, Long> accepted = new LinkedHashMap<>();
    private final Set<Transfer> gone = new LinkedHashSet<>();

    /** Channels of which this relay does not know what those behind it have. */
    private final Set<Channel> forgotten = new HashSet<>();

    /** Up to which frame nothing can get lost: what the rank was told, and what has had an answer. */
    private long safe;

    private static Transfer transfer(FrameView view) {
        return new Transfer(view.context(), view.destination(), view.sequence());
    }

    private boolean isForgotten(Transfer transfer) {
        return forgotten.contains(transfer.channel());
    }

    // ---- a connection begins

    /** The rank says anew what it goes on with. */
    void connected() {
        messages.values().forEach(message -> message.known = false);
        forgotten.clear();
    }

    /** The rank says that an offer was taken back. */
    void requireGone(StatePage.Entry entry) {
        assertThat(gone).contains(new Transfer(entry.context(), entry.peer(), entry.a()));
    }

    /** What the relay tells the rank. */
    List<StatePage.Entry> state() {
        List<StatePage.Entry> state = new ArrayList<>();
        accepted.forEach((channel, last) -> {
            if (!forgotten.contains(channel)) {
                state.add(new StatePage.Entry(StatePage.ACCEPTED, channel.context, channel.peer, last));
            }
        });
        messages.forEach((open, message) -> {
            message.toldOpen = !message.isWhole();
            if (!message.isWhole() && !isForgotten(open)) {
                int form = view(message.head).type().id();
                state.add(new StatePage.Entry(StatePage.OPEN, open.context, open.peer, form, open.sequence, message.arrived));
            }
        });
        for (Transfer taken : gone) {
            if (!isForgotten(taken)) {
                state.add(new StatePage.Entry(StatePage.GONE, taken.context, taken.peer, taken.sequence));
            }
        }
        return state;
    }

    /** The rank goes on with a message. What the relay answers to that, or null. */
    ByteBuffer goesOn(StatePage.Entry entry) {
        Transfer transfer = new Transfer(entry.context(), entry.peer(), entry.a());
        if (gone.contains(transfer)) {
            return null;
        }
        Message message = messages.get(transfer);
        assertThat(message).as("the message that goes on: %s", transfer).isNotNull();
        assertThat(entry.b()).isEqualTo(message.bytes.length);
        assertThat(entry.aux() * Wire.PAYLOAD_BYTES_MAX).isLessThanOrEqualTo(message.arrived);
        message.known = true;
        return message.offered && message.matched ? clear(message) : null;
    }

    /** Loses all that is not safe, at this relay and on its way to the next. How many messages took credit. */
    int lose() {
        int credit = 0;
        for (Map.Entry<Transfer, Message> entry : List.copyOf(messages.entrySet())) {
            Message message = entry.getValue();
            if (entry.getKey().peer != FAR) {
                continue;
            }
            forgotten.add(entry.getKey().channel());
            Map.Entry<Long, Integer> part = message.parts.floorEntry(safe);
            if (part == null) {
                messages.remove(entry.getKey());
                credit += message.offered ? 0 : 1;
            } else {
                message.arrived = part.getValue();
                message.parts.tailMap(safe, false).clear();
            }
        }
        accepted.replaceAll((channel, last) -> channel.peer == FAR ? last(channel) : last);
        return credit;
    }

    private long last(Channel channel) {
        Set<Transfer> known = new HashSet<>(messages.keySet());
        known.addAll(gone);
        return known.stream()
                .filter(transfer -> transfer.channel().equals(channel))
                .mapToLong(Transfer::sequence)
                .max()
                .orElse(0);
    }

    /** The rank was told that so many frames are safe. */
    void safe(long number) {
        safe = Math.max(safe, number);
    }

    /** All that is not there is under way again. */
    void checkKnown() {
        messages.forEach((transfer, message) -> assertThat(message.known || message.isWhole())
                .as("the rank goes on with %s", transfer)
                .isTrue());
    }

    // ---- what the rank says

    /** A first frame. Whether it takes credit. */
    boolean begin(ByteBuffer frame, long number) {
        FrameView view = view(frame);
        Transfer transfer = transfer(view);
        boolean again = (view.flags() & FrameView.AGAIN) != 0;
        long last = accepted.getOrDefault(transfer.channel(), 0L);
        boolean credit = view.type() != FrameType.OFFER;
        if (gone.contains(transfer)) {
            assertThat(again && isForgotten(transfer)).as("what was taken back is said for good reason").isTrue();
            return false;
        }
        Message before = messages.get(transfer);
        if (before == null) {
            assertThat(view.sequence()).as("the next of %s", transfer.channel()).isEqualTo(last + 1);
            accepted.put(transfer.channel(), view.sequence());
            messages.put(transfer, new Message(frame, number));
            return credit;
        }
        assertThat(again).as("a message that is there is begun again").isTrue();
        assertThat(before.toldOpen || isForgotten(transfer)).as("what the rank knows to be there is not said again").isTrue();
        before.known = true;
        assertThat(view(before.head).type()).as("it is begun again in its form").isSameAs(view.type());
        if (view.type() == FrameType.SEND) {
            compare(frame, Wire.MESSAGE_HEADER_BYTES, before, 0);
        }
        return credit && isForgotten(transfer);
    }

    /** What is answered to that; null if nothing. */
    ByteBuffer answer(FrameView head) {
        Message message = messages.get(transfer(head));
        return message != null && message.offered && message.matched ? clear(message) : null;
    }

    void chunk(ByteBuffer frame, FrameView view, long number) {
        Message message = messages.get(transfer(view));
        int count = view.length() - Wire.CHUNK_HEADER_BYTES;
        int at = (int) view.offset();
        assertThat(message).as("chunk of a message").isNotNull();
        assertThat(at).as("where a chunk of %s begins", transfer(view)).isLessThanOrEqualTo(message.arrived);
        if (at < message.arrived) {
            compare(frame, Wire.CHUNK_HEADER_BYTES, message, at);
            return;
        }
        frame.get(Wire.CHUNK_HEADER_BYTES, message.bytes, at, count);
        message.arrived += count;
        message.parts.put(number, message.arrived);
    }

    private static void compare(ByteBuffer frame, int headerBytes, Message message, int at) {
        ByteBuffer there = ByteBuffer.wrap(message.bytes, at, frame.limit() - headerBytes);
        assertThat(frame.slice(headerBytes, frame.limit() - headerBytes)).as("bytes that are said again").isEqualTo(there);
    }

    void resent(FrameView view) {
        Transfer transfer = transfer(view);
        assertThat(gone).doesNotContain(transfer);
        assertThat(messages.get(transfer).isWhole()).isTrue();
        assertThat(view.checksum()).as("checksum of %s", transfer).isEqualTo(messages.get(transfer).checksum());
    }

    /** Whether a message is gone with this. */
    boolean withdraw(FrameView view) {
        Transfer transfer = transfer(view);
        Message message = messages.get(transfer);
        if (message != null && !message.matched) {
            answered(message);
            messages.remove(transfer);
            gone.add(transfer);
        }
        return gone.contains(transfer);
    }

    // ---- what happens by itself

    /** Offers that nobody has received. */
    List<Runnable> unmatched(java.util.function.Consumer<ByteBuffer> answer) {
        List<Runnable> all = new ArrayList<>();
        for (Message message : messages.values()) {
            if (message.offered && !message.matched) {
                all.add(() -> match(message, answer));
            }
        }
        return all;
    }

    private void match(Message message, java.util.function.Consumer<ByteBuffer> answer) {
        message.matched = true;
        if (message.known) {
            answer.accept(clear(message));
        }
    }

    private ByteBuffer clear(Message message) {
        answered(message);
        return ScriptedRelay.clear(message.head, message.bytes.length);
    }

    /** Whoever answers has had all that came before. */
    private void answered(Message message) {
        safe(message.parts.firstKey());
    }
}
