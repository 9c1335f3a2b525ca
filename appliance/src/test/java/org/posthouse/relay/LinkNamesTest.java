package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.directory.MemoryDirectory;
import org.posthouse.directory.RelayEntry;
import org.posthouse.keys.GridAuthority;
import org.posthouse.keys.RelayId;
import org.posthouse.keys.SiteKeys;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.status.LinkStatus;
import org.posthouse.status.Traffic;
import org.posthouse.tunnel.LinkConfig;
import org.posthouse.tunnel.Links;
import org.posthouse.wire.FrameView;

/** Of names of relays that others only speak of, and that may be any number, a relay keeps nothing once their links are gone. */
@ExtendWith(VertxExtension.class)
@Timeout(120)
public final class LinkNamesTest {
    @TempDir
    private Path folder;

    private final MemoryDirectory directory = new MemoryDirectory();

    @AfterEach
    void close() {
        directory.close();
    }

    @Test
    void aLinkThatIsNotAnyMoreIsNotDown(Vertx vertx) throws Exception {
        Relay relay = new Relay(RelayConfig.loopback(RelayId.parse("here"), 0), directory);
        vertx.deployVerticle(relay).await(60, TimeUnit.SECONDS);
        LinkOutages linkOutages = new LinkOutages(relay, (other, visitor) -> {});
        List<LinkStatus> links = List.of(down("far"), down("told"));
        CompletableFuture.runAsync(() -> {
            linkOutages.look(links, 0);
            assertThat(links).allMatch(link -> linkOutages.parked(link).isPresent());
            linkOutages.look(links.subList(0, 1), 1);
            assertThat(linkOutages.parked(links.getFirst())).isPresent();
            assertThat(linkOutages.parked(links.getLast())).isEmpty();
        }, relay.control()::post).get(60, TimeUnit.SECONDS);
    }

    public static LinkStatus down(String relay) {
        LinkStatus.Packing packing = new LinkStatus.Packing(false, 0, 0, 0);
        return new LinkStatus(
                relay, relay, LinkStatus.State.DOWN, 0, Traffic.NONE, 0, 0, 0, 0, 0, 0, 0, 0, List.of(), packing, List.of(), 0, LinkStatus.Streams.NONE,
                Optional.empty(), "", "");
    }

    @Test
    void countsTrafficOnlyOfLinksThatHaveBeenUp(Vertx vertx) throws Exception {
        GridAuthority authority = GridAuthority.init(folder.resolve("authority"), 30);
        Links far = new Links(vertx.getOrCreateContext(), links(authority, "far", 1).listen("127.0.0.1", 0), new Far());
        far.start().await(60, TimeUnit.SECONDS);
        RelayConfig config = RelayConfig.loopback(RelayId.parse("here"), 0);
        LinkConfig links = links(authority, "here", config.epoch())
                .peer("far", "127.0.0.1:" + far.port())
                .peer("told", "127.0.0.1:" + far.port()); // Which is another one, and so never up.
        Relay relay = new Relay(config.withLinks(links), directory);
        vertx.deployVerticle(relay).await(60, TimeUnit.SECONDS);
        try {
            await().atMost(Duration.ofSeconds(60)).until(() -> carried(relay), Set.of("far")::equals);
        } finally {
            vertx.undeploy(relay.deploymentID()).await(60, TimeUnit.SECONDS);
            far.close().await(60, TimeUnit.SECONDS);
        }
    }

    /** As what takes an address wants it: a relay that dials, and a browser. */
    @Test
    void anAddressOfTheSixthVersionIsAnnouncedInBrackets(Vertx vertx) throws Exception {
        assumeThat(NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses)).contains(InetAddress.getByName("::1"));
        GridAuthority authority = GridAuthority.init(folder.resolve("authority"), 30);
        RelayConfig config = RelayConfig.loopback(RelayId.parse("here"), 0);
        Relay relay = new Relay(config.withLinks(links(authority, "here", config.epoch()).listen("::1", 0)), directory);
        vertx.deployVerticle(relay).await(60, TimeUnit.SECONDS);
        try {
            assertThat(directory.relays()).extracting(RelayEntry::links).containsExactly("[::1]:" + relay.linkPort());
        } finally {
            vertx.undeploy(relay.deploymentID()).await(60, TimeUnit.SECONDS);
        }
    }

    private static Set<String> carried(Relay relay) throws Exception {
        CompletableFuture<Set<String>> told = new CompletableFuture<>();
        relay.control().submit(() -> told.complete(relay.links().carried().keySet()));
        return told.get(60, TimeUnit.SECONDS);
    }

    private LinkConfig links(GridAuthority authority, String site, long epoch) throws Exception {
        Path keys = folder.resolve(site);
        authority.issue(site, 10, keys);
        return LinkConfig.of(site, epoch, SiteKeys.load(keys));
    }

    private static final class Far implements Links.Listener {
        @Override
        public boolean onFrame(String from, long number, ByteBuf buffer, int index, int length, FrameView view) {
            return true;
        }
    }
}
