package org.posthouse.tunnel;

import org.posthouse.wire.FrameView;

/** A channel, as a link sees it: what is in it keeps its order, and takes turns with others. */
record Flow(long job, int context, int source, int destination) {
    static Flow of(FrameView frame) {
        return new Flow(frame.job(), frame.context(), frame.source(), frame.destination());
    }
}
