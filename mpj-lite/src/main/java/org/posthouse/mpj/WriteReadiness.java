package org.posthouse.mpj;

import java.io.IOException;

/** Returns when the rank's connection can be written; called with the endpoint's lock. */
interface WriteReadiness {
    void await() throws IOException;
}
