package org.posthouse.relay;

import java.io.IOException;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.posthouse.core.CoreConfig;
import org.posthouse.mpj.Cable;
import org.posthouse.mpj.Diary;
import org.posthouse.mpj.Hardship;
import org.posthouse.mpj.SimProcess;
import org.posthouse.mpj.SimScript;
import org.posthouse.mpj.Stage;
import org.posthouse.wire.Durability;
import org.posthouse.wire.FailureMode;
import org.posthouse.wire.FollowedRanks;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;
import org.posthouse.wire.Wire;

/**
 * A logged job, or two, in one thread and virtual time: the library as it is under a random program, the core, the gate and the
 * log's book as they are, between them connections, links and disks that are slow; and processes of ranks and of relays that
 * are killed at any moment and start again. One seed is one run, always the same. {@link CrashCheck} says what must hold.
 */
final class CrashWorld {
    static final long JOB = 0x5eed;
    private static final Token TOKEN = new Token(1, 2);
    private static final int TICKS_MAX = 2_000_000;

    private static final long OTHER_JOB = 0x5eee;

    // Where power fails everywhere at once: how much slower one disk is, and the delay of the others.
    private static final int SLOW_DISK = 10;
    private static final int QUICK_DISK = 5;

    private final Random random;

    private final Stage stage;
    private final CoreConfig config;
    private final int shards;

    /** One, or two that share all relays, of which one survives their hosts. */
    private final List<SimJob> jobs = new ArrayList<>();

    private final boolean cutsLogs;
    private final boolean hasBlackouts;
    private final int diskDelayMax;
    private final int linkDelayMax;
    private final List<SimHost> hosts = new ArrayList<>();
    private final CrashTrouble trouble;
    private int unasked;
    private int unaskedLong;
    private int tooLong;
    private int blocked;
    private int creditless;
    private final boolean traced;
    private final boolean isLosing;
    private final StringBuilder trace = new StringBuilder();
    private long steps;
    private boolean ended;

    /** For how long no link carries anything; 0: there is no such time. */
    private long cutTicks;

    /** Until then none does. */
    private long cutUntil;

    private long memoryBytes = 1L << 30;

    private PlantedFault planted = PlantedFault.NONE;

    /**
     * @param hardship of what this seed is a seed
     * @param isShared whether another job, of the other durability, uses the relays meanwhile
     * @param troubled whether anything is killed or cut
     * @param traced whether {@link #trace} has what happened afterwards
     */
    CrashWorld(Hardship hardship, long seed, boolean isShared, boolean troubled, boolean traced) {
        this(hardship, seed, isShared, troubled, traced, false);
    }

    /** @param isLosing whether ranks are started again a few times only, and their program goes on without them then */
    CrashWorld(Hardship hardship, long seed, boolean isShared, boolean troubled, boolean traced, boolean isLosing) {
        this.isLosing = isLosing;
        this.traced = traced;
        random = new Random(seed);
        Random launcher = new Random(seed ^ 17);
        stage = new Stage(random);
        int relays = Math.max(1 + random.nextInt(3), hardship.takesBack() || hardship.floods() ? 2 : 1);
        int size = Math.max(relays, 2 + random.nextInt(4));
        shards = 1 + random.nextInt(2);
        SimScript script = new SimScript(hardship, seed, size, isLosing);
        config = random.nextInt(3) > 0 && !hardship.takesBack() && !hardship.floods()
                ? CoreConfig.DEFAULT
                : new CoreConfig(
                        2 * Wire.cost(Wire.EAGER_BYTES_MAX), 16 + random.nextInt(20), 2L * Wire.PAYLOAD_BYTES_MAX,
                        2L * Wire.PAYLOAD_BYTES_MAX, 6L * Wire.PAYLOAD_BYTES_MAX,
                        random.nextInt(20), 1_000, 0);
        hasBlackouts = hardship.blackouts() > 0;
        diskDelayMax = new int[] {5, 50, 300}[random.nextInt(3)] * (hasBlackouts ? SLOW_DISK : 1);
        linkDelayMax = 3 + random.nextInt(60);
        boolean survivesHost = random.nextInt(3) == 0 || hardship.powerCuts();
        cutsLogs = random.nextInt(3) > 0;
        Durability durability = hardship.remembers() ? Durability.NONE : survivesHost ? Durability.HOST : Durability.PROCESS;
        JobOpen opening = opening(hardship, JOB, relays, size, durability, random, launcher);
        if (isLosing) {
            opening = opening.with(FailureMode.RESTART_SHRINK);
        }
        int[] cores = coresOf(opening, random);
        int processes = processesOfRank(hardship);
        JobOpen followed =
                hardship.remembers() ? opening.with(FollowedRanks.of(Collections.nCopies(size, processes).stream().mapToInt(i -> i).toArray())) : opening;
        jobs.add(new SimJob(this, followed, script, cores, random, launcher, hardship.launchersDying() > 0, processes));
        if (isShared) {
            jobs.add(other(hardship, seed ^ 29, relays, survivesHost ? Durability.PROCESS : Durability.HOST));
        }
        for (int relay = 0; relay < relays; relay++) {
            hosts.add(new SimHost(this, relay));
        }
        trouble = troubled ? new CrashTrouble(hardship, this) : null;
        if (isLosing) {
            int[] restarts = launcher.ints(size, 0, 4).toArray();
            restarts[launcher.nextInt(size)] = Integer.MAX_VALUE;
            jobs.getFirst().mayLose(restarts);
        }
    }

    private SimJob other(Hardship hardship, long seed, int relays, Durability durability) {
        Random own = new Random(seed);
        int size = Math.max(relays, 2 + own.nextInt(3));
        JobOpen opening = opening(hardship, OTHER_JOB, relays, size, durability, own, own);
        return new SimJob(this, opening, new SimScript(hardship, seed, size), coresOf(opening, own), own, own, hardship.launchersDying() > 0, 1);
    }

    private int processesOfRank(Hardship hardship) {
        return hardship.processes() == 1 ? 1 : 2 + random.nextInt(hardship.processes() - 1);
    }

    private int[] coresOf(JobOpen opening, Random random) {
        return Arrays.stream(opening.homeOf()).map(home -> home * shards + random.nextInt(shards)).toArray();
    }

    private static JobOpen opening(Hardship hardship, long id, int relays, int size, Durability durability, Random random, Random launcher) {
        List<HomeRelay> homes = new ArrayList<>();
        for (int relay = 0; relay < relays; relay++) {
            homes.add(new HomeRelay("site-" + relay, relayId(relay), "127.0.0.1:" + relay));
        }
        int[] homeOf = new int[size];
        for (int rank = 0; rank < size; rank++) {
            homeOf[rank] = rank < relays ? rank : random.nextInt(relays);
        }
        JobOpen job = new JobOpen(id, TOKEN, durability, false, "sim", homes, homeOf);
        return launcher.nextInt(3) == 0 || hardship.brokenLogs() > 0 || hardship.launchersDying() > 0 ? job.keepingOutput() : job;
    }

    static String relayId(int relay) {
        return "relay-" + relay;
    }

    /** Runs the job to its end, and checks everything. */
    void run() {
        List<JobOpen> openings = jobs.stream().map(SimJob::opening).toList();
        hosts.forEach(host -> host.start(openings));
        hosts.forEach(this::link);
        jobs.forEach(SimJob::start);
        if (trouble != null) {
            trouble.plan();
        }
        if (cutTicks > 0) {
            stage.after(random.nextInt(600), () -> cutLinks(cutTicks));
        }
        try {
            stage.run(TICKS_MAX + cutTicks);
            if (!isOver()) {
                throw new AssertionError("ranks are stuck: " + jobs.stream().map(SimJob::stuck).collect(Collectors.joining()) + hosts);
            }
            jobs.forEach(this::check);
            hosts.forEach(SimHost::checkWindows);
        } finally {
            end();
        }
    }

    private void check(SimJob job) {
        if (isLosing) {
            checkSurvivors(job);
            return;
        }
        CrashCheck check = new CrashCheck(this, job);
        check.check();
        unasked += check.unasked();
        unaskedLong += check.unaskedLong();
        tooLong += check.tooLong();
    }

    /** All that have come to the end know of the same members, and have seen the same rounds. A dead rank may be one of them that has died later. */
    private static void checkSurvivors(SimJob job) {
        Set<String> ends = new HashSet<>();
        for (int rank = 0; rank < job.ranks(); rank++) {
            List<String> tape = job.tape(rank);
            if (!job.dead().get(rank)) {
                ends.add(tape.size() + " lines, " + tape.getLast());
            }
        }
        if (ends.size() != 1) {
            throw new AssertionError("ranks have come to different ends: " + ends);
        }
        for (int rank = 0; rank < job.ranks(); rank++) {
            if (!job.dead().get(rank)) {
                checkReceived(job, rank);
            }
        }
    }

    /** What a rank has received its sender has sent, in the last process of each. */
    private static void checkReceived(SimJob job, int rank) {
        for (Diary.Letter letter : job.diary(rank).received().values()) {
            Diary.Letter was = new Diary.Letter(letter.context(), rank, letter.tag(), letter.bytes(), letter.number(), letter.mark());
            if (!job.dead().get(letter.peer()) && !job.diary(letter.peer()).sent().contains(was)) {
                throw new AssertionError("rank " + rank + " has received " + letter + ", and its sender has sent " + job.diary(letter.peer()).sent());
            }
        }
    }

    /** Ranks that are dead. */
    int dead() {
        return jobs.stream().mapToInt(job -> job.dead().cardinality()).sum();
    }

    /** All links are cut once, while the job runs, and for so long. */
    CrashWorld cutFor(long ticks) {
        cutTicks = ticks;
        return this;
    }

    /** Each relay has so much memory for histories; by default so much that none loses its beginning. */
    CrashWorld remembering(long bytes) {
        memoryBytes = bytes;
        return this;
    }

    long memoryBytes() {
        return memoryBytes;
    }

    /** All relays have this fault. */
    CrashWorld plant(PlantedFault fault) {
        planted = fault;
        return this;
    }

    boolean has(PlantedFault fault) {
        return planted == fault;
    }

    /** From now on no link carries anything, and none comes up, for so long. */
    void cutLinks(long ticks) {
        trace("all links are cut");
        cutUntil = now() + ticks;
    }

    /** When what is sent over a link arrives, behind what arrives at {@code last}. */
    long laterOverLink(long last, int delayMax) {
        return Math.max(later(last, delayMax), cutUntil);
    }

    /** Nothing of this world is left. */
    private void end() {
        ended = true;
        jobs.forEach(SimJob::end);
        hosts.forEach(SimHost::end);
        stage.drain();
    }

    /** A rank of any of the jobs. */
    private record Member(SimJob job, int rank) {}

    /** Ranks are numbered over all jobs here. */
    private Member member(int number) {
        int rank = number;
        int job = 0;
        while (rank >= jobs.get(job).ranks()) {
            rank -= jobs.get(job++).ranks();
        }
        return new Member(jobs.get(job), rank);
    }

    /** kill -9, and the launcher starts it again. */
    void kill(int number) {
        member(number).job().kill(member(number).rank());
    }

    /** The launcher takes it for dead, and it is not. */
    void replace(int number) {
        member(number).job().replace(member(number).rank());
    }

    void accept(int relay, SimJob job, Cable cable) throws IOException {
        if (!hosts.get(relay).isAlive()) {
            throw new ConnectException("connection refused");
        }
        hosts.get(relay).accept(job, cable);
    }

    // ---- relays

    /** A relay's process dies, and starts again after a while. */
    void kill(SimHost host, boolean power) {
        for (SimHost other : hosts) {
            if (other != host) {
                waysBetween(other, host).forEach(SimWay::down);
            }
        }
        host.die(power);
        stage.after(10 + random.nextInt(300), () -> {
            if (!ended) {
                host.restart(jobs.stream().map(SimJob::opening).toList());
                link(host);
            }
        });
    }

    /** Its links to the others come up, one after the other. */
    private void link(SimHost host) {
        for (SimHost other : hosts) {
            if (other.number() < host.number() || host.life() > 1 && other != host) {
                int life = host.life();
                stage.after(Math.max(random.nextInt(100), cutUntil - now()), () -> {
                    if (other.isAlive() && host.life() == life) {
                        waysBetween(host, other).forEach(way -> way.linked(other.life()));
                        waysBetween(other, host).forEach(way -> way.linked(host.life()));
                    }
                });
            }
        }
    }

    List<SimWay> waysBetween(SimHost from, SimHost to) {
        List<SimWay> ways = new ArrayList<>();
        for (SimCore core : from.cores()) {
            for (SimCore other : to.cores()) {
                ways.add(core.way(other.number()));
            }
        }
        return ways;
    }

    /** A rank says that it is blocked in a collective, or not any more. */
    void onBlocked() {
        blocked++;
    }

    /** A rank offers for want of credit what it would else have sent. */
    void onCreditless() {
        creditless++;
    }

    /** A relay has begun to tell a process of its past. */
    void onAnswer(SimHost host) {
        if (trouble != null) {
            trouble.onAnswer(host);
        }
    }

    /** A process is told where it goes on. */
    void onPrologueEnd(long job, int rank) {
        if (trouble != null) {
            trouble.onPrologueEnd(job(job) == jobs.getFirst() ? rank : jobs.getFirst().ranks() + rank);
        }
    }

    /** @param core the rank's, which tells its launcher */
    void onJobEvent(JobEvent event, SimCore core) {
        job(event.job()).onEvent(event, core);
    }

    // ---- what all of them use

    /** Adds to the trace, if there is one. */
    void trace(String what) {
        trace(() -> what);
    }

    void trace(Supplier<String> what) {
        steps++;
        if (traced) {
            trace.append(String.format("%7d %s%n", stage.now(), what.get()));
        }
    }

    String trace() {
        return trace.toString();
    }

    /** A number that no other run is likely to have. */
    long fingerprint() {
        return steps * 1_000_003 + stage.now();
    }

    Stage stage() {
        return stage;
    }

    Random random() {
        return random;
    }

    long now() {
        return stage.now();
    }

    /** When something arrives that is sent now, behind what arrives at {@code last}. */
    long later(long last, int delayMax) {
        return Math.max(last, now() + random.nextInt(delayMax + 1));
    }

    CoreConfig config() {
        return config;
    }

    int shards() {
        return shards;
    }

    SimJob job(long id) {
        return jobs.stream().filter(job -> job.id() == id).findFirst().orElseThrow();
    }

    List<SimJob> jobs() {
        return jobs;
    }

    /** Whether anything waits for a disk. */
    boolean waitsForDisks() {
        return jobs.stream().anyMatch(job -> job.opening().survivesHost());
    }

    /** Whether hosts may lose their power: all jobs survive that. */
    boolean mayLosePower() {
        return jobs.stream().allMatch(job -> job.opening().survivesHost());
    }

    /** Whether what no rank needs any more of a log is cut. */
    boolean cutsLogs() {
        return cutsLogs;
    }

    /** Of the slowest disk. */
    int diskDelayMax() {
        return diskDelayMax;
    }

    /** Where power fails everywhere at once, one host has a slower disk than the others: it forgets what they remember. */
    int diskDelayMax(SimHost host) {
        return hasBlackouts && host.number() > 0 ? QUICK_DISK : diskDelayMax;
    }

    int linkDelayMax() {
        return linkDelayMax;
    }

    int coreOf(int number) {
        return member(number).job().coreOf(member(number).rank());
    }

    int relayOfCore(int core) {
        return core / shards;
    }

    SimCore core(int number) {
        return hosts.get(relayOfCore(number)).cores().get(number % shards);
    }

    List<SimHost> hosts() {
        return hosts;
    }

    /** Of all jobs. */
    int ranks() {
        return jobs.stream().mapToInt(SimJob::ranks).sum();
    }

    SimProcess process(int number) {
        return member(number).job().process(member(number).rank());
    }

    /** Of the process that has come to the end. */
    Diary diary(int number) {
        return member(number).job().diary(member(number).rank());
    }

    /** Whether each run of all programs is the same. */
    boolean isDeterministic() {
        return jobs.stream().allMatch(job -> job.script().isDeterministic());
    }

    /** Nothing is left, whether it has come to its end or not. */
    boolean isEnded() {
        return ended;
    }

    boolean isOver() {
        return ended || jobs.stream().allMatch(job -> job.left() == 0);
    }

    /** How often something was killed or cut. */
    int troubles() {
        return trouble == null ? 0 : trouble.count();
    }

    /** Messages of the programs that had come before they were asked for. */
    int unasked() {
        return unasked;
    }

    /** Those of them that were long. */
    int unaskedLong() {
        return unaskedLong;
    }

    /** Messages that did not fit into the receives that have got them. */
    int tooLong() {
        return tooLong;
    }

    /** How often ranks have said that they are blocked in a collective. */
    int blocked() {
        return blocked;
    }

    /** Ranks that were started again behind their end, as nobody knew of it. */
    int forgottenEnds() {
        return jobs.stream().mapToInt(SimJob::forgottenEnds).sum();
    }

    /** How often relays have told that a follower does not follow any more. */
    int lostFollowers() {
        return jobs.stream().map(SimJob::replicas).filter(Objects::nonNull).mapToInt(SimReplicas::lostFollowers).sum();
    }

    /** How often followers have led. */
    int promotions() {
        return jobs.stream().map(SimJob::replicas).filter(Objects::nonNull).mapToInt(SimReplicas::promotions).sum();
    }

    /** Messages that were offered for want of credit only. */
    int creditless() {
        return creditless;
    }
}
