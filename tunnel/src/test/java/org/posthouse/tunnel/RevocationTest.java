package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Vertx;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.keys.GridAuthority;
import org.posthouse.keys.RelayKeys;
import org.posthouse.keys.SiteCertificate;
import org.posthouse.keys.TestKeys;
import org.posthouse.status.KeysStatus;
import org.posthouse.tunnel.socket.LinkRefusal;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.LinkHello;
import org.posthouse.wire.Wire;

/** Keys that change while links are up: revoked, renewed, spoilt. Three relays in a row, a - b - c. */
@ExtendWith(LeakWatch.class)
@Timeout(120)
class RevocationTest {
    private static final Duration POLL = Duration.ofMillis(10);

    /** A look each second, and a flight over two links; the rest is for a busy machine. */
    private static final Duration SECONDS = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private final List<TestRelay> relays = new ArrayList<>();
    private Vertx vertx;
    private TestGrid grid;
    private TestRelay a;
    private TestRelay b;
    private TestRelay c;

    @BeforeEach
    void linkThree() throws Exception {
        vertx = Vertx.vertx();
        grid = new TestGrid(folder);
        b = start(grid.listening("b", 1));
        String address = "127.0.0.1:" + b.links.port();
        a = start(grid.config("a", 1).peer("b", address));
        c = start(grid.config("c", 1).peer("b", address));
        await().pollInterval(POLL).atMost(SECONDS).until(() -> a.isUp("b") && c.isUp("b"));
    }

    @AfterEach
    void close() throws Exception {
        for (TestRelay relay : relays) {
            relay.close();
        }
        vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    /** What became of the link to b: a and c are linked too, over it. */
    private static List<String> withB(TestRelay relay) {
        return relay.events.stream().filter(event -> event.split(" ")[1].equals("b")).toList();
    }

    @Test
    void endsALinkWhoseCertificateIsRevokedAndTellsAllRelays() throws Exception {
        grid.authority().revoke("c");
        // One site is given the list, and not the one whose relay the revoked one is linked with.
        grid.authority().tellRevoked(site("a"));
        await().pollInterval(POLL).atMost(SECONDS).until(() -> !c.isUp("b"));
        await().pollInterval(POLL).atMost(SECONDS).until(() -> b.refusals(LinkRefusal.REVOKED) > 1);
        assertThat(c.status("b").lastReason()).contains("REVOKED").contains("of site c, was revoked");
        assertThat(a.isUp("b")).isTrue();
        assertThat(withB(a)).as("never down").containsExactly("up b 1");
        assertThat(TestKeys.revocations(site("b")).number()).as("kept for the next start").isEqualTo(1);
        KeysStatus status = b.call(b.links::keysStatus);
        assertThat(status.revocationList()).isEqualTo(1);
        assertThat(status.revoked()).isEqualTo(1);
        assertThat(status.warnings()).isEmpty();
    }

    /** It may not have heard of the list, and took the link for one that is up again, each time. */
    @Test
    void greetsNoRelayThatItDialsWhoseCertificateIsRevoked() throws Exception {
        grid.authority().revoke("b");
        grid.authority().tellRevoked(site("a"));
        await().pollInterval(POLL).atMost(SECONDS).until(() -> a.refusals(LinkRefusal.REVOKED) > 3);
        assertThat(b.events.stream().filter(event -> event.split(" ")[1].equals("a"))).containsExactly("up a 1", "down a");
        assertThat(a.status("b").lastReason()).startsWith("REVOKED: its certificate, serial ").contains("of site b, was revoked");
        assertThat(b.status("a").lastReason()).isEqualTo(a.status("b").lastReason());
    }

    @Test
    void resumesWithoutLossWhenTheRevokedCertificateIsRenewed() throws Exception {
        c.send("b", frame(1));
        grid.authority().revoke("c");
        grid.authority().tellRevoked(site("b"));
        await().pollInterval(POLL).atMost(SECONDS).until(() -> !c.isUp("b"));
        c.send("b", frame(2));
        b.send("c", frame(1));
        SiteCertificate renewed = grid.authority().renew("c", 10, site("c"));
        await().pollInterval(POLL).atMost(SECONDS).until(() -> c.isUp("b") && b.last("c") == 2 && c.last("b") == 1);
        assertThat(withB(c)).containsExactly("up b 1", "down b", "up b 1");
        assertThat(c.call(c.links::keysStatus).serial()).isEqualTo(renewed.serial());
        assertThat(b.failure).isNull();
        assertThat(c.failure).isNull();
    }

    /** A lane that is dialled again after a renewal shows the new certificate, the others do not. */
    @Tag("long")
    @Test
    void endsALaneAloneWhoseCertificateIsRevoked() throws Exception {
        Path first = folder.resolve("d1");
        Path second = folder.resolve("d2");
        grid.authority().issue("d", 10, first);
        String serial = grid.authority().issue("d", 10, second).serial();
        try (RawPeer lane0 = RawPeer.dial(b.links.port(), first);
                RawPeer lane1 = RawPeer.dial(b.links.port(), second)) {
            lane0.hello("d", "b", 1, 0, 0).awaitHello();
            lane1.send(new LinkHello("d", "d", "b", 1, 1, 1, 1, 0, 0, false, false).encode()).awaitHello();
            grid.authority().revoke(serial);
            grid.authority().tellRevoked(site("b"));
            CloseNotice why = lane1.awaitClose();
            assertThat(why.reason()).isEqualTo(CloseReason.REVOKED);
            assertThat(why.text()).contains(serial);
            lane0.await(FrameType.LINK_REVOKED);
            assertThat(b.isUp("d")).isTrue();
        }
        assertThat(b.refusals(LinkRefusal.REVOKED)).isEqualTo(1);
    }

    @Tag("long")
    @Test
    void warnsARelayWhoseOwnCertificateIsRevoked() throws Exception {
        grid.authority().revoke("c");
        grid.authority().tellRevoked(site("c"));
        await().pollInterval(POLL).atMost(SECONDS).until(() -> !warnings(c).isEmpty());
        assertThat(warnings(c)).singleElement().asString().contains("of site c").contains("was revoked").contains("renew");
    }

    @Tag("long")
    @Test
    void takesUpARenewedCertificateAndDisturbsNoLink() throws Exception {
        String before = a.call(a.links::keysStatus).serial();
        String renewed = grid.authority().renew("a", 10, site("a")).serial();
        await().pollInterval(POLL).atMost(SECONDS).until(() -> a.call(a.links::keysStatus).serial().equals(renewed));
        assertThat(renewed).isNotEqualTo(before);
        assertThat(withB(a)).containsExactly("up b 1");
        assertThat(warnings(a)).isEmpty();
    }

    @Tag("long")
    @Test
    void keepsItsKeysWhenTheFilesAreSpoilt() throws Exception {
        Path certificate = site("a").resolve("site.pem");
        byte[] good = Files.readAllBytes(certificate);
        Files.writeString(certificate, "spoilt");
        await().pollInterval(POLL).atMost(SECONDS).until(() -> !warnings(a).isEmpty());
        assertThat(warnings(a)).singleElement().asString().contains("site.pem").contains("stay in force");
        assertThat(a.isUp("b")).isTrue();
        Files.write(certificate, good);
        await().pollInterval(POLL).atMost(SECONDS).until(() -> warnings(a).isEmpty());
    }

    /** What the warning advises to run changes no file's time and no file's length. */
    @Tag("long")
    @Test
    void takesKeysUpWhenTheRightsToThemAreCorrected() throws Exception {
        Path key = site("a").resolve("site.key");
        String renewed = grid.authority().renew("a", 10, site("a")).serial();
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
        await().pollInterval(POLL).atMost(SECONDS).until(() -> !warnings(a).isEmpty());
        assertThat(warnings(a)).singleElement().asString().contains("site.key").contains("rw-r--r--").contains("chmod 600").contains("stay in force");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        await().pollInterval(POLL).atMost(SECONDS).until(() -> warnings(a).isEmpty());
        assertThat(a.call(a.links::keysStatus).serial()).isEqualTo(renewed);
    }

    @Tag("long")
    @Test
    void takesUpACertificateWhenItsTimeComesAndTellsOnceThatItHasNot() throws Exception {
        ListAppender<ILoggingEvent> told = new ListAppender<>();
        told.list = new CopyOnWriteArrayList<>();
        told.start();
        Logger log = TestLog.logger(RelayKeys.class);
        log.addAppender(told);
        Instant from = Instant.now().plusSeconds(6);
        String later = TestKeys.issue(grid.authority(), "a", from, from.plusSeconds(3_600), folder.resolve("later")).serial();
        for (String name : List.of("site.key", "site.pem")) {
            Files.copy(folder.resolve("later").resolve(name), site("a").resolve(name),
                    StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.COPY_ATTRIBUTES);
        }
        await().pollInterval(POLL).atMost(SECONDS).until(() -> a.call(a.links::keysStatus).serial().equals(later));
        log.detachAppender(told);
        assertThat(told.list).extracting(ILoggingEvent::getFormattedMessage)
                .filteredOn(line -> line.contains("is valid from"))
                .hasSizeLessThanOrEqualTo(1);
    }

    @Tag("long")
    @Test
    void warnsIfRevocationListCannotBeStored() throws Exception {
        grid.authority().revoke("c");
        Files.createDirectories(site("b").resolve("revoked.pem.new/in/the/way"));
        grid.authority().tellRevoked(site("a"));
        await().pollInterval(POLL).atMost(SECONDS).until(() -> !warnings(b).isEmpty());
        assertThat(warnings(b)).singleElement().asString()
                .startsWith("list 1 of revoked certificates is in force, but not kept for the next start: ")
                .endsWith("; copy the authority's revoked.pem to " + site("b").resolve("revoked.pem"));
        assertThat(b.call(b.links::keysStatus).revoked()).isEqualTo(1);
    }

    @Test
    void refusesTheKeysOfAnotherSite() throws Exception {
        for (String name : List.of("site.key", "site.pem")) {
            Files.copy(site("b").resolve(name), site("a").resolve(name),
                    StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.COPY_ATTRIBUTES);
        }
        await().pollInterval(POLL).atMost(SECONDS).until(() -> !warnings(a).isEmpty());
        assertThat(warnings(a)).singleElement().asString().contains("is for site b, this is site a");
    }

    @Test
    void malformedRevocationListClosesConnection() throws Exception {
        Path keysD = folder.resolve("d");
        grid.authority().issue("d", 10, keysD);
        try (RawPeer peer = RawPeer.dial(b.links.port(), keysD)) {
            peer.hello("d", "b", 1, 0, 0).awaitHello();
            CloseNotice why = peer.send(revoked(new byte[100])).awaitClose();
            assertThat(why.reason()).isEqualTo(CloseReason.MALFORMED_FRAME);
            assertThat(why.text()).contains("no list of revoked certificates");
        }
        assertThat(b.call(b.links::keysStatus).revocationList()).isZero();
        assertThat(c.isUp("b")).isTrue();
    }

    /** Its next start has the newer one all the same. */
    @Tag("long")
    @Test
    void ignoresAnOlderListAndPutsTheNewerOneBack() throws Exception {
        grid.authority().issue("d", 10, folder.resolve("d"));
        grid.authority().issue("e", 10, folder.resolve("e"));
        grid.authority().revoke("d");
        byte[] first = Files.readAllBytes(folder.resolve("authority/revoked.pem"));
        grid.authority().revoke("e");
        grid.authority().tellRevoked(site("b"));
        await().pollInterval(POLL).atMost(SECONDS).until(() -> b.call(b.links::keysStatus).revocationList() == 2);
        Files.write(site("b").resolve("revoked.pem"), first);
        await().pollInterval(POLL).atMost(SECONDS).until(() -> TestKeys.revocations(site("b")).number() == 2);
        assertThat(b.call(b.links::keysStatus).revoked()).isEqualTo(2);
        assertThat(a.call(a.links::keysStatus).revoked()).isEqualTo(2);
        assertThat(warnings(b)).as("nothing is lost").isEmpty();
    }

    @Tag("long")
    @Test
    void warnsOfLinksThatAreOlderThanTheAuthority() throws Exception {
        nextAuthority();
        replaceAuthority("a");
        await().pollInterval(POLL).atMost(SECONDS).until(() -> !warnings(a).isEmpty());
        assertThat(warnings(a)).as("c may be linked, too, over b").first().asString().startsWith("the link to relay b is older than this grid's authority: ");
        assertThat(a.isUp("b")).isTrue();
        assertThat(warnings(b)).as("as long as it has not heard of it").isEmpty();
    }

    /** Each end tells its own authority's, over the link of before. */
    @Tag("long")
    @Test
    void linksOutlastTheListsOfTwoAuthorities() throws Exception {
        GridAuthority next = nextAuthority();
        replaceAuthority("a");
        for (String other : List.of("d", "e")) {
            next.issue(other, 5, folder.resolve("next-" + other));
            next.revoke(other);
        }
        next.tellRevoked(site("a"));
        await().pollInterval(POLL).atMost(SECONDS).until(() -> a.call(a.links::keysStatus).revocationList() == 2);
        a.send("b", frame(1));
        await().pollInterval(POLL).atMost(SECONDS).until(() -> b.last("a") == 1);
        grid.authority().revoke("c");
        grid.authority().tellRevoked(site("b"));
        await().pollInterval(POLL).atMost(SECONDS).until(() -> b.call(b.links::keysStatus).revocationList() == 1);
        b.send("a", frame(1));
        await().pollInterval(POLL).atMost(SECONDS).until(() -> a.last("b") == 1);
        Files.delete(site("b").resolve("revoked.pem"));
        replaceAuthority("b");
        await("told before it had this authority").pollInterval(POLL).atMost(SECONDS).until(() -> b.call(b.links::keysStatus).revocationList() == 2);
        await("kept for the next start").pollInterval(POLL).atMost(SECONDS).until(() -> TestKeys.revocations(site("b")).number() == 2);
        assertThat(withB(a)).as("never down").containsExactly("up b 1");
    }

    private List<String> warnings(TestRelay relay) throws Exception {
        return relay.call(relay.links::keysStatus).warnings();
    }

    /** With keys for the sites a and b, of before anything was revoked. */
    private GridAuthority nextAuthority() throws Exception {
        GridAuthority next = GridAuthority.init(folder.resolve("next"), 10);
        next.issue("a", 5, folder.resolve("next-a"));
        next.issue("b", 5, folder.resolve("next-b"));
        return next;
    }

    private void replaceAuthority(String of) throws Exception {
        for (String name : List.of("authority.pem", "site.key", "site.pem")) {
            Files.copy(folder.resolve("next-" + of).resolve(name), site(of).resolve(name),
                    StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.COPY_ATTRIBUTES);
        }
    }

    private Path site(String site) {
        return folder.resolve("site-" + site);
    }

    private TestRelay start(LinkConfig config) throws Exception {
        TestRelay relay = new TestRelay(vertx, config);
        relays.add(relay);
        return relay.start();
    }

    private static ByteBuf frame(long number) {
        return Frames.send(number, 10, new Random(number));
    }

    private static ByteBuffer revoked(byte[] list) {
        ByteBuffer frame = ByteBuffer.allocate(Wire.HEADER_BYTES + list.length);
        new FrameView().wrap(frame, 0).begin(FrameType.LINK_REVOKED, Wire.HEADER_BYTES, 0).length(frame.capacity());
        return frame.put(Wire.HEADER_BYTES, list);
    }
}
