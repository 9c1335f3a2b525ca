package org.posthouse.mpj.operation;

/** Work of a library thread for the program. Its end does not depend on a frame. Guarded by its endpoint's lock. */
public final class BackgroundOperation extends Operation {
    /** Ends the operation. Called once. */
    public void done() {
        complete(null, null);
    }
}
