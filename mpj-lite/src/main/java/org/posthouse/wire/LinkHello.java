package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * The first frame in each direction of a link's connection. Both ends send it; the dialling end first.
 *
 * @param site the sender's site, checked against its certificate
 * @param relay the sender's relay id: SITE or SITE/NAME
 * @param expected the relay id that the sender wants to reach; empty if it was dialled
 * @param epoch number of the sending relay's start: a newer one has forgotten the link's frames
 * @param peerEpoch the epoch that the sender last saw at the other end; 0 if never
 * @param lane number of the link's connection: 0 begins a session, the others join one
 * @param session the count of the dialling end's sessions with the other; the dialled end repeats it
 * @param heads heads received from the other end in that epoch: the resume point; with lane 0 only, like the next
 * @param bulk frames of bulk received in that epoch without a gap
 * @param unpacks whether the sender accepts LINK_PACKED
 * @param anew whether the sender has no state of the link: no frame has come or gone, as far as it knows
 */
public record LinkHello(
        String site, String relay, String expected, long epoch, long peerEpoch, int lane, long session, long heads, long bulk,
        boolean unpacks, boolean anew) {
    /** Features are in the upper byte of the word that has the lane. Unknown features are ignored. */
    private static final int LANE_MASK = 0xff;

    private static final int UNPACKS = 0x100;

    private static final int ANEW = 0x200;

    public ByteBuffer encode() {
        return new FrameWriter(FrameType.LINK_HELLO, 0)
                .i32(Wire.MAGIC)
                .u16(Wire.VERSION)
                .u16(lane | (unpacks ? UNPACKS : 0) | (anew ? ANEW : 0))
                .i64(epoch)
                .i64(peerEpoch)
                .i64(heads)
                .i64(bulk)
                .i64(session)
                .name(site)
                .name(relay)
                .name(expected)
                .finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if it is not a LINK_HELLO of version 2
     */
    public static LinkHello decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        Hello.checkVersion(in);
        int laneAndFeatures = in.u16("lane");
        long epoch = in.i64("epoch");
        long peerEpoch = in.i64("peer epoch");
        long heads = in.i64("received heads");
        long bulk = in.i64("received bulk");
        long session = in.i64("session");
        String site = in.text("site");
        String relay = in.text("relay");
        String expected = in.text("expected relay");
        in.end();
        int lane = laneAndFeatures & LANE_MASK;
        boolean unpacks = (laneAndFeatures & UNPACKS) != 0;
        boolean anew = (laneAndFeatures & ANEW) != 0;
        return new LinkHello(site, relay, expected, epoch, peerEpoch, lane, session, heads, bulk, unpacks, anew);
    }
}
