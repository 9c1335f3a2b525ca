package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import org.posthouse.tunnel.window.FairShare;
import org.posthouse.tunnel.window.LinkReceiver;
import org.posthouse.tunnel.window.LinkWindow;
import org.posthouse.tunnel.window.RetainedFrame;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * Unpacks packed frames of a link on the relay's {@link PackingWorker}. It delivers them like unpacked ones, because
 * their numbers give them their places. Frames in unpacking at the end of the session are dropped, because they will be
 * sent again. Confined to its link.
 */
final class LinkUnpacker {
    private final Links links;
    private final Link link;
    private final FairShare room;
    private final String site;
    private final FrameView view = new FrameView();
    private long session;

    /**
     * @param room limits, for all links, the unpacked bytes that wait for the worker and those held back by
     *         {@link LinkReceiver}, with {@link LinkWindow#FRAME_OVERHEAD_BYTES} for each frame
     *
     * @param site the peer's
     */
    LinkUnpacker(Links links, Link link, FairShare room, String site) {
        this.links = links;
        this.link = link;
        this.room = room;
        this.site = site;
    }

    /**
     * Handles a LINK_PACKED.
     *
     * @throws WireException if it is invalid; nothing was allocated for it
     */
    void onPacked(ByteBuf buffer, int index, int length, FrameView header) throws WireException {
        Claim claim = Claim.of(header);
        if (!links.unpacks()) {
            throw new WireException(CloseReason.NOT_EXPECTED, FrameType.LINK_PACKED + ", and this relay has said that it unpacks nothing");
        }
        hold(claim.cost());
        ByteBuf packed = RetainedFrame.rightSized(buffer.retainedSlice(index + Wire.PACKED_HEADER_BYTES, length - Wire.PACKED_HEADER_BYTES));
        ByteBuf plain = packed.alloc().directBuffer(claim.bytes, claim.bytes);
        long begun = session;
        links.packing().unpack(packed.nioBuffer(), plain.nioBuffer(0, claim.bytes), failure -> {
            packed.release();
            room.giveBack(site, claim.cost());
            try {
                if (begun == session) {
                    hand(claim, plain.writerIndex(claim.bytes), failure);
                    links.listener().onReadEnd();
                }
            } finally {
                plain.release();
            }
        });
    }

    private void hold(long cost) throws WireException {
        if (!room.tryTake(site, cost)) {
            throw new WireException(CloseReason.LIMIT,
                    room.of(site) + " bytes of site " + site + " wait to be unpacked or for their turn, and " + FairShare.RULE);
        }
    }

    private void hand(Claim claim, ByteBuf plain, WireException failure) {
        try {
            if (failure != null) {
                throw failure;
            }
            handEach(claim, plain);
        } catch (WireException e) {
            link.refuse(e);
        }
    }

    private void handEach(Claim claim, ByteBuf plain) throws WireException {
        ByteBuffer bytes = plain.nioBuffer(0, claim.bytes);
        long begun = session;
        int at = 0;
        for (int i = 0; i < claim.frames && begun == session; i++) {
            int left = claim.bytes - at;
            int length = view.wrap(bytes, at).checkHeader(left);
            if (length == 0 || length > left || !LinkConnection.CARRIED.contains(view.type()) || view.job() != claim.job) {
                throw new WireException(CloseReason.MALFORMED_FRAME,
                        "LINK_PACKED of job " + Long.toHexString(claim.job) + " whose frame " + i + " is none of it");
            }
            link.reception().onBulk(claim.number + i, claim.after, plain, at, length, view);
            at += length;
        }
        if (begun == session && at < claim.bytes) {
            throw new WireException(CloseReason.MALFORMED_FRAME, "LINK_PACKED of " + claim.bytes + " bytes, its frames are " + at);
        }
    }

    /** Called when all lanes are lost, or the link ends. */
    void endSession() {
        session++;
    }

    /** The content that a LINK_PACKED claims. */
    private record Claim(long job, long number, long after, int bytes, int frames) {
        static Claim of(FrameView header) throws WireException {
            Claim claim = new Claim(header.job(), header.linkWord(0), header.linkWord(1), header.packedBytes(), header.packedFrames());
            boolean possible = claim.number >= 0
                    && claim.after >= 0
                    && claim.bytes <= Wire.PACKED_BYTES_MAX
                    && claim.frames > 0
                    && claim.frames <= claim.bytes / Wire.HEADER_BYTES;
            if (!possible) {
                throw new WireException(
                        CloseReason.MALFORMED_FRAME,
                        "LINK_PACKED of " + claim.frames + " frames from " + claim.number + " after " + claim.after + ", together " + claim.bytes
                                + " bytes, expected at most " + Wire.PACKED_BYTES_MAX);
            }
            return claim;
        }

        long cost() {
            return bytes + (long) LinkWindow.FRAME_OVERHEAD_BYTES;
        }
    }
}
