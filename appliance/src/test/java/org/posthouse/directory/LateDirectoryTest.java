package org.posthouse.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.hazelcast.core.Hazelcast;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The directory of a relay that can join its group only when it is there itself. */
@Timeout(120)
class LateDirectoryTest {
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    /** Less than what a member may take to leave. */
    private static final Duration WHILE_IT_LEAVES = Duration.ofSeconds(10);

    @Test
    void entriesFromBeforeTheJoinAreAnnouncedAfterIt() throws Exception {
        List<String> endpoints = Groups.endpoints("127.0.0.1", "127.0.0.1");
        try (HazelcastDirectory other = HazelcastDirectory.start(Groups.config("late", endpoints.get(1), List.of(), "r1"));
                LateDirectory late = new LateDirectory(Groups.config("late", endpoints.get(0), endpoints, "r0"))) {
            late.announce(Groups.relay("r0", 1));
            late.putRanks(List.of(Groups.rank(7, 0, 1, "r0"), Groups.rank(8, 0, 1, "r0")));
            late.removeJob(8);
            assertThat(late.relays()).as("it knows of itself").hasSize(1);
            assertThat(late.ranks(7)).hasSize(1);
            late.join();
            await().atMost(PATIENCE).untilAsserted(() -> {
                assertThat(other.relays()).extracting(RelayEntry::relay).containsExactly("r0");
                assertThat(other.ranks(7)).hasSize(1);
                assertThat(other.ranks(8)).isEmpty();
            });
            other.announce(Groups.relay("r1", 1));
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(late.relays()).hasSize(2));
            late.part();
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(other.relays()).extracting(RelayEntry::relay).containsExactly("r1"));
            late.withdraw("r0", 1);
        }
    }

    /** The way to the others may be cut for days, and jobs come and go. */
    @Test
    void releasesEntriesReplacedOrEndedBeforeTheJoin() throws IOException {
        GroupConfig config = Groups.config("cut", Groups.endpoints("127.0.0.1").getFirst(), List.of(), "r0");
        try (LateDirectory late = new LateDirectory(config)) {
            WeakReference<RankEntry> before = put(late, Groups.rank(7, 0, 1, "r0"));
            put(late, Groups.rank(7, 0, 2, "r0"));
            WeakReference<RankEntry> ended = put(late, Groups.rank(8, 0, 1, "r0"));
            late.removeJob(8);
            await().atMost(PATIENCE).until(() -> {
                System.gc();
                return before.refersTo(null) && ended.refersTo(null);
            });
            assertThat(late.ranks(7)).extracting(RankEntry::incarnation).containsExactly(2);
        }
    }

    private static WeakReference<RankEntry> put(LateDirectory late, RankEntry rank) {
        late.putRanks(List.of(rank));
        return new WeakReference<>(rank);
    }

    /** A relay's own loop writes here, and carries what the member says to the others while that leaves. */
    @Test
    void writesDoNotWaitForALeavingMember() throws IOException {
        CompletableFuture<Boolean> wrote = new CompletableFuture<>();
        AtomicReference<HazelcastDirectory> group = new AtomicReference<>();
        GroupConfig config = Groups.config("leaving", Groups.endpoints("127.0.0.1").getFirst(), List.of(), "r0");
        try (LateDirectory late = new LateDirectory(config, (member, port) -> group.updateAndGet(none -> HazelcastDirectory.start(member, port)), 1)) {
            late.announce(Groups.relay("r0", 1));
            late.join();
            group.get().member().getLifecycleService()
                    .addLifecycleListener(leaving -> wrote.complete(endsWithin(WHILE_IT_LEAVES, () -> late.putRanks(List.of(Groups.rank(7, 0, 1, "r0"))))));
            late.part();
        }
        assertThat(wrote).isCompletedWithValue(true);
    }

    private static boolean endsWithin(Duration patience, Runnable work) {
        Thread thread = Thread.ofPlatform().start(work);
        try {
            return thread.join(patience);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Two groups of one, of which neither was told of the other at its start, become one when one of them is. */
    @Test
    void joinsMemberWhoseAddressArrivesLater() throws Exception {
        List<String> endpoints = Groups.endpoints("127.0.0.1", "127.0.0.1");
        try (HazelcastDirectory other = HazelcastDirectory.start(Groups.config("met", endpoints.get(1), List.of(), "r1"));
                LateDirectory late = new LateDirectory(Groups.config("met", endpoints.get(0), List.of(), "r0"))) {
            late.announce(Groups.relay("r0", 1));
            late.join();
            other.announce(Groups.relay("r1", 1));
            late.meet(endpoints.get(1));
            Groups.awaitMembers(other, 2);
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(late.relays()).hasSize(2));
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(other.relays()).hasSize(2));
        }
    }

    /** Their names may never come again: each would be dialled whenever parts of the group look for each other. */
    @Test
    void looksNoLongerForThoseThatHaveGone() throws IOException {
        List<String> endpoints = Groups.endpoints("127.0.0.1", "127.0.0.1", "127.0.0.1");
        try (HazelcastDirectory directory = HazelcastDirectory.start(Groups.config("gone", endpoints.getFirst(), List.of(), "r0"))) {
            List<String> lookedFor = directory.member().getConfig().getAdvancedNetworkConfig().getJoin().getTcpIpConfig().getMembers();
            List<String> first = List.copyOf(lookedFor);
            directory.meet(endpoints.get(1));
            directory.meet(endpoints.get(2));
            directory.miss(endpoints.get(1));
            assertThat(lookedFor).containsAll(first).hasSize(first.size() + 1).doesNotContain(endpoints.get(1));
        }
    }

    @Test
    void nobodyElseGetsTheMembersPortBeforeTheMemberDoes() throws IOException {
        GroupConfig config = Groups.config("kept", Groups.endpoints("127.0.0.1").getFirst(), List.of(), "r0");
        try (LateDirectory late = new LateDirectory(config)) {
            assertThat(late.relays()).isEmpty();
            assertThatThrownBy(() -> new ServerSocket(config.port(), 1, InetAddress.getByName(config.host())).close())
                    .isInstanceOf(BindException.class);
        }
        Groups.awaitFree(config);
    }

    /** Who waits at the port stays there while it passes from the directory to the member: at no moment is it free. */
    @Test
    void memberAnswersConnectionsOpenedBeforeItStarted() throws IOException {
        GroupConfig config = Groups.config("handed", Groups.endpoints("127.0.0.1").getFirst(), List.of(), "r0");
        try (LateDirectory late = new LateDirectory(config);
                Socket early = new Socket(config.host(), config.port())) {
            early.setSoTimeout((int) PATIENCE.toMillis());
            early.getOutputStream().write(Arrays.copyOf(GroupHandshake.MAGIC, GroupHandshake.HELLO_BYTES));
            late.join();
            assertThat(early.getInputStream().readNBytes(GroupHandshake.MAGIC.length)).as("its own HELLO").isEqualTo(GroupHandshake.MAGIC);
        }
        Groups.awaitFree(config);
    }

    /** The member is on its way as soon as it dials another one, which says nothing: so it is for some time. */
    @Test
    void leavesNeitherMemberNorPortBehindIfItEndsWhileItsMemberStarts() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            GroupConfig config = Groups.config("ended", Groups.endpoints("127.0.0.1").getFirst(), List.of("127.0.0.1:" + silent.getLocalPort()), "r0");
            LateDirectory late = new LateDirectory(config);
            CompletableFuture<Void> joined = CompletableFuture.runAsync(late::join, task -> new Thread(task, "join").start());
            silent.accept().close();
            late.close();
            assertThat(joined).as("nobody has to wait for the member").isNotDone();
            silent.close();
            assertThat(joined).failsWithin(PATIENCE).withThrowableThat().withCauseInstanceOf(GroupException.class).withMessageContaining("relay r0: ");
            assertThat(Hazelcast.getAllHazelcastInstances()).extracting(member -> member.getConfig().getClusterName()).doesNotContain("ended");
            Groups.awaitFree(config);
        }
    }

    /** The relay serves already, and has jobs: it does not end because its group is out of order. */
    @Test
    void aMemberThatCannotStartIsFollowedByAnotherOne() throws IOException {
        GroupConfig config = Groups.config("again", Groups.endpoints("127.0.0.1").getFirst(), List.of(), "r0");
        AtomicInteger fails = new AtomicInteger(2);
        try (LateDirectory late = new LateDirectory(config, (group, port) -> start(group, port, fails), 1)) {
            late.announce(Groups.relay("r0", 1));
            late.join();
            assertThat(fails).hasValue(-1);
            assertThat(late.relays()).extracting(RelayEntry::relay).containsExactly("r0");
        }
        Groups.awaitFree(config);
    }

    private static HazelcastDirectory start(GroupConfig group, ServerSocketChannel port, AtomicInteger fails) {
        if (fails.getAndDecrement() == 0) {
            return HazelcastDirectory.start(group, port);
        }
        GroupMember.release(port, group);
        throw new GroupException("relay r0: as the test wants it");
    }

    @Test
    void nobodyWaitsForTheNextMemberOfADirectoryThatIsClosed() throws IOException {
        GroupConfig config = Groups.config("no more", Groups.endpoints("127.0.0.1").getFirst(), List.of(), "r0");
        CompletableFuture<Void> tried = new CompletableFuture<>();
        LateDirectory late = new LateDirectory(
                config,
                (group, port) -> {
                    tried.complete(null);
                    return start(group, port, new AtomicInteger(1));
                },
                PATIENCE.toMillis() * 10);
        CompletableFuture<Void> joined = CompletableFuture.runAsync(late::join, task -> new Thread(task, "join").start());
        assertThat(tried).succeedsWithin(PATIENCE);
        late.close();
        assertThat(joined).failsWithin(PATIENCE).withThrowableThat().withCauseInstanceOf(GroupException.class).withMessageContaining("relay r0: ");
        Groups.awaitFree(config);
    }

    @Test
    void refusesOccupiedPortAtConstruction() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            GroupConfig config = Groups.config("taken", "127.0.0.1:" + taken.getLocalPort(), List.of(), "r0");
            assertThatThrownBy(() -> new LateDirectory(config)).isInstanceOf(GroupException.class).hasMessageContaining("cannot be bound");
        }
    }
}
