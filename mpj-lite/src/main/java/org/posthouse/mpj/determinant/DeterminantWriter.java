package org.posthouse.mpj.determinant;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.progress.RelayConnection;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/**
 * The connection to the relay for frames that follow from the rank's observations. The observations are written before
 * the frame, with the same flush, so that no effect is ever known without its cause. Guarded by the endpoint's lock.
 */
public final class DeterminantWriter {
    /** Writes frames right behind LIVE. */
    public interface Behind {
        void say() throws IOException;
    }

    private final RelayConnection line;
    private final DeterminantLog determinantLog;
    private final long job;
    private Behind behindLive;

    /** Writes to this connection what this log has not reported. */
    public DeterminantWriter(RelayConnection line, DeterminantLog determinantLog, long job) {
        this.line = line;
        this.determinantLog = determinantLog;
        this.job = job;
    }

    /** Sets what is written behind LIVE. Called once, before any frame is sent. */
    public void behindLive(Behind what) {
        behindLive = what;
    }

    /** As {@link RelayConnection#begin}. */
    public FrameView begin(int bytes) throws IOException {
        if (determinantLog.isDue()) {
            tell();
        }
        return line.begin(bytes);
    }

    /** As {@link RelayConnection#end(int, Content, long, int)}. */
    public void end(int headerBytes, Content content, long from, int bytes) throws IOException {
        line.end(headerBytes, content, from, bytes);
    }

    /** As {@link RelayConnection#end(int)}. */
    public void end(int bytes) {
        line.end(bytes);
    }

    /** As {@link RelayConnection#hasRoom}. */
    public boolean hasRoom() {
        return line.hasRoom();
    }

    /** As {@link RelayConnection#isOpen}. */
    public boolean isOpen() {
        return line.isOpen();
    }

    /** Writes the unreported events, if any, and requests an ACK for when they are safe. The caller flushes. */
    public void ask() throws IOException {
        sayLive();
        while (determinantLog.untoldFrames() > 1) {
            tell(0);
        }
        tell(FrameView.ACK_NOW);
    }

    /** Writes what the relay must know: LIVE if the replay is over, then the later events. The caller flushes. */
    public void tell() throws IOException {
        sayLive();
        while (determinantLog.untoldBytes() > 0) {
            tell(0);
        }
    }

    private void sayLive() throws IOException {
        if (determinantLog.isLiveDue()) {
            line.begin(Wire.HEADER_BYTES).begin(FrameType.LIVE, Wire.HEADER_BYTES, job);
            line.end(Wire.HEADER_BYTES);
            determinantLog.live();
            behindLive.say();
        }
    }

    private void tell(int flags) throws IOException {
        int bytes = determinantLog.untoldBytes();
        FrameView frame = line.begin(Wire.EVENTS_HEADER_BYTES + bytes)
                .begin(FrameType.EVENTS, Wire.EVENTS_HEADER_BYTES, job)
                .flags(flags);
        determinantLog.tell(frame, line.payload(Wire.EVENTS_HEADER_BYTES, bytes));
        line.end(Wire.EVENTS_HEADER_BYTES + bytes);
    }
}
