package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.CheckpointNotice;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FailureMode;
import org.posthouse.wire.FollowedRanks;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Token;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.WireException;

/**
 * One relay core at site "here" with a job of five ranks: 0, 1 and 2 at home here, 3 at site "there", 4 at "far". Ports
 * write down what the core does. A test ends with {@link #end}, which finds leaks.
 */
final class OneRelay {
    static final long JOB = 0xbeef;
    static final long OTHER_JOB = 0xcafe;
    static final Token TOKEN = new Token(7, 9);

    final Frames frames = new Frames(JOB);
    final ParcelLedger ledger = new ParcelLedger();
    final List<String> sites = new ArrayList<>();

    /** What was dropped because who said it has no rank of the job. */
    final List<String> strangers = new ArrayList<>();

    /** All that ranks, links and the log get, in this order. */
    final List<String> trace = new ArrayList<>();
    final List<JobEvent> events = new ArrayList<>();
    final List<JobEvent> otherEvents = new ArrayList<>();
    final CoreConfig config;
    final TableJournal journal = new TableJournal(ledger, frames, trace);
    final TableHistorySource historySource = new TableHistorySource();
    final TableImages images = new TableImages();
    final RelayCore core;
    final Peer there = new Way("there");
    final Peer far = new Way("far");
    boolean linked = true;

    /** Of the frame that was passed on last. */
    int flags;

    /** The core's clock. */
    long nanos = 1_000_000_000_000L;

    OneRelay() throws Refusal {
        this(false);
    }

    private OneRelay(boolean logged) throws Refusal {
        this(logged, false);
    }

    private OneRelay(boolean logged, boolean keepsOutput) throws Refusal {
        this(logged, keepsOutput, 0);
    }

    private OneRelay(boolean logged, boolean keepsOutput, long unexpectedBytes) throws Refusal {
        this(logged, keepsOutput, FailureMode.usual(logged), unexpectedBytes);
    }

    private OneRelay(boolean logged, boolean keepsOutput, FailureMode onFailure, long unexpectedBytes) throws Refusal {
        this(logged, keepsOutput, onFailure, unexpectedBytes, FollowedRanks.NONE);
    }

    private OneRelay(boolean logged, boolean keepsOutput, FailureMode onFailure, long unexpectedBytes, FollowedRanks followed) throws Refusal {
        config = new CoreConfig(CoreConfig.CREDIT_BYTES_MIN, 16, 128 * 1024, 64 * 1024, 128 * 1024, 20, 30, unexpectedBytes);
        core = new RelayCore("relay-here", config, 1, UnexpectedPool.own(config, 1), () -> this.nanos, historySource, images);
        JobOpen opening = opening(JOB, logged);
        JobOpen told = onFailure == FailureMode.REBUILD ? opening.rebuilding(2) : opening.with(onFailure).with(followed);
        open(keepsOutput ? told.keepingOutput() : told, events);
        open(opening(OTHER_JOB, logged), otherEvents);
    }

    private void open(JobOpen opening, List<JobEvent> told) throws Refusal {
        core.openJob(opening, this::peerOf, told::add, opening.logged() || opening.remembers() ? journal : Journal.NONE);
    }

    /** The ranks of its first job are told of a rank that has died, and go on. */
    static OneRelay tellingFailures() throws Refusal {
        return tellingFailures(0);
    }

    /** The same, with so much memory for messages that wait for their receives. */
    static OneRelay tellingFailures(long unexpectedBytes) throws Refusal {
        return new OneRelay(false, false, FailureMode.BLANK, unexpectedBytes);
    }

    /** The same in a job that is logged in {@link #journal}, of ranks that the launcher gives up. */
    static OneRelay loggedTellingFailures() throws Refusal {
        return new OneRelay(true, false, FailureMode.RESTART_SHRINK, 0);
    }

    /** A rank of its first job that dies gets a second process, with the number of the rank and five. */
    static OneRelay rebuilding() throws Refusal {
        return new OneRelay(false, false, FailureMode.REBUILD, 0);
    }

    /** It has so much memory for messages that wait for their receives. */
    static OneRelay remembering(long unexpectedBytes) throws Refusal {
        return new OneRelay(false, false, unexpectedBytes);
    }

    /** Its jobs are logged in {@link #journal}. */
    static OneRelay logged() throws Refusal {
        return new OneRelay(true);
    }

    /** The same, and the launcher of the first keeps what its ranks print. */
    static OneRelay keepingOutput() throws Refusal {
        return new OneRelay(true, true);
    }

    /** The history of rank 0 of its first job is in memory, as so many processes follow it. */
    static OneRelay inMemory(int followers) throws Refusal {
        return new OneRelay(false, false, FailureMode.usual(true), 0, FollowedRanks.of(1 + followers, 1, 1, 1, 1));
    }

    Peer peerOf(int rank) {
        int first = rank % 5; // Of the processes of its rank.
        return first < 3 ? null : first == 3 ? there : far;
    }

    /** The peer at this site; for any other name, one that is no home of the job. */
    Peer peer(String site) {
        return site.equals("there") ? there : site.equals("far") ? far : new Way(site);
    }

    static JobOpen opening(long job) {
        return opening(job, false);
    }

    private static JobOpen opening(long job, boolean logged) {
        List<HomeRelay> homes = List.of(
                new HomeRelay("here", "relay-here", "127.0.0.1:1"),
                new HomeRelay("there", "relay-there", "127.0.0.1:2"),
                new HomeRelay("far", "relay-far", "127.0.0.1:3"));
        return new JobOpen(job, TOKEN, logged, "table", homes, new int[] {0, 0, 0, 1, 2});
    }

    Rank connect(int rank) throws Refusal {
        Rank port = new Rank();
        connect(Hello.firstStart(JOB, rank), port);
        return port;
    }

    void connect(Hello hello, RankPort port, StatePage.Entry... state) throws Refusal {
        core.connect(hello, List.of(state), port);
    }

    void blocked(HomedRank rank, BlockedReport blockedReport) throws WireException {
        core.fromRank(rank, new TestFrame(blockedReport.encode(FrameType.BLOCKED).slice(), ledger));
    }

    void pointed(HomedRank rank, CheckpointNotice checkpointNotice) throws WireException {
        core.fromRank(rank, new TestFrame(checkpointNotice.encode().slice(), ledger));
    }

    void fromSite(String site, ByteBuffer frame) {
        core.fromPeer(peer(site), new TestFrame(frame, ledger));
    }

    /** The reason that the job's launcher was given for its end, or null. */
    String failure() {
        return events.stream()
                .filter(event -> event.kind() == JobEvent.ABORTED)
                .map(JobEvent::text)
                .findFirst()
                .orElse(null);
    }

    /** Closes the jobs; nothing may be left. */
    void end() {
        core.closeJob(JOB, new CloseNotice(JOB, 0, -1, ""));
        core.closeJob(OTHER_JOB, new CloseNotice(OTHER_JOB, 0, -1, ""));
        assertThat(ledger.open()).as("parcels still held").isZero();
        assertThat(core.lentBytes()).isZero();
        assertThat(core.underWayBytes()).isZero();
        assertThat(core.jobs()).isEmpty();
    }

    /** The way to a relay at another site; writes down what is sent there. */
    final class Way implements Peer {
        private final String site;

        private Way(String site) {
            this.site = site;
        }

        private void passes(String what) {
            sites.add(what);
            trace.add("link: " + what);
        }

        @Override
        public boolean isFar() {
            return true;
        }

        @Override
        public boolean forward(Parcel frame, boolean kept) {
            TestParcel parcel = (TestParcel) frame;
            FrameView view = parcel.view();
            flags = view.flags();
            passes("forward " + site + " " + view.type() + " " + view.source() + "->" + view.destination() + " #" + view.sequence());
            parcel.release();
            return linked;
        }

        @Override
        public void clear(long job, int context, int source, int destination, long sequence, long upTo) {
            passes("clear " + site + " " + source + "->" + destination + " #" + sequence + " up to " + upTo);
        }

        @Override
        public void offerAgain(long job, int context, int source, int destination, long sequence, long bytes) {
            passes("offer again " + site + " " + source + "->" + destination + " #" + sequence);
        }

        @Override
        public void withdraw(long job, int context, int source, int destination, long sequence) {
            passes("withdraw " + site + " " + source + "->" + destination + " #" + sequence);
        }

        @Override
        public void withdrawn(long job, int context, int source, int destination, long sequence, boolean gone) {
            passes("withdrawn " + site + " " + source + "->" + destination + " #" + sequence + " " + gone);
        }

        @Override
        public void stall(FrameType type, BlockedReport blockedReport) {
            passes(type + " " + site + " rank " + blockedReport.rank() + " " + blockedReport.text());
        }

        @Override
        public void failure(ByteBuffer frame, boolean behind) {
            passes(FailureText.of(frame) + " to " + site + (behind ? " behind all" : ""));
        }

        @Override
        public void credit(long job, int rank, long bytes, int messages) {
            passes("credit " + site + " rank " + rank + " " + bytes + " bytes " + messages + " messages");
        }

        @Override
        public void onStranger(String what) {
            strangers.add(site + ": " + what);
        }

        @Override
        public String toString() {
            return "site " + site;
        }
    }

    /** A connected rank and what the core did to it. */
    class Rank implements RankPort {
        final List<String> heard = new ArrayList<>();
        boolean reads = true;
        HomedRank rank;
        Welcome welcome;

        void sends(ByteBuffer frame) throws WireException {
            core.fromRank(rank, new TestFrame(frame, ledger));
        }

        /** The frame is a breach: it is answered with {@code reason}, and changes nothing for others. */
        void isRefused(ByteBuffer frame, CloseReason reason) {
            assertThatExceptionOfType(WireException.class)
                    .isThrownBy(() -> sends(frame))
                    .satisfies(e -> assertThat(e.reason()).as(e.getMessage()).isEqualTo(reason));
        }

        private void hears(String what) {
            heard.add(what);
            trace.add("rank " + (rank == null ? "new" : rank.rank()) + ": " + what);
        }

        List<String> take() {
            List<String> taken = List.copyOf(heard);
            heard.clear();
            return taken;
        }

        @Override
        public void welcome(HomedRank admitted, Welcome answer, List<StatePage.Entry> state) {
            assertThat(heard).as("before it is welcome").isEmpty();
            rank = admitted;
            welcome = answer;
        }

        @Override
        public void deliver(Message message, Parcel head) {
            boolean rides = head.payloadBytes() == message.bytes();
            hears("deliver #" + message.sequence() + " from " + message.source() + " to request "
                    + message.receive().request() + (rides || message.form() != FrameType.SEND ? "" : " without payload"));
            head.release();
        }

        @Override
        public void push(Message message, long ordinal, Parcel head) {
            hears("push #" + message.sequence() + " from " + message.source() + (ordinal == 0 ? "" : " to receive " + ordinal));
            head.release();
        }

        @Override
        public void ended(int context, int round, PushWindow.End why, long pushedCost) {
            hears("ended " + context + " round " + round + " " + why + " at " + pushedCost);
        }

        @Override
        public void chunk(Parcel chunk) {
            hears("chunk of " + chunk.payloadBytes());
            chunk.release();
        }

        @Override
        public void clear(int context, int destination, long sequence, long upTo) {
            hears("clear ->" + destination + " #" + sequence + " up to " + upTo);
        }

        @Override
        public void credit(long bytes, int messages) {
            hears("credit " + bytes + " bytes " + messages + " messages");
        }

        @Override
        public void probeAnswer(int request, Message found) {
            hears("probe " + request + " " + (found == null ? "nothing" : "#" + found.sequence() + " from " + found.source()));
        }

        @Override
        public void cancelled(int request, boolean gone) {
            hears("cancelled " + request + " " + gone);
        }

        @Override
        public void withdrawn(int context, int destination, long sequence, boolean gone) {
            hears("withdrawn ->" + destination + " #" + sequence + " " + gone);
        }

        @Override
        public void failure(ByteBuffer frame) {
            hears(FailureText.of(frame));
        }

        @Override
        public void mismatch(BlockedReport blockedReport) {
            hears("mismatch at " + blockedReport.context() + " number " + blockedReport.number() + ": " + blockedReport.text());
        }

        @Override
        public void point(CheckpointNotice checkpointNotice) {
            hears("point " + checkpointNotice.kind() + " " + checkpointNotice.number() + " " + checkpointNotice.bytes() + ", " + checkpointNotice.events()
                    + " events, "
                    + checkpointNotice.failedPolls() + " failed polls");
        }

        @Override
        public void image(HistoryStep.ImagePiece piece) {
            hears("image " + piece.number() + " at " + piece.offset() + ": " + piece.bytes().remaining());
        }

        @Override
        public void events(long first, int count, int failedPolls, ByteBuffer items, boolean end) {
            hears((end ? "end of history" : "events " + first + " to " + (first + count - 1)) + ", " + failedPolls + " failed polls");
        }

        @Override
        public void ack(long safe, long handled, long[] firstUnsafe) {
            String homes = firstUnsafe.length == 0 ? "" : ", not safe from " + Arrays.toString(firstUnsafe);
            hears("ack " + safe + " safe, " + handled + " handled" + homes);
        }

        @Override
        public void move() {
            hears("move");
        }

        @Override
        public void finalized() {
            hears("finalized");
        }

        @Override
        public void aborted(CloseNotice closeNotice) {
            hears("aborted " + closeNotice.code());
        }

        @Override
        public void close(CloseNotice why) {
            hears("close " + why.reason());
        }

        @Override
        public boolean writable() {
            return reads;
        }
    }
}
