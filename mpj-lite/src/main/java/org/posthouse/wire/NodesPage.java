package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A page of a relay's list of agents (docs/wire.md, NODES).
 *
 * @param left pages that follow this one, at most {@link #PAGES_MAX} - 1
 * @param offers the agents, each with its last offer
 */
public record NodesPage(int left, List<AgentOffer> offers) {
    /** Most pages of an answer: one agent on each, at the limit of 4,096 agents a relay. */
    public static final int PAGES_MAX = 4_096;

    private static final int HEADER_BYTES = Wire.HEADER_BYTES + 2 * Integer.BYTES;

    public NodesPage {
        offers = List.copyOf(offers);
    }

    /** The frame by which a launcher asks for the list. */
    public static ByteBuffer ask() {
        return new FrameWriter(FrameType.NODES, 0, Wire.HEADER_BYTES).finish();
    }

    /** Whether this frame asks for the list. */
    public static boolean isAsk(ByteBuffer frame) {
        return frame.remaining() == Wire.HEADER_BYTES;
    }

    /** The answer, as frames to write one after the other: at least one. */
    public static List<ByteBuffer> encode(List<AgentOffer> offers) {
        List<List<AgentOffer>> pages = new ArrayList<>();
        List<AgentOffer> page = new ArrayList<>();
        int bytes = HEADER_BYTES;
        for (AgentOffer offer : offers) {
            if (bytes + offer.bytes() > Wire.FRAME_BYTES_MAX) {
                pages.add(page);
                page = new ArrayList<>();
                bytes = HEADER_BYTES;
            }
            page.add(offer);
            bytes += offer.bytes();
        }
        pages.add(page);
        List<ByteBuffer> frames = new ArrayList<>(pages.size());
        for (int at = 0; at < pages.size(); at++) {
            frames.add(new NodesPage(pages.size() - 1 - at, pages.get(at)).encode());
        }
        return frames;
    }

    public ByteBuffer encode() {
        int bytes = HEADER_BYTES;
        for (AgentOffer offer : offers) {
            bytes += offer.bytes();
        }
        FrameWriter out = new FrameWriter(FrameType.NODES, 0, bytes).i32(left).i32(offers.size());
        offers.forEach(offer -> offer.write(out));
        return out.finish();
    }

    /**
     * Reads an answer whose header was checked.
     *
     * @throws WireException if a field is missing or out of range
     */
    public static NodesPage decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        int left = in.i32("pages left", 0, PAGES_MAX - 1);
        int count = in.count(FrameType.AGENT_OFFER.bytesMin() - Wire.HEADER_BYTES, "agents");
        List<AgentOffer> offers = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            offers.add(AgentOffer.read(in));
        }
        in.end();
        return new NodesPage(left, offers);
    }
}
