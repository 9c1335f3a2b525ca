package org.posthouse.mpj;

/** What a thread of the library does for the program: its end is no frame's. Guarded by its endpoint's lock. */
final class BackgroundOperation extends Operation {
    void done() {
        complete(null, null);
    }
}
