package org.posthouse.mpj;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Wire;

/**
 * What a rank has said on connections that have broken, and what becomes of it on the next (docs/wire.md, coming again). For one
 * greeting: first it tells of the messages that will go on, then it judges each frame that was kept. Guarded by the endpoint's lock.
 */
final class ResendFilter implements ResendBuffer.Judge {
    private record Transfer(int context, int destination, long sequence) {}

    /** A message in chunks of which not all is safe: what may be said of it again. */
    private static final class Part {
        private boolean begins;
        private long from;
        private long bytes;
    }

    private final DeliveredPrefix deliveredPrefix;
    private final Map<Transfer, Part> parts = new LinkedHashMap<>();
    private long costBytes;
    private int costMessages;

    /** @param accepted what the relay has, once it has greeted the rank */
    ResendFilter(DeliveredPrefix deliveredPrefix, ResendBuffer resendBuffer) {
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
                // It is whole, or no message.
            }
        }
    }

    private Part part(FrameView frame) {
        return parts.computeIfAbsent(
                new Transfer(frame.context(), frame.destination(), frame.sequence()), first -> new Part());
    }

    /** An offer of so many bytes is under way, of which so many were sent. */
    void goesOn(int context, int destination, long sequence, long sent, long bytes) {
        Part part = parts.computeIfAbsent(new Transfer(context, destination, sequence), none -> {
            Part unsaid = new Part();
            unsaid.from = sent;
            return unsaid;
        });
        part.bytes = bytes;
    }

    /** The messages that go on without being begun again. */
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

    /** What the messages take of the credit that are begun again, and were not known. */
    long costBytes() {
        return costBytes;
    }

    int costMessages() {
        return costMessages;
    }
}
