package org.posthouse.mpj;

/** A send whose bytes wait for the relay's word. Guarded by its endpoint's lock. */
final class Sending extends Operation {
    final Content content;
    final int context;
    final int destination;
    final long sequence;

    /** Bytes that have left; the next chunk begins here. */
    long sent;

    Sending(Content content, int context, int destination, long sequence) {
        this.content = content;
        this.context = context;
        this.destination = destination;
        this.sequence = sequence;
    }

    void done() {
        complete(null, null);
    }

    void withdrawn() {
        cancelled();
    }
}
