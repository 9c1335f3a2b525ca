package org.posthouse.relay.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.posthouse.core.Journal;
import org.posthouse.core.Refusal;
import org.posthouse.directory.MemoryDirectory;
import org.posthouse.keys.GridAuthority;
import org.posthouse.keys.RelayId;
import org.posthouse.keys.SiteKeys;
import org.posthouse.relay.LinkNamesTest;
import org.posthouse.relay.LinkOutages;
import org.posthouse.relay.RawPeer;
import org.posthouse.relay.Relay;
import org.posthouse.relay.StoppedDisk;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.relay.host.EmbeddedGrid;
import org.posthouse.relay.threads.Strand;
import org.posthouse.status.LinkStatus;
import org.posthouse.tunnel.LinkConfig;
import org.posthouse.tunnel.Links;
import org.posthouse.tunnel.stream.LinkStream;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Durability;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.Identify;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Nonce;
import org.posthouse.wire.Token;
import org.posthouse.wire.Wire;

/** A relay and what it sends to another one, which handles it when the test says so. */
@Timeout(120)
class LinkedRelayTest {
    private static final long JOB = 7;
    private static final int LONG = 1;
    private static final int SHORT = 2;
    private static final int LONG_BYTES = 20_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private final Vertx vertx = EmbeddedGrid.vertx();
    private final Context farContext = vertx.getOrCreateContext();
    private final MemoryDirectory directory = new MemoryDirectory();
    private final StoppedDisk disk = new StoppedDisk();
    private final Far far = new Far();
    private GridAuthority authority;
    private int issued;
    private Links farLinks;
    private Relay relay;
    private Shard shard;

    /** Notes what comes. SENDs and OFFERs are not handled, unless it is told to. */
    private static final class Far implements Links.Listener {
        private volatile boolean handlesAll;
        private volatile boolean handlesAnswers = true;

        /** What the link calls the answers that it has not handled. */
        private final Queue<Long> answers = new ConcurrentLinkedQueue<>();

        private final List<FrameType> came = new CopyOnWriteArrayList<>();

        /** Of each OFFER its sequence number, and whether it is said again. */
        private final List<String> offers = new CopyOnWriteArrayList<>();

        /** What the link calls the last of them. */
        private volatile long offered;

        /** What the link calls the SENDs, by their tags. */
        private final Map<Integer, Long> names = new ConcurrentHashMap<>();

        @Override
        public boolean onFrame(String from, long number, ByteBuf buffer, int index, int length, FrameView view) {
            if (view.type() == FrameType.WITHDRAWN && !handlesAnswers) {
                answers.add(number);
                return false;
            }
            came.add(view.type());
            if (view.type() == FrameType.SEND) {
                names.put(view.tag(), number);
            } else if (view.type() == FrameType.OFFER) {
                offered = number;
                offers.add(view.sequence() + ((view.flags() & FrameView.AGAIN) == 0 ? "" : " again"));
            }
            return handlesAll || view.type() != FrameType.SEND && view.type() != FrameType.OFFER;
        }
    }

    @BeforeEach
    void link() throws Exception {
        authority = GridAuthority.init(folder.resolve("authority"), 30);
        farLinks = new Links(farContext, links(authority, "far", 1).listen("127.0.0.1", 0), far);
        get(farLinks.start());
        startRelay();
        shard = relay.shards().all().getFirst();
        contacted("far", PATIENCE.toMillis());
    }

    private void startRelay() throws Exception {
        RelayConfig config = RelayConfig.loopback(RelayId.parse("near"), 0);
        LinkConfig links = links(authority, "near", config.epoch()).listen("127.0.0.1", 0).peer("far", "127.0.0.1:" + farLinks.port());
        relay = new Relay(config.withLinks(links).withLog(folder.resolve("log")), directory, disk::stands);
        get(vertx.deployVerticle(relay));
    }

    private void contacted(String other, long ms) throws Exception {
        Promise<Void> contact = Promise.promise();
        relay.control().submit(() -> relay.links().contacted(List.of(other), ms).onComplete(contact));
        get(contact.future());
    }

    private LinkConfig links(GridAuthority authority, String site, long epoch) throws Exception {
        Path keys = folder.resolve(site + epoch + "-" + ++issued);
        authority.issue(site, 10, keys);
        return LinkConfig.of(site, epoch, SiteKeys.load(keys));
    }

    @AfterEach
    void close() throws Exception {
        disk.goOn(); // Or the relay would not end.
        get(vertx.undeploy(relay.deploymentID()));
        get(farLinks.close());
        get(vertx.close());
        directory.close();
    }

    /** The links know, which only the relay's loop may ask; a launcher is told. */
    @Test
    void timedOutWaitForRelayReportsItsLinkState() throws Exception {
        Future<Void> contact = inControl(() -> relay.links().contacted(List.of("nobody"), 1));
        await().atMost(PATIENCE).until(contact::failed);
        assertThat(contact.cause())
                .hasMessage("no link to relay nobody within 1 ms: it is no --peer of relay near and has not dialled it");
    }

    /** It is for the processes of ranks, and each has to prove its rank's token. */
    @Test
    void launcherIsRefusedAtTheDoorOfRanks() throws Exception {
        RankDoor door = new RankDoor(new Identify(Hello.LAUNCHER, 0, 0, Nonce.random()));
        door.open("rank plain");
        await().atMost(PATIENCE).until(() -> door.answer.get() != null);
        CloseNotice why = CloseNotice.decode(door.answer.get().nioBuffer());
        assertThat(why.reason()).isEqualTo(CloseReason.NOT_EXPECTED);
        assertThat(why.text()).isEqualTo("a launcher or an agent over another relay, which passes on processes of ranks only");
    }

    @Test
    void doorOfRanksNamesAChannelThatIsNone() throws Exception {
        RankDoor door = new RankDoor(new Identify(Hello.FOLLOWER, JOB, 0, Nonce.random()));
        door.open("rank none");
        await().atMost(PATIENCE).until(() -> door.refusal.get() != null);
        assertThat(door.refusal.get()).isEqualTo("MALFORMED_FRAME: channel \"none\", expected plain or 64 hexadecimal digits");
    }

    /** A stream of the far relay to the door of ranks, over which one client speaks. */
    private final class RankDoor implements LinkStream.Listener {
        private final AtomicReference<ByteBuf> answer = new AtomicReference<>();
        private final AtomicReference<String> refusal = new AtomicReference<>();
        private final Identify client;
        private LinkStream stream;

        private RankDoor(Identify client) {
            this.client = client;
        }

        private void open(String name) {
            farContext.runOnContext(go -> stream = farLinks.streams().open("near", name, this));
        }

        @Override
        public void onBytes(ByteBuf bytes, boolean last) {
            answer.compareAndSet(null, bytes);
            stream.left();
        }

        @Override
        public void onWritable() {
            stream.write(Unpooled.wrappedBuffer(client.encode()));
        }

        @Override
        public void onDone() {}

        @Override
        public void onEnded(CloseReason reason, String text) {
            refusal.set(reason + ": " + text);
        }
    }

    /** Heads come in the order in which they are sent: one that was sent behind it shows that it was not. */
    @ParameterizedTest
    @EnumSource(names = {"BLOCKED", "MISMATCH"})
    void blockedReportLeavesAfterEarlierFramesAreHandled(FrameType what) throws Exception {
        relay.control().submit(() -> {
            RelayPeer peer = relay.links().other("far").peer(shard);
            shard.strand().submit(() -> {
                peer.send(send(LONG, LONG_BYTES));
                peer.stall(what, new BlockedReport(JOB, 1, 2, 3, 4, 5, "bcast"));
                peer.send(send(SHORT, 0));
            });
        });
        await().atMost(PATIENCE).until(() -> far.names.keySet().containsAll(List.of(LONG, SHORT)));
        assertThat(far.came).containsExactlyInAnyOrder(FrameType.SEND, FrameType.SEND);
        handle(LONG);
        await().atMost(PATIENCE).until(() -> far.came.contains(what));
        assertThat(far.came).hasSize(3);
    }

    /** Else nobody knows why other jobs wait. */
    @Test
    void aLinkThatIsHeldNamesTheJobWhoseFrameIsNotHandled() throws Exception {
        LinkedRelay other = inControl(() -> relay.links().other("far"));
        inShard(() -> other.peer(shard).send(send(SHORT, 0)));
        await().atMost(PATIENCE).until(() -> far.names.containsKey(SHORT));
        assertThat(held(other)).startsWith("relay far acknowledges nothing since 20").contains("of job 7, ");
        assertThat(inControl(() -> other.held(System.nanoTime(), Long::toString))).as("it is not long").isEmpty();
        handle(SHORT);
        await().atMost(PATIENCE).until(() -> held(other).isEmpty());
        assertThat(inControl(() -> relay.links().status()).getFirst().held()).isEmpty();
    }

    /** As it is when the time is over. */
    private String held(LinkedRelay other) throws Exception {
        return inControl(() -> other.held(System.nanoTime() + LinkedRelay.HELD_NS, id -> "job " + id));
    }

    /** Its name may never come again, as that of a host: links of such would use up their site's share. */
    @Test
    void aRelayThatHasStoppedIsLetGoOfOnceNoJobHasRanksThere() throws Exception {
        Links first = startPod(1, new Far());
        contacted("pod", PATIENCE.toMillis());
        Token token = Token.random();
        try (RawPeer launcher = launcher()) {
            open(launcher, JOB, token, Durability.PROCESS, "pod");
            relay.control().submit(() -> {
                RelayPeer peer = relay.links().other("pod").peer(shard);
                shard.strand().submit(() -> peer.send(send(SHORT, 0)));
            });
            await().atMost(PATIENCE).until(() -> flowsOf("pod") == 1 && relay.view().snapshot().counters().traffic().messagesOut() == 1);
            get(first.close());
            await().atMost(PATIENCE).until(() -> linked().equals(List.of("far UP", "pod DOWN")));
            inControl(() -> {
                relay.links().look();
                return null;
            });
            assertThat(linked()).as("the job has a rank there").containsExactly("far UP", "pod DOWN");
            launcher.send(new CloseNotice(JOB, 0, 0, "enough").encode(FrameType.JOB_CLOSE));
            await().atMost(PATIENCE).until(() -> linked().equals(List.of("far UP")) && flowsOf("pod") == 0);
        }
        assertThat(inControl(() -> relay.links().known("pod"))).isEmpty();
        assertThat(inControl(() -> relay.links().carried())).containsOnlyKeys("far");
        assertThat(relay.view().snapshot().counters().traffic().messagesOut()).as("a total never falls").isEqualTo(1);
        assertThatThrownBy(() -> contacted("pod", 1)).hasMessageContaining("no link to relay pod within 1 ms");

        Far pod = new Far();
        Links second = startPod(2, pod);
        contacted("pod", PATIENCE.toMillis());
        try (RawPeer launcher = launcher(); RawPeer rank = RawPeer.connect(relay.address())) {
            open(launcher, JOB + 1, token, Durability.PROCESS, "pod");
            rank.hello(Hello.firstStart(JOB + 1, 0), token);
            rank.readFrame();
            rank.send(kept(JOB + 1, SHORT));
            await().atMost(PATIENCE).until(() -> pod.came.contains(FrameType.SEND));
        }
        get(second.close());
    }

    /** A job that was recovered from the log, and has ended by now, had expected it in vain. */
    @Test
    void waitForReleasedRelaySucceedsWhenItConnects() throws Exception {
        Future<Void> contact = inControl(() -> {
            relay.links().expect(List.of("pod"));
            Future<Void> waiting = relay.links().contacted(List.of("pod"), PATIENCE.toMillis());
            relay.links().look();
            return waiting;
        });
        assertThat(linked()).containsExactly("far UP");
        Links pod = startPod(1, new Far());
        await().atMost(PATIENCE).until(() -> linked().contains("pod UP"));
        assertThat(inControl(contact::succeeded)).isTrue();
        get(pod.close());
    }

    /** It is linked when the job needs it, and need not be before. */
    @Test
    void messageToARelayWithoutALinkWaitsForTheFirstOne() throws Exception {
        Far pod = new Far();
        Token token = Token.random();
        try (RawPeer launcher = launcher(); RawPeer rank = RawPeer.connect(relay.address())) {
            open(launcher, JOB, token, Durability.PROCESS, "pod");
            assertThat(linked()).as("no frame needs it yet").containsExactly("far UP");
            rank.hello(Hello.firstStart(JOB, 0), token);
            rank.readFrame();
            rank.send(kept(JOB, SHORT));
            await().atMost(PATIENCE).until(() -> linked().equals(List.of("far UP", "pod DOWN")));
            Links links = startPod(1, pod);
            await().atMost(PATIENCE).until(() -> pod.came.contains(FrameType.SEND));
            get(links.close());
        }
    }

    @Test
    void jobEndsWithTheNameOfTheRelayThatItsFirstMessageCannotReach() throws Exception {
        Token token = Token.random();
        try (RawPeer launcher = launcher(); RawPeer rank = RawPeer.connect(relay.address())) {
            open(launcher, JOB, token, Durability.PROCESS, "pod");
            rank.hello(Hello.firstStart(JOB, 0), token);
            rank.readFrame();
            rank.send(kept(JOB, SHORT));
            JobEvent event = JobEvent.decode(launcher.readFrame());
            while (event.kind() != JobEvent.ABORTED) {
                event = JobEvent.decode(launcher.readFrame());
            }
            assertThat(event.text()).contains(
                    "SITE_UNREACHABLE", "needs relay pod for a message from rank 0 to rank 1, and there is no link to relay pod within 8000 ms: "
                            + "it is no --peer of relay near and has not dialled it");
        }
    }

    /** Else a job on a ring of relays would be told of, and ended by, a link that it never needed. */
    @Test
    void outageOfALinkThatAJobNeverUsedIsNotItsOwn() throws Exception {
        LinkOutages linkOutages = new LinkOutages(relay, (other, visitor) -> {});
        List<LinkStatus> down = List.of(LinkNamesTest.down("pod"));
        Token token = Token.random();
        try (RawPeer launcher = launcher(); RawPeer rank = RawPeer.connect(relay.address())) {
            open(launcher, JOB + 1, token, Durability.PROCESS, "pod");
            open(launcher, JOB, token, Durability.PROCESS, "pod");
            rank.hello(Hello.firstStart(JOB, 0), token);
            rank.readFrame();
            assertThat(JobEvent.decode(launcher.readFrame()).kind()).isEqualTo(JobEvent.CONNECTED);
            rank.send(kept(JOB, SHORT));
            await().atMost(PATIENCE).until(() -> linked().contains("pod DOWN"));
            inControl(linkOutages, () -> linkOutages.look(down, 0));
            inControl(linkOutages, () -> linkOutages.look(down, TimeUnit.SECONDS.toNanos(5)));
            assertThat(heard(launcher)).isEqualTo(JOB + " is down");
            launcher.send(new CloseNotice(JOB + 1, 0, 0, "enough").encode(FrameType.JOB_CLOSE));
            JobEvent next = JobEvent.decode(launcher.readFrame());
            assertThat(List.of(next.job(), (long) next.kind())).as("it was never told").containsExactly(JOB + 1, (long) JobEvent.CLOSED);
        }
    }

    /** A restarted relay has met nobody yet, and its jobs may have been at that relay for days. */
    @Test
    void jobOfTheLogKeepsItsMessagesForARelayThatIsNotLinkedYet() throws Exception {
        Far pod = new Far();
        Token token = Token.random();
        try (RawPeer launcher = launcher()) {
            open(launcher, JOB, token, Durability.PROCESS, "pod");
        }
        disk.goOn(); // Or the relay would not end.
        get(vertx.undeploy(relay.deploymentID()));
        startRelay();
        try (RawPeer rank = RawPeer.connect(relay.address())) {
            rank.hello(Hello.firstStart(JOB, 0), token);
            rank.readFrame();
            rank.send(kept(JOB, SHORT));
            await().atMost(PATIENCE).until(() -> linked().contains("pod DOWN"));
            Links links = startPod(1, pod);
            await().atMost(PATIENCE).until(() -> pod.came.contains(FrameType.SEND));
            get(links.close());
        }
    }

    private long flowsOf(String link) {
        return relay.view().metrics().flows().stream().filter(flow -> flow.link().equals(link)).count();
    }

    private RawPeer launcher() throws IOException {
        RawPeer launcher = RawPeer.connect(relay.address());
        launcher.hello(Hello.launcher());
        launcher.readFrame();
        return launcher;
    }

    /** One that is opened when the others have been told stands still for no less. */
    @Test
    void notifiesEachJobOnceOfLinkOutageAndItsEnd() throws Exception {
        LinkOutages linkOutages = new LinkOutages(relay, (other, visitor) -> {});
        List<LinkStatus> down = List.of(LinkNamesTest.down("far"));
        Token token = Token.random();
        try (RawPeer launcher = launcher()) {
            open(launcher, JOB, token, Durability.PROCESS);
            inControl(linkOutages, () -> linkOutages.onDown("far", "cut", 0));
            inControl(linkOutages, () -> linkOutages.look(down, TimeUnit.SECONDS.toNanos(4)));
            inControl(linkOutages, () -> linkOutages.look(down, TimeUnit.SECONDS.toNanos(5)));
            assertThat(heard(launcher)).isEqualTo(JOB + " is down");
            open(launcher, JOB + 1, token, Durability.PROCESS);
            inControl(linkOutages, () -> linkOutages.look(down, TimeUnit.SECONDS.toNanos(6)));
            assertThat(heard(launcher)).isEqualTo(JOB + 1 + " is down");
            inControl(linkOutages, () -> linkOutages.look(down, TimeUnit.SECONDS.toNanos(7)));
            open(launcher, JOB + 2, token, Durability.PROCESS);
            inControl(linkOutages, () -> linkOutages.onUp("far", TimeUnit.SECONDS.toNanos(8)));
            assertThat(List.of(heard(launcher), heard(launcher))).containsExactly(JOB + " is up", JOB + 1 + " is up");
            launcher.send(new CloseNotice(JOB + 2, 0, 0, "enough").encode(FrameType.JOB_CLOSE));
            assertThat(JobEvent.decode(launcher.readFrame()).kind()).as("it was never told").isEqualTo(JobEvent.CLOSED);
        }
    }

    private void inControl(LinkOutages linkOutages, Runnable action) throws Exception {
        inControl(() -> {
            action.run();
            return linkOutages;
        });
    }

    private static String heard(RawPeer launcher) throws Exception {
        JobEvent event = JobEvent.decode(launcher.readFrame());
        assertThat(event.kind()).isEqualTo(JobEvent.LINK_STATE);
        return event.job() + (event.code() == 1 ? " is down" : " is up");
    }

    private Links startPod(long epoch, Far listener) throws Exception {
        Links pod = new Links(farContext, links(authority, "pod", epoch).peer("near", "127.0.0.1:" + relay.linkPort()), listener);
        get(pod.start());
        return pod;
    }

    private List<String> linked() throws Exception {
        return inControl(() -> relay.links().status()).stream().map(link -> link.peerRelay() + " " + link.state()).toList();
    }

    /** As its meters do: a long message is many frames, and much that a link carries is no message. */
    @Test
    void theConsoleShowsOfALinkItsMessagesAndTheirPayload() throws Exception {
        RelayPeer peer = inControl(() -> relay.links().other("far")).peer(shard);
        inShard(() -> {
            peer.send(send(LONG, LONG_BYTES));
            peer.send(withdraw(0, 1, 1));
        });
        await().atMost(PATIENCE).until(() -> far.came.contains(FrameType.WITHDRAW));
        LinkStatus shown = inControl(() -> relay.links().status()).getFirst();
        assertThat(shown.traffic().messagesOut()).isEqualTo(1);
        assertThat(shown.traffic().bytesOut()).isEqualTo(LONG_BYTES);
        assertThat(shown.framesOut()).isEqualTo(2);
        assertThat(shown.frameBytesOut()).isGreaterThan(LONG_BYTES);
    }

    /** Nothing is known of the link yet: a short message might wait long behind a long frame. */
    @Test
    void aChunkOfSeveralPiecesGoesInFramesOfOneEach() throws Exception {
        ByteBuf chunk = Unpooled.buffer().writeZero(Wire.CHUNK_FRAME_BYTES_MAX);
        new FrameView().wrap(chunk.nioBuffer(), 0).begin(FrameType.CHUNK, Wire.CHUNK_HEADER_BYTES, JOB).length(chunk.readableBytes()).address(0, 1, 2, 0)
                .sequence(1);
        RelayPeer peer = inControl(() -> relay.links().other("far")).peer(shard);
        inShard(() -> peer.send(chunk));
        await().atMost(PATIENCE).until(() -> far.came.size() == 4);
        await().atMost(PATIENCE).until(() -> inControl(() -> relay.links().status()).getFirst().waitingBytes() == 0);
        assertThat(far.came).containsOnly(FrameType.CHUNK);
        LinkStatus shown = inControl(() -> relay.links().status()).getFirst();
        assertThat(shown.traffic().bytesOut()).isEqualTo(Wire.CHUNK_BYTES_MAX);
        assertThat(shown.framesOut()).isEqualTo(4);
    }

    /** Rates are made of them. */
    @Test
    void totalsIncludeTrafficOfReleasedLinks() throws Exception {
        Far listener = new Far();
        listener.handlesAll = true;
        Links pod = startPod(1, listener);
        contacted("pod", PATIENCE.toMillis());
        RelayPeer peer = inControl(() -> relay.links().other("pod")).peer(shard);
        inShard(() -> peer.send(send(SHORT, 0)));
        await().atMost(PATIENCE).until(() -> relay.view().snapshot().counters().traffic().messagesOut() == 1);
        get(pod.close());
        await().atMost(PATIENCE).until(() -> relay.view().snapshot().links().size() == 1);
        assertThat(relay.view().snapshot().counters().traffic().messagesOut()).isEqualTo(1);
    }

    /** A rank that was to be sent something would hear that nothing comes any more, and fail. */
    @Test
    void blockedReportDoesNotOvertakeFramesWaitingForTheDisk() throws Exception {
        RelayPeer peer = inControl(() -> relay.links().other("far")).peer(shard);
        openJob(peer, Durability.HOST);
        inShard(() -> {
            peer.send(offer(0, 1, 1));
            peer.stall(FrameType.BLOCKED, new BlockedReport(JOB, 1, 2, 3, 0, -1, "bcast"));
        });
        inControl(() -> null);
        assertThat(far.came).isEmpty();
        disk.goOn();
        await().atMost(PATIENCE).until(() -> far.offers.size() == 1);
        farContext.runOnContext(now -> farLinks.handled("near", far.offered));
        await().atMost(PATIENCE).until(() -> far.came.size() == 2);
        assertThat(far.came).containsExactly(FrameType.OFFER, FrameType.BLOCKED);
    }

    /**
     * Its shard is busy when the other relay comes again: what the shard sends before it knows, what it sends when it does, and what the relay
     * that was started again says at once, all wait for their turn behind what was not handled.
     */
    @Test
    void restartedRelayFirstReceivesUnhandledFramesInOrder() throws Exception {
        Far restarted = new Far();
        LinkedRelay other = inControl(() -> relay.links().other("far"));
        RelayPeer peer = other.peer(shard);
        openJob(peer, Durability.PROCESS);
        shard.strand().submit(() -> List.of(1, 2).forEach(number -> peer.send(offer(0, 1, number))));
        await().atMost(PATIENCE).until(() -> far.offers.size() == 2);
        int port = farLinks.port();
        get(farLinks.close());
        enter(shard.strand());
        try {
            peer.send(offer(0, 1, 3));
            startAgain(restarted, port, 2);
            farContext.runOnContext(now -> {
                farLinks.send("near", offer(1, 0, 1));
                farLinks.send("near", withdraw(1, 0, 1));
            });
            await().atMost(PATIENCE).until(() -> inControl(() -> other.flow().counts()).messagesIn() == 1);
            peer.send(offer(0, 1, 4));
            shard.strand().post(() -> peer.send(offer(0, 1, 5)));
        } finally {
            shard.strand().leave();
        }
        await().atMost(PATIENCE).until(() -> restarted.came.contains(FrameType.WITHDRAWN));
        assertThat(restarted.offers).containsExactly("1 again", "2 again", "3 again", "4 again", "5 again");
        assertThat(restarted.came).endsWith(FrameType.WITHDRAWN);
    }

    /** Its shard is busy until it comes a second time: what was to go to the ones before is decided about then, once. */
    @Tag("long")
    @Test
    void aRelayThatComesAgainTwiceInATurnHearsAllThatItHadNotHandledOnce() throws Exception {
        Far second = new Far();
        Far third = new Far();
        LinkedRelay other = inControl(() -> relay.links().other("far"));
        RelayPeer peer = other.peer(shard);
        openJob(peer, Durability.PROCESS);
        shard.strand().submit(() -> List.of(1, 2).forEach(number -> peer.send(offer(0, 1, number))));
        await().atMost(PATIENCE).until(() -> far.offers.size() == 2);
        int port = farLinks.port();
        get(farLinks.close());
        enter(shard.strand());
        try {
            startAgain(second, port, 2);
            farContext.runOnContext(now -> farLinks.send("near", offer(1, 0, 1)));
            await().atMost(PATIENCE).until(() -> inControl(() -> other.flow().counts()).messagesIn() == 1);
            peer.send(offer(0, 1, 3));
            get(farLinks.close());
            startAgain(third, port, 3);
            farContext.runOnContext(now -> {
                farLinks.send("near", withdraw(1, 0, 1));
                farLinks.send("near", offer(1, 0, 2));
            });
            await().atMost(PATIENCE).until(() -> inControl(() -> other.flow().counts()).messagesIn() == 2);
            peer.send(offer(0, 1, 4));
        } finally {
            shard.strand().leave();
        }
        await().atMost(PATIENCE).until(() -> third.came.contains(FrameType.WITHDRAWN));
        assertThat(third.offers).containsExactly("1 again", "2 again", "3 again", "4 again");
        assertThat(third.came).endsWith(FrameType.WITHDRAWN);
        assertThat(second.came).isEmpty();
        assertThat(inShard(() -> shard.rank(JOB, 0).mailbox().unexpected())).as("what each of them has said is here").isOne();
    }

    /** It is said again behind the same gate, once. */
    @Test
    void gatedFramesAreResentOnceSyncedAfterPeerRestart() throws Exception {
        LinkedRelay other = inControl(() -> relay.links().other("far"));
        RelayPeer peer = other.peer(shard);
        openJob(peer, Durability.HOST);
        shard.strand().submit(() -> List.of(1, 2).forEach(number -> peer.send(offer(0, 1, number))));
        Far restarted = new Far();
        int port = farLinks.port();
        get(farLinks.close());
        startAgain(restarted, port, 2);
        farContext.runOnContext(now -> farLinks.send("near", offer(1, 0, 1)));
        await().atMost(PATIENCE).until(() -> inControl(() -> other.flow().counts()).messagesIn() == 1);
        inShard(() -> {}); // It holds what it is given,
        inControl(() -> null); // what is on the way is gathered,
        inShard(() -> peer.send(offer(0, 1, 3))); // and it has decided.
        assertThat(far.offers).isEmpty();
        disk.goOn();
        await().atMost(PATIENCE).until(() -> restarted.offers.contains("3"));
        assertThat(restarted.offers).containsExactly("1 again", "2 again", "3");
    }

    @Test
    void blockedReportPassesFramesHeldByAFailedDisk() throws Exception {
        RelayPeer peer = inControl(() -> relay.links().other("far")).peer(shard);
        openJob(peer, Durability.HOST);
        inShard(() -> peer.send(offer(0, 1, 1)));
        disk.fail();
        await().atMost(PATIENCE).until(() -> inShard(() -> shard.gate().hasGivenUp()));
        inShard(() -> {
            peer.send(offer(0, 1, 2));
            peer.stall(FrameType.BLOCKED, new BlockedReport(JOB + 1, 1, 2, 3, 4, 5, "bcast"));
        });
        await().atMost(PATIENCE).until(() -> far.came.contains(FrameType.BLOCKED));
        assertThat(far.offers).isEmpty();
    }

    /** What it says again never lacks credit; a cut of the other relay's link, or a fault of it, would fill this one's memory (P6). */
    @Test
    void aRankIsNotReadOnWhileTheOtherRelayHasTooMuchOfItToHandle() throws Exception {
        int messages = 1_500;
        int bytes = 60_000;
        try (RawPeer launcher = RawPeer.connect(relay.address());
                RawPeer rank = RawPeer.connect(relay.address())) {
            launcher.hello(Hello.launcher());
            launcher.readFrame();
            List<HomeRelay> homes = List.of(new HomeRelay("near", "near", relay.address()), new HomeRelay("far", "far", "f:1"));
            Token token = Token.random();
            launcher.send(new JobOpen(JOB, token, Durability.PROCESS, false, "test", homes, new int[] {0, 1}).encode());
            assertThat(new FrameView().wrap(launcher.readFrame(), 0).type()).isSameAs(FrameType.JOB_OPENED);
            rank.hello(Hello.firstStart(JOB, 0), token);
            rank.readFrame();
            Thread sender = Thread.ofPlatform().start(() -> {
                for (int message = 1; message <= messages; message++) {
                    ByteBuf frame = send(message, bytes);
                    new FrameView().wrap(frame.nioBuffer(), 0).flags(FrameView.AGAIN).address(0, 0, 1, message).sequence(message).content(bytes, bytes, 1);
                    sendUnchecked(rank, frame.nioBuffer());
                }
            });
            long most = (64L << 20) / bytes + 1;
            await().atMost(PATIENCE).until(() -> far.names.size() >= most - 10);
            await().atMost(PATIENCE).during(Duration.ofMillis(200)).until(() -> far.names.size() <= most);
            assertThat(far.names).hasSizeLessThan(messages);
            far.handlesAll = true;
            farContext.runOnContext(now -> far.names.values().forEach(name -> farLinks.handled("near", name)));
            await().atMost(PATIENCE).until(() -> far.names.size() == messages);
            sender.join();
        }
    }

    /** It asks the same again and again: what it is answered would fill this one's memory, and end it for everybody. */
    @Tag("long")
    @Test
    void aRelayThatAcknowledgesNoAnswersIsGivenNoMore() throws Exception {
        int most = 2 * LinkedRelay.ANSWERS_MAX;
        int asked = most + 100;
        openJob(inControl(() -> relay.links().other("far")).peer(shard), Durability.PROCESS);
        far.handlesAnswers = false;
        farContext.runOnContext(now -> IntStream.range(0, asked).forEach(i -> farLinks.send("near", withdraw(1, 0, 1))));
        await().atMost(PATIENCE).until(() -> far.answers.size() >= most);
        await().atMost(PATIENCE).during(Duration.ofMillis(500)).until(() -> far.answers.size() == most);
        far.handlesAnswers = true;
        farContext.runOnContext(now -> far.answers.forEach(name -> farLinks.handled("near", name)));
        await().atMost(PATIENCE).until(() -> far.came.size() == 100);
    }

    /** They share a core and the link to another. What is acknowledged of the one that need not wait for the disk says nothing of the other. */
    @Test
    void otherJobsAcknowledgementsDoNotCoverFramesWaitingForTheDisk() throws Exception {
        try (RawPeer launcher = RawPeer.connect(relay.address());
                RawPeer waits = RawPeer.connect(relay.address());
                RawPeer passes = RawPeer.connect(relay.address())) {
            launcher.hello(Hello.launcher());
            launcher.readFrame();
            Token token = Token.random();
            open(launcher, JOB, token, Durability.HOST);
            shard = relay.shards().of(JOB, 0);
            long other = JOB;
            do {
                other++;
                open(launcher, other, token, Durability.PROCESS);
            } while (relay.shards().of(other, 0) != shard);
            waits.hello(Hello.firstStart(JOB, 0), token);
            waits.readFrame();
            passes.hello(Hello.firstStart(other, 0), token);
            passes.readFrame();
            waits.send(kept(JOB, LONG));
            waits.send(asksForAck(JOB));
            await().atMost(PATIENCE).until(() -> inShard(() -> shard.rank(JOB, 0).sends().creditMessagesUsed()) == 1);
            passes.send(kept(other, SHORT));
            passes.send(asksForAck(other));
            await().atMost(PATIENCE).until(() -> far.names.containsKey(SHORT));
            handle(SHORT);
            while (safe(passes.readFrame()) == 0) {}
            assertThat(far.names).doesNotContainKey(LONG);
            disk.goOn();
            await().atMost(PATIENCE).until(() -> far.names.containsKey(LONG));
            launcher.send(new CloseNotice(JOB, 0, 0, "enough").encode(FrameType.JOB_CLOSE));
            FrameType last;
            do {
                ByteBuffer frame = waits.readFrame();
                assertThat(safe(frame)).as("frames that are safe, though the other relay has handled none").isZero();
                last = new FrameView().wrap(frame, 0).type();
            } while (last != FrameType.ABORT);
        }
    }

    private static void open(RawPeer launcher, long job, Token token, Durability durability) throws IOException {
        open(launcher, job, token, durability, "far");
    }

    private static void open(RawPeer launcher, long job, Token token, Durability durability, String other) throws IOException {
        List<HomeRelay> homes = List.of(new HomeRelay("near", "near", "n:1"), new HomeRelay(other, other, "f:1"));
        launcher.send(new JobOpen(job, token, durability, false, "test", homes, new int[] {0, 1}).encode());
        assertThat(new FrameView().wrap(launcher.readFrame(), 0).type()).isSameAs(FrameType.JOB_OPENED);
    }

    private static ByteBuffer kept(long job, int tag) {
        ByteBuffer frame = ByteBuffer.allocate(Wire.MESSAGE_HEADER_BYTES);
        new FrameView().wrap(frame, 0).begin(FrameType.SEND, Wire.MESSAGE_HEADER_BYTES, job).address(0, 0, 1, tag).sequence(1).content(0, 0, 1);
        return frame;
    }

    private static ByteBuffer asksForAck(long job) {
        ByteBuffer frame = ByteBuffer.allocate(Wire.EVENTS_HEADER_BYTES);
        new FrameView().wrap(frame, 0).begin(FrameType.EVENTS, Wire.EVENTS_HEADER_BYTES, job).flags(FrameView.ACK_NOW).events(1, 0, 0);
        return frame;
    }

    private static long safe(ByteBuffer frame) {
        FrameView view = new FrameView().wrap(frame, 0);
        return view.type() == FrameType.ACK ? view.safe() : 0;
    }

    private static void sendUnchecked(RawPeer peer, ByteBuffer bytes) {
        try {
            peer.send(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void startAgain(Far restarted, int port, long epoch) throws Exception {
        farLinks = new Links(farContext, links(authority, "far", epoch).listen("127.0.0.1", port), restarted);
        get(farLinks.start());
        farContext.runOnContext(now -> farLinks.expect("near"));
    }

    private void inShard(Runnable what) throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        shard.strand().submit(() -> {
            what.run();
            done.complete(null);
        });
        done.get(60, TimeUnit.SECONDS);
    }

    private <T> T inShard(Supplier<T> what) throws Exception {
        AtomicReference<T> told = new AtomicReference<>();
        inShard(() -> told.set(what.get()));
        return told.get();
    }

    private static void enter(Strand strand) {
        while (!strand.tryEnter()) {
            Thread.onSpinWait();
        }
    }

    private <T> T inControl(Supplier<T> what) throws Exception {
        CompletableFuture<T> told = new CompletableFuture<>();
        relay.control().submit(() -> told.complete(what.get()));
        return told.get(60, TimeUnit.SECONDS);
    }

    /** Of rank 0 here, and rank 1 there. */
    private void openJob(RelayPeer peer, Durability durability) throws Exception {
        List<HomeRelay> homes = List.of(new HomeRelay("near", "near", "n:1"), new HomeRelay("far", "far", "f:1"));
        JobOpen opening = new JobOpen(JOB, Token.random(), durability, false, "test", homes, new int[] {0, 1});
        CompletableFuture<Void> open = new CompletableFuture<>();
        shard.strand().submit(() -> {
            try {
                shard.gate(opening);
                shard.core().openJob(opening, rank -> rank == 0 ? null : peer, event -> {}, Journal.NONE);
                open.complete(null);
            } catch (Refusal e) {
                open.completeExceptionally(e);
            }
        });
        open.get(60, TimeUnit.SECONDS);
    }

    private static ByteBuf offer(int source, int destination, long sequence) {
        ByteBuffer frame = ByteBuffer.allocate(Wire.MESSAGE_HEADER_BYTES);
        new FrameView().wrap(frame, 0)
                .begin(FrameType.OFFER, Wire.MESSAGE_HEADER_BYTES, JOB)
                .address(4, source, destination, 0)
                .sequence(sequence)
                .content(100, 100, 1);
        return Unpooled.wrappedBuffer(frame);
    }

    private static ByteBuf withdraw(int source, int destination, long sequence) {
        int bytes = FrameType.WITHDRAW.bytesMin();
        ByteBuffer frame = ByteBuffer.allocate(bytes);
        new FrameView().wrap(frame, 0).begin(FrameType.WITHDRAW, bytes, JOB).address(4, source, destination, 0).sequence(sequence);
        return Unpooled.wrappedBuffer(frame);
    }

    private void handle(int tag) {
        farContext.runOnContext(now -> farLinks.handled("near", far.names.get(tag)));
    }

    private static ByteBuf send(int tag, int payloadBytes) {
        int bytes = Wire.MESSAGE_HEADER_BYTES + payloadBytes;
        ByteBuffer frame = ByteBuffer.allocate(bytes);
        new FrameView().wrap(frame, 0).begin(FrameType.SEND, Wire.MESSAGE_HEADER_BYTES, JOB).length(bytes).address(0, 1, 2, tag);
        return Unpooled.wrappedBuffer(frame);
    }

    private static <T> T get(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }
}
