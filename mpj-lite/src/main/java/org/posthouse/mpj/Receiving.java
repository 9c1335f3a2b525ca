package org.posthouse.mpj;

import java.nio.ByteBuffer;

/** A posted receive and how far its message has arrived. Guarded by its endpoint's lock. */
final class Receiving extends Operation {
    private final Sink sink;
    private Envelope envelope;
    private ReceiveException failure;
    private long arrived;

    Receiving(Sink sink) {
        this.sink = sink;
    }

    /** The receive was matched. A message that does not fit is read and thrown away. */
    void begin(Envelope envelope) {
        this.envelope = envelope;
        try {
            sink.begin(envelope);
        } catch (ReceiveException e) {
            failure = e;
        }
    }

    /** Takes the message's next bytes, and completes the receive with the last. */
    void read(ByteBuffer bytes) {
        int count = bytes.remaining();
        if (failure == null) {
            sink.read(arrived, bytes);
        }
        arrived += count;
        if (arrived == envelope.bytes()) {
            end();
        }
    }

    private void end() {
        if (failure == null) {
            try {
                sink.end();
            } catch (ReceiveException e) {
                failure = e;
            }
        }
        complete(envelope, failure);
    }
}
