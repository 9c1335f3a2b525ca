package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.posthouse.status.LinkStatus;
import org.posthouse.tunnel.window.LinkFrame;
import org.posthouse.tunnel.window.LinkWindow;
import org.posthouse.tunnel.window.PackedRun;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/**
 * Packs the bulk that a link sends, while that pays. Confined to its link; the relay's {@link PackingWorker} does the
 * work.
 */
final class LinkPacker {
    private final Links links;
    private final LinkSender emission;
    private final LinkWindow window;
    private final PackingRule rule;
    private boolean peerUnpacks;
    private long bytesBefore;
    private long bytesAfter;
    private long samples;

    LinkPacker(Links links, LinkSender emission, LinkWindow window) {
        this.links = links;
        this.emission = emission;
        this.window = window;
        this.rule = new PackingRule(links.compression());
    }

    /**
     * Begins a session.
     *
     * @param unpacks whether the other end accepts packed frames
     */
    void begin(boolean unpacks) {
        peerUnpacks = unpacks;
        window.packs(isOn());
    }

    boolean isOn() {
        return peerUnpacks && rule.isOn();
    }

    /** Passes bulk that may be packed ahead to the worker. */
    void takeAhead() {
        if (!isOn()) {
            return;
        }
        for (PackedRun run = window.takeRun(); run != null; run = window.takeRun()) {
            pack(run);
        }
    }

    private void pack(PackedRun run) {
        List<ByteBuf> kept = new ArrayList<>();
        List<ByteBuffer> bytes = new ArrayList<>();
        for (LinkFrame frame : run.frames()) {
            kept.add(frame.bytes().retain());
            bytes.add(frame.bytes().nioBuffer());
        }
        links.packing().pack(new FrameView().wrap(bytes.getFirst(), 0).job(), bytes, packed -> {
            kept.forEach(ByteBuf::release);
            window.packed(run, packed.frame());
            if (run.bytes() <= Wire.PACKED_BYTES_MAX) {
                learn(packed);
            }
            emission.writeWaiting();
        });
    }

    /** Called before a frame, with the frames packed with it, is written to its connection. */
    void onWriting(LinkFrame frame) {
        PackedRun run = frame.run();
        if (run != null) {
            bytesBefore += run.bytes();
            bytesAfter += run.packedBytes();
        } else if (frame.isBulk() && peerUnpacks && !rule.isOn() && rule.wantsSample(window.rate())) {
            sample(frame.bytes().retain());
        }
    }

    private void sample(ByteBuf frame) {
        links.packing().measure(frame.nioBuffer(frame.readerIndex(), Math.min(frame.readableBytes(), Wire.PACKED_BYTES_MAX)), packed -> {
            frame.release();
            samples++;
            learn(packed);
        });
    }

    private void learn(PackingWorker.Packed packed) {
        rule.measured(packed.before(), packed.after(), packed.nanos());
        rule.decide(window.rate(), System.nanoTime());
        window.packs(isOn());
    }

    LinkStatus.Packing status() {
        return new LinkStatus.Packing(isOn(), bytesBefore, bytesAfter, samples);
    }
}
