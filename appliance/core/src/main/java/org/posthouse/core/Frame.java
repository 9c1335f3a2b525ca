package org.posthouse.core;

import org.posthouse.wire.FrameView;

/** A frame that just arrived. Valid during the call that brings it. */
public interface Frame {
    FrameView view();

    /** Keeps the frame's bytes beyond this call. At most once a frame. */
    Parcel hold();
}
