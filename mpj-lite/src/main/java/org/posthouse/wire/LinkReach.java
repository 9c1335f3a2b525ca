package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The relays to which a relay would forward its neighbour's lanes, and the relays between. Each frame replaces the one
 * before.
 *
 * @param entries the relays, each once
 */
public record LinkReach(List<Entry> entries) {
    private static final int ENTRY_BYTES = 16;

    /**
     * One reachable relay.
     *
     * @param relay its id
     * @param roundTripMicros round trip from the sender to it, over all links on the way
     * @param load unacknowledged bytes of the most loaded of these links
     * @param via the relays between the two, in order; empty if they are linked directly
     */
    public record Entry(String relay, int roundTripMicros, long load, List<String> via) {
        public Entry {
            via = List.copyOf(via);
        }

        private int bytes() {
            int bytes = ENTRY_BYTES + FrameWriter.nameBytes(relay);
            for (String name : via) {
                bytes += FrameWriter.nameBytes(name);
            }
            return bytes;
        }
    }

    public LinkReach {
        entries = List.copyOf(entries);
    }

    /** The first of {@code entries}, as many as fit one frame. */
    public static LinkReach fitting(List<Entry> entries) {
        int bytes = FrameType.LINK_REACH.bytesMin();
        int fitting = 0;
        while (fitting < entries.size() && bytes + entries.get(fitting).bytes() <= Wire.FRAME_BYTES_MAX) {
            bytes += entries.get(fitting++).bytes();
        }
        return new LinkReach(entries.subList(0, fitting));
    }

    public ByteBuffer encode() {
        int bytes = FrameType.LINK_REACH.bytesMin();
        for (Entry entry : entries) {
            bytes += entry.bytes();
        }
        FrameWriter out = new FrameWriter(FrameType.LINK_REACH, 0, bytes).u16(entries.size()).u16(0);
        for (Entry entry : entries) {
            out.name(entry.relay).i32(entry.roundTripMicros).i64(entry.load).u16(entry.via.size()).u16(0);
            entry.via.forEach(out::name);
        }
        return out.finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is missing
     */
    public static LinkReach decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        int count = in.u16("relays");
        in.zero16();
        in.expect(count, ENTRY_BYTES + 2, "relays");
        List<Entry> entries = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            entries.add(entry(in));
        }
        in.end();
        return new LinkReach(entries);
    }

    private static Entry entry(FrameReader in) throws WireException {
        String relay = in.text("relay");
        int roundTripMicros = in.i32("round trip");
        long load = in.i64("load");
        int hops = in.u16("relays between");
        in.zero16();
        in.expect(hops, 2, "relays between");
        List<String> via = new ArrayList<>(hops);
        for (int i = 0; i < hops; i++) {
            via.add(in.text("relay between"));
        }
        return new Entry(relay, roundTripMicros, load, via);
    }
}
