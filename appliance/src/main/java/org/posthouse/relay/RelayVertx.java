package org.posthouse.relay;

import io.vertx.core.VertxOptions;
import io.vertx.core.dns.AddressResolverOptions;
import io.vertx.core.file.FileSystemOptions;

/** What every Vert.x that relays run on has in common. */
final class RelayVertx {
    /** What a door leads to and has moved, by a line of the hosts file, is found by the next stream. Vert.x alone would read the file once. */
    static final int HOSTS_REFRESH_MS = 2_000;

    private RelayVertx() {}

    /** It makes no files, and reads the hosts file again. */
    static VertxOptions options() {
        return new VertxOptions()
                .setAddressResolverOptions(new AddressResolverOptions().setHostsRefreshPeriod(HOSTS_REFRESH_MS))
                .setFileSystemOptions(
                        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false));
    }
}
