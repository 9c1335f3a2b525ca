package org.posthouse.relay.host;

import io.vertx.core.VertxOptions;
import io.vertx.core.dns.AddressResolverOptions;
import io.vertx.core.file.FileSystemOptions;

/** The common options of all Vert.x instances of relays. */
final class RelayVertx {
    /**
     * Milliseconds after which the hosts file is read again, so that a new stream finds the new address of a door's
     * target. By default Vert.x reads the file once.
     */
    static final int HOSTS_REFRESH_MS = 2_000;

    private RelayVertx() {}

    /** Options by which Vert.x creates no files and reads the hosts file again. */
    static VertxOptions options() {
        return new VertxOptions()
                .setAddressResolverOptions(new AddressResolverOptions().setHostsRefreshPeriod(HOSTS_REFRESH_MS))
                .setFileSystemOptions(
                        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false));
    }
}
