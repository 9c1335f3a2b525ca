package org.posthouse.tunnel.window;

import org.posthouse.wire.FrameView;

/**
 * A channel, as a link sees it: its frames keep their order, and take turns with those of other channels. Immutable.
 */
record Flow(long job, int context, int source, int destination) {
    static Flow of(FrameView frame) {
        return new Flow(frame.job(), frame.context(), frame.source(), frame.destination());
    }
}
