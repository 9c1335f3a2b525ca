package org.posthouse.mpj;

/** Work of a library thread for the program. Its end does not depend on a frame. Guarded by its endpoint's lock. */
final class BackgroundOperation extends Operation {
    void done() {
        complete(null, null);
    }
}
