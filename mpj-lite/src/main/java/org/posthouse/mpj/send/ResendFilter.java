package org.posthouse.mpj.send;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.mpj.progress.ResendBuffer;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Wire;

/**
 * Decides which frames of broken connections are sent again on the next (docs/wire.md, coming again). For one greeting:
 * first it lists the messages that continue, then it judges each kept frame. Guarded by the endpoint's lock.
 */
public final class ResendFilter implements ResendBuffer.Judge {
    private record Transfer(int context, int destination, long sequence) {}

    /** A message in chunks, not all stable: the parts that may be sent again. */
    private static final class Part {
        private boolean begins;
        private long from;
        private long bytes;
    }

    private final DeliveredPrefix deliveredPrefix;
    private final Map<Transfer, Part> parts = new LinkedHashMap<>();
    private long costBytes;
    private int costMessages;

    /** @param deliveredPrefix what the relay has, once it has greeted the rank */
    public ResendFilter(DeliveredPrefix deliveredPrefix, ResendBuffer resendBuffer) {
        this.deliveredPrefix = deliveredPrefix;
        resendBuffer.forEachOld(this::collect);
    }

    private void collect(FrameView frame) {
        switch (frame.type()) {
            case EAGER, OFFER -> part(frame).begins = true;
            case CHUNK -> {
                Part part = part(frame);
                part.from = part.bytes == 0 ? frame.offset() : part.from;
                part.bytes = frame.offset() + frame.length() - Wire.CHUNK_HEADER_BYTES;
            }
            default -> {
                // The frame is a whole message, or none.
            }
        }
    }

    private Part part(FrameView frame) {
        return parts.computeIfAbsent(
                new Transfer(frame.context(), frame.destination(), frame.sequence()), first -> new Part());
    }

    /** Registers an offer that is under way, with its length and the bytes sent. */
    void goesOn(int context, int destination, long sequence, long sent, long bytes) {
        Part part = parts.computeIfAbsent(new Transfer(context, destination, sequence), none -> {
            Part unsaid = new Part();
            unsaid.from = sent;
            return unsaid;
        });
        part.bytes = bytes;
    }

    /** The messages that continue without a new start. */
    List<StatePage.Entry> goingOn() {
        List<StatePage.Entry> entries = new ArrayList<>();
        parts.forEach((message, part) -> {
            if (!part.begins) {
                int chunks = (int) (part.from / Wire.PAYLOAD_BYTES_MAX);
                entries.add(new StatePage.Entry(
                        StatePage.OFFERED, message.context, message.destination, chunks, message.sequence, part.bytes));
            }
        });
        return entries;
    }

    @Override
    public ResendBuffer.Fate judge(FrameView frame) {
        if (frame.type() == FrameType.EVENTS) {
            return ResendBuffer.Fate.WRITTEN;
        }
        return switch (deliveredPrefix.known(frame.context(), frame.destination(), frame.sequence())) {
            case GONE -> ResendBuffer.Fate.FORGOTTEN;
            case RESENT -> ResendBuffer.Fate.KEPT;
            case EAGER_AGAIN, OFFER_AGAIN -> again(frame, false);
            case NEW, AGAIN -> again(frame, true);
        };
    }

    private ResendBuffer.Fate again(FrameView frame, boolean takesCredit) {
        if (frame.type() != FrameType.CHUNK) {
            frame.flags(frame.flags() | FrameView.AGAIN);
            if (takesCredit && frame.type() != FrameType.OFFER) {
                costBytes += Wire.cost(frame.messageBytes());
                costMessages++;
            }
        }
        return ResendBuffer.Fate.WRITTEN;
    }

    /** The credit cost of messages that start again and were unknown to the relay. */
    long costBytes() {
        return costBytes;
    }

    int costMessages() {
        return costMessages;
    }
}
