package org.posthouse.mpj.channel;

import java.io.IOException;

/** The relay takes frames from other hosts over TLS only: the connection is to be made again with TLS. */
public final class TlsRequiredException extends IOException {
    private static final long serialVersionUID = 1;

    /** @param relay host:port */
    TlsRequiredException(String relay) {
        super("the relay at " + relay + " takes frames from other hosts over TLS only");
    }
}
