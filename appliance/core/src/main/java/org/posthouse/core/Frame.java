package org.posthouse.core;

import java.nio.ByteBuffer;
import org.posthouse.wire.FrameView;

/** A frame that just arrived. Valid during the call that brings it. */
public interface Frame {
    FrameView view();

    /** Its bytes behind the header; valid during the call that brings it. */
    ByteBuffer payload();

    /** A copy of the whole frame, header included. */
    ByteBuffer copy();

    /** Keeps the frame's bytes beyond this call. At most once a frame. */
    Parcel hold();
}
