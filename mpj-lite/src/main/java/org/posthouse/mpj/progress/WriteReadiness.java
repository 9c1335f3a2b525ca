package org.posthouse.mpj.progress;

import java.io.IOException;

/** Returns when the rank's connection can be written; called with the endpoint's lock. */
public interface WriteReadiness {
    void await() throws IOException;
}
