package org.posthouse.launch.output;

import org.posthouse.wire.OutputPoint;

/** Where a process's stream begins for its pump, and how far the pump has kept it. Called by the reading thread. */
public interface StreamProgress {
    /** Of a stream that begins here, and that nobody sends again. */
    StreamProgress NONE = new StreamProgress() {
        @Override
        public OutputPoint begins() {
            return OutputPoint.BEGIN;
        }

        @Override
        public void kept(OutputPoint upTo) {}
    };

    /** Where it begins: behind what an earlier launcher has kept. May block until that is known. */
    OutputPoint begins();

    /** The journal has all of it up to this point. */
    void kept(OutputPoint upTo);
}
