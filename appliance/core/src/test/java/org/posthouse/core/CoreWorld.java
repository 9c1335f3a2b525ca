package org.posthouse.core;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Token;
import org.posthouse.wire.Wire;

/**
 * A whole grid in one thread and virtual time: relays of several sites, each of one core or more, links with seeded delays that keep each
 * link's order and sometimes bring a frame twice, ranks that run a random program. One seed is one run, always the
 * same. Any broken promise is an AssertionError.
 */
final class CoreWorld {
    static final long JOB = 0x5eed;

    /** The usual limit of eager messages. */
    static final int EAGER_BYTES = 256 * 1024;

    private record Channel(int context, int source, int destination, long sequence) {}

    private final Random random;
    private final SimClock clock = new SimClock();
    private final CoreConfig config;
    private final boolean logged;
    private final int eagerBytesMax;
    private final List<SimRelay> cores = new ArrayList<>();
    private final Map<List<Integer>, SimLink> ways = new HashMap<>();
    private final SimTrouble trouble;
    private final Frames frames = new Frames(JOB);
    private final Map<Channel, SimLetter> sent = new HashMap<>();

    /** Of jobs without a log: what came to each rank, in the order in which its mailbox took it in. */
    private final Map<Integer, List<SimLetter>> arrived = new HashMap<>();

    private final Map<List<Integer>, Long> arrivedUpTo = new HashMap<>();
    private final List<SimRank> ranks = new ArrayList<>();
    private final SimProgram program;
    private final JobOpen opening;
    private final int shards;
    private final int[] coreOf;
    private final ParcelLedger ledgerOfRanks = new ParcelLedger();

    /** For each core, what each rank was told to send of offers to it and has not come: as their frames say. */
    private final long[][] underWay;

    private final Random holding;
    private int holds;
    private int withdrawals;
    private int pulled;

    CoreWorld(long seed) {
        this(seed, false);
    }

    /** @param troubled whether connections break and relays are killed */
    CoreWorld(long seed, boolean troubled) {
        random = new Random(seed);
        holding = new Random(seed);
        trouble = troubled ? new SimTrouble(this, random) : null;
        int sites = 1 + random.nextInt(4);
        int size = Math.max(2, sites) + random.nextInt(5);
        config = randomConfig(random);
        logged = random.nextInt(3) > 0 || troubled;
        eagerBytesMax = new int[] {0, EAGER_BYTES, EAGER_BYTES, Wire.EAGER_BYTES_MAX}[random.nextInt(4)];
        program = new SimProgram(random, size);
        opening = opening(sites, size);
        shards = 1 + random.nextInt(3);
        for (int core = 0; core < sites * shards; core++) {
            cores.add(newCore(core, new SimJournal(this, frames)));
        }
        underWay = new long[cores.size()][size];
        coreOf = new int[size];
        for (int rank = 0; rank < size; rank++) {
            coreOf[rank] = opening.homeOf()[rank] * shards + random.nextInt(shards);
        }
        for (int rank = 0; rank < size; rank++) {
            ranks.add(new SimRank(this, rank, program.stepsOf(rank), random, frames));
        }
    }

    private static CoreConfig randomConfig(Random random) {
        return switch (random.nextInt(3)) {
            case 0 -> new CoreConfig(
                    CoreConfig.CREDIT_BYTES_MIN, 16, 2 * Wire.PAYLOAD_BYTES_MAX, Wire.PAYLOAD_BYTES_MAX, Wire.PAYLOAD_BYTES_MAX,
                    random.nextInt(9), 12, 16 << 10);
            case 1 -> new CoreConfig(
                    CoreConfig.CREDIT_BYTES_MIN + random.nextInt(1 << 20), 16 + random.nextInt(40), (2L + random.nextInt(4)) * Wire.PAYLOAD_BYTES_MAX,
                    random.nextInt(5) * (long) Wire.PAYLOAD_BYTES_MAX, (4L + random.nextInt(8)) * Wire.PAYLOAD_BYTES_MAX,
                    random.nextInt(100), 1_000, 512 << 10);
            default -> CoreConfig.DEFAULT;
        };
    }

    private JobOpen opening(int sites, int size) {
        List<HomeRelay> homes = new ArrayList<>();
        for (int site = 0; site < sites; site++) {
            String name = "site-" + (char) ('a' + site);
            homes.add(new HomeRelay(name, name, "127.0.0.1:0"));
        }
        int[] homeOf = new int[size];
        for (int rank = 0; rank < size; rank++) {
            homeOf[rank] = rank < sites ? rank : random.nextInt(sites);
        }
        return new JobOpen(JOB, new Token(1, 2), logged, "sim", homes, homeOf);
    }

    /** Runs the program to its end and checks that everything is where it belongs. */
    void run() {
        cores.forEach(core -> core.open(opening));
        for (int rank = 0; rank < ranks.size(); rank++) {
            int number = rank;
            clock.at(random.nextInt(300), () -> connect(number));
        }
        if (trouble != null) {
            trouble.plan();
        }
        if (logged && holding.nextInt(3) == 0) {
            IntStream.range(0, cores.size()).forEach(this::planHold);
        }
        clock.run();
        checkEnd();
    }

    /** A log comes to its limit, and has room again; perhaps more than once. */
    private void planHold(int core) {
        clock.after(holding.nextInt(800), () -> {
            holds++;
            cores.get(core).holds(true);
            clock.after(holding.nextInt(300), () -> {
                cores.get(core).holds(false);
                if (holding.nextInt(3) == 0) {
                    planHold(core);
                }
            });
        });
    }

    private SimRelay newCore(int core, SimJournal journal) {
        return new SimRelay(this, opening.homes().get(core / shards).relay(), core, shards, frames, journal);
    }

    /** A rank dials its relay: for the first time, or again. */
    void connect(int rank) {
        if (!isAlive(relayOfRank(rank))) {
            clock.after(1 + random.nextInt(100), () -> connect(rank));
            return;
        }
        int slowBytes = random.nextInt(3) == 0 ? 1 + random.nextInt(100_000) : Integer.MAX_VALUE;
        SimLine line = ranks.get(rank).line();
        Hello hello = ranks.get(rank).hello(opening.token());
        List<StatePage.Entry> state = ranks.get(rank).state();
        line.dial(
                new SimPipe(clock, random, random.nextInt(8)),
                new SimPipe(clock, random, random.nextInt(20)),
                () -> cores.get(coreOf[rank]).connect(line, hello, state, slowBytes));
    }

    /** All cores of a relay are gone, with the connections of its ranks and what is under way on its links. */
    void kill(int relay) {
        for (int core = relay * shards; core < (relay + 1) * shards; core++) {
            cores.get(core).die();
        }
        ways.forEach((way, link) -> {
            if (relayOf(way.get(0)) == relay) {
                link.end();
            } else if (relayOf(way.get(1)) == relay) {
                link.lose();
            }
        });
        ways.keySet().removeIf(way -> relayOf(way.get(0)) == relay);
    }

    /** It starts on its journals. */
    void restart(int relay) {
        for (int core = relay * shards; core < (relay + 1) * shards; core++) {
            cores.set(core, newCore(core, cores.get(core).journal()));
            cores.get(core).open(opening);
        }
        for (int other = 0; other < cores.size(); other++) {
            for (int core = relay * shards; core < (relay + 1) * shards; core++) {
                if (relayOf(other) != relay && cores.get(other).isAlive()) {
                    SimLink link = ways.get(List.of(other, core));
                    cores.get(other).peerRestarted(core, link == null ? List.of() : link.takeUnacknowledged());
                }
            }
        }
        for (int core = relay * shards; core < (relay + 1) * shards; core++) {
            List<RecoveredRank> recovered = new ArrayList<>();
            for (int rank = 0; rank < coreOf.length; rank++) {
                if (relayOf(coreOf[rank]) == relay) {
                    recovered.add(cores.get(coreOf[rank]).journal().recovered(rank));
                }
            }
            RelayCore restored = cores.get(core).core();
            restored.restore(restored.job(JOB), recovered);
        }
    }

    private int relayOf(int core) {
        return core / shards;
    }

    int relayOfRank(int rank) {
        return relayOf(coreOf[rank]);
    }

    int relays() {
        return cores.size() / shards;
    }

    boolean isAlive(int relay) {
        return cores.get(relay * shards).isAlive();
    }

    private void checkEnd() {
        for (SimRank rank : ranks) {
            check(rank.isFinalized(), "stuck: " + ranks + cores);
            rank.checkOrder();
        }
        arrived.forEach((rank, letters) -> ranks.get(rank).checkMatches(letters));
        for (SimLetter letter : program.letters()) {
            check(letter.received, letter + " was never received");
        }
        int portionMessages = config.creditPortionMessages(cores.size());
        long portionBytes = config.creditPortionBytes(cores.size());
        for (SimRelay relay : cores) {
            for (HomedRank rank : relay.core().job(JOB).homedRanks()) {
                check(rank.receives().ahead() == 0, rank + " has " + rank.receives().ahead() + " messages in the log left");
                check(rank.sends().offers() == 0, rank + " has " + rank.sends().offers() + " offers left");
                check(rank.state() == RankState.FINALIZED, rank + " is " + rank.state());
                check(rank.mailbox().unexpected() == 0 && rank.mailbox().posted() == 0, "left in the mailbox of " + rank);
                check(
                        rank.sends().creditMessagesUsed() <= cores.size() * (portionMessages - 1)
                                && rank.sends().creditBytesUsed() <= cores.size() * (portionBytes - 1)
                                && rank.sends().creditMessagesUsed() >= 0
                                && rank.sends().creditBytesUsed() >= 0,
                        "credit never came back to " + rank + ": " + rank.sends().creditMessagesUsed() + " messages, "
                                + rank.sends().creditBytesUsed() + " bytes");
            }
            check(
                    matches(relay.core().statistics().messageWaits()) == relay.core().statistics().matched()
                            && matches(relay.core().statistics().receiveWaits()) == relay.core().statistics().matched() - relay.core().statistics().pushed(),
                    "matches without a time, of " + relay.core().statistics().matched());
            relay.end();
        }
    }

    private static long matches(Latencies waits) {
        return IntStream.range(0, Latencies.buckets()).mapToLong(waits::count).sum();
    }

    // ---- what the relays and ranks call

    SimClock clock() {
        return clock;
    }

    CoreConfig config() {
        return config;
    }

    int eagerBytesMax() {
        return eagerBytesMax;
    }

    boolean logged() {
        return logged;
    }

    boolean troubled() {
        return trouble != null;
    }

    /** How often a connection was cut, and a relay killed. */
    int troubles() {
        return trouble.count();
    }

    Random random() {
        return random;
    }

    /** The cores' clock. */
    long nanos() {
        return clock.now();
    }

    int ranks() {
        return ranks.size();
    }

    SimRank rank(int rank) {
        return ranks.get(rank);
    }

    ParcelLedger ledgerOfRanks() {
        return ledgerOfRanks;
    }

    /** The most payload bytes that one relay ever held for one rank. */
    long timesWaited() {
        return cores.stream().mapToLong(SimRelay::timesWaited).sum();
    }

    long bytesHeldMax() {
        return cores.stream().mapToLong(SimRelay::bytesHeldMax).max().orElse(0);
    }

    /** The most messages that ever waited in one relay's log with their credit given back. */
    int aheadMax() {
        return cores.stream().mapToInt(SimRelay::aheadMax).max().orElse(0);
    }

    /** Times that payload was read back from a log. */
    int piecesReadBack() {
        return cores.stream().mapToInt(SimRelay::piecesReadBack).sum();
    }

    /** Now and then the disk is nearly full. */
    boolean hasAmpleRoom() {
        return random.nextInt(20) > 0;
    }

    /** Whether the connection of this rank takes more. */
    boolean isReading(int rank) {
        SimRelay.Port port = ranks.get(rank).line().port();
        return port == null || port.writable();
    }

    /** Its receiver has read since it was matched, or cleared last: from then on its word may have waited for room. */
    private void checkReads(SimLetter letter) {
        SimRelay.Port port = ranks.get(letter.destination).line().port();
        if (port != null) {
            check(port.timesFree() > letter.timesFree, "cleared although the receiver does not read: " + letter);
            letter.timesFree = port.timesFree();
        }
    }

    /** Offers that were taken back, and receives. */
    int takenBack() {
        return withdrawals + ranks.stream().mapToInt(SimRank::receivesCancelled).sum();
    }

    void sent(SimLetter letter) {
        sent.put(new Channel(letter.context, letter.source, letter.destination, letter.sequence), letter);
    }

    /** A frame that begins a message comes to its mailbox; it may be there already. */
    void arrives(FrameView view) {
        Long next = arrivedUpTo.getOrDefault(List.of(view.context(), view.source(), view.destination()), 0L) + 1;
        if (!logged && view.sequence() == next) {
            arrivedUpTo.put(List.of(view.context(), view.source(), view.destination()), next);
            arrived.computeIfAbsent(view.destination(), none -> new ArrayList<>())
                    .add(letter(view.context(), view.source(), view.destination(), view.sequence()));
        }
    }

    /** Frames that ranks were told to be safe before others that they had sent before them. */
    int toldBySite() {
        return ranks.stream().mapToInt(rank -> rank.line().toldBySite()).sum();
    }

    /** Messages that came to ranks unasked. */
    int pushes() {
        return ranks.stream().mapToInt(SimRank::pushes).sum();
    }

    /** Those of them that were long. */
    int longPushes() {
        return ranks.stream().mapToInt(SimRank::longPushes).sum();
    }

    /** The mailbox has let go of this letter's offer. */
    void withdrawn(SimLetter letter) {
        arrived.getOrDefault(letter.destination, new ArrayList<>()).remove(letter);
        letter.withdrawn();
        withdrawals++;
    }

    SimLetter letter(int context, int source, int destination, long sequence) {
        SimLetter letter = sent.get(new Channel(context, source, destination, sequence));
        check(letter != null, "nobody sent " + context + " " + source + "->" + destination + " sequence " + sequence);
        return letter;
    }

    /** The core that {@code rank} is at home at. */
    int coreOf(int rank) {
        return coreOf[rank];
    }

    void toPeer(int from, int to, ByteBuffer frame, boolean kept) {
        check(from != to, "a frame to its own core");
        SimLink link = ways.computeIfAbsent(List.of(from, to), unseen -> newLink(from, to));
        boolean twice = trouble == null && SimRelay.begins(frame) && random.nextInt(50) == 0;
        ByteBuffer copy = twice ? ByteBuffer.wrap(frame.array().clone()) : null;
        link.send(frame, kept);
        if (twice) {
            link.send(copy, false);
        }
    }

    private SimLink newLink(int from, int to) {
        SimLink link = new SimLink(
                clock,
                random,
                relayOf(from) == relayOf(to) ? 1 : 5 + random.nextInt(60),
                arrived -> cores.get(to).fromPeer(from, arrived),
                count -> cores.get(from).handled(to, count));
        if (!cores.get(to).isAlive()) {
            link.lose();
        }
        return link;
    }

    /** Whether what a frame of this rank brings is in the log where it was to go. */
    boolean isSafe(int rank, FrameView frame) {
        return frame.type() == FrameType.EVENTS
                ? cores.get(coreOf[rank]).journal().events(rank) >= frame.firstEvent()
                : cores.get(coreOf[frame.destination()]).journal().has(frame);
    }

    /**
     * At most a window of an offered message is between its sender and the receiver's connection, or, while it waits in
     * the log or in memory, between its sender and that. Only what is offered for want of credit is asked for before it is matched.
     */
    void checkGrant(SimLetter letter, long upTo) {
        boolean waits = !letter.matched || letter.bytesPassed < letter.bytesLogged;
        long stored = logged ? letter.bytesLogged : letter.bytesCome;
        long from = waits || logged && troubled() ? stored : letter.bytesPassed;
        long lent = isFar(coreOf[letter.source], coreOf[letter.destination]) ? config.lentBytes() : 0;
        check(upTo <= from + config.windowBytes() + lent, "cleared up to " + upTo + " after " + from + " bytes of " + letter);
        count(letter, () -> letter.bytesTold = Math.max(letter.bytesTold, upTo));
        if (!letter.matched) {
            check(letter.storable, "cleared before it was matched: " + letter);
            letter.pulled = true;
            pulled++;
        } else if (!waits && upTo > 0 && !troubled()) {
            checkReads(letter);
        }
    }

    /** A chunk comes to its mailbox. */
    void arrivesUpTo(SimLetter letter, long bytes) {
        count(letter, () -> letter.bytesCome = Math.max(letter.bytesCome, bytes));
    }

    private void count(SimLetter letter, Runnable change) {
        long before = letter.underWay();
        change.run();
        underWay[coreOf[letter.destination]][letter.source] += letter.underWay() - before;
    }

    /** What each rank was told to send of offers to this core, and is not there. */
    long[] underWay(int core) {
        return underWay[core];
    }

    /** How often a log had no room. */
    int holds() {
        return holds;
    }

    /** Whether there is a link between two cores. */
    boolean isFar(int from, int to) {
        return relayOf(from) != relayOf(to);
    }

    /** Offers that were asked for before they were matched. */
    int pulled() {
        return pulled;
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
