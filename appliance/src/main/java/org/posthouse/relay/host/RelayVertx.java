package org.posthouse.relay.host;

import io.vertx.core.VertxOptions;
import io.vertx.core.dns.AddressResolverOptions;
import io.vertx.core.file.FileSystemOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The common options of all Vert.x instances of relays. */
final class RelayVertx {
    /**
     * Milliseconds after which the hosts file is read again, so that a new stream finds the new address of a door's
     * target. By default Vert.x reads the file once.
     */
    static final int HOSTS_REFRESH_MS = 2_000;

    private RelayVertx() {}

    /** Options by which Vert.x creates no files, reads the hosts file again, and asks no name server but the system's. */
    static VertxOptions options() {
        return options(Path.of("/etc/resolv.conf"));
    }

    static VertxOptions options(Path resolverConfiguration) {
        AddressResolverOptions resolver = new AddressResolverOptions().setHostsRefreshPeriod(HOSTS_REFRESH_MS);
        if (!namesServer(resolverConfiguration)) {
            resolver.addServer("127.0.0.1");
        }
        return new VertxOptions()
                .setAddressResolverOptions(resolver)
                .setFileSystemOptions(
                        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false));
    }

    /**
     * Whether the system has a name server. Where it has none, Netty would ask public ones of a company; as the system does, we ask one on this
     * host. A file that is there and cannot be read leaves it to Netty.
     */
    private static boolean namesServer(Path configuration) {
        try (Stream<String> lines = Files.lines(configuration, StandardCharsets.ISO_8859_1)) {
            return lines.anyMatch(line -> line.strip().startsWith("nameserver"));
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException | UncheckedIOException e) {
            return true;
        }
    }
}
