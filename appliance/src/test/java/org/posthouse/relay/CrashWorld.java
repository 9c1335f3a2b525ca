package org.posthouse.relay;

import java.io.IOException;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import org.posthouse.core.CoreConfig;
import org.posthouse.mpj.Cable;
import org.posthouse.mpj.Diary;
import org.posthouse.mpj.Hardship;
import org.posthouse.mpj.SimProcess;
import org.posthouse.mpj.SimScript;
import org.posthouse.mpj.Stage;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Home;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobKept;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;
import org.posthouse.wire.Wire;

/**
 * A logged job in one thread and virtual time: the library as it is under a random program, the core, the gate and the
 * log's book as they are, between them connections, links and disks that are slow; and processes of ranks and of relays that
 * are killed at any moment and start again. One seed is one run, always the same. {@link CrashCheck} says what must hold.
 */
final class CrashWorld implements SimProcess.World {
    static final long JOB = 0x5eed;
    private static final Token TOKEN = new Token(1, 2);
    private static final int TICKS_MAX = 2_000_000;

    /** How often a relay is told that a rank is done. */
    private static final int DONE_TOLD = 4;

    private final Random random;

    /** Whether the job's launcher keeps what ranks print, and when it says that it has it. Apart from {@link #random}, so that worlds are as they were before there was this. */
    private final Random launcher;

    private final Stage stage;
    private final SimScript script;
    private final CoreConfig config;
    private final int shards;
    private final JobOpen opening;
    private final int[] coreOf;
    private final boolean cutsLogs;
    private final int diskDelayMax;
    private final int linkDelayMax;
    private final List<SimHost> hosts = new ArrayList<>();
    private final SimProcess[] processes;
    private final Diary[] diaries;

    /** For each rank, whether its launcher has what it had printed when it began to save. */
    private final boolean[] kept;

    /** Processes in whose place others were started, or will be. */
    private final Set<SimProcess> replaced = new HashSet<>();

    private final List<List<String>> tapes = new ArrayList<>();
    private final CrashTrouble trouble;
    private int unasked;
    private int unaskedLong;
    private int tooLong;
    private int blocked;
    private final boolean traced;
    private final StringBuilder trace = new StringBuilder();
    private long steps;
    private int left;
    private boolean over;

    /** For how long no link carries anything; 0: there is no such time. */
    private long cutTicks;

    /** Until then none does. */
    private long cutUntil;

    /**
     * @param hardship of what this seed is a seed
     * @param troubled whether anything is killed or cut
     * @param traced whether {@link #trace} has what happened afterwards
     */
    CrashWorld(Hardship hardship, long seed, boolean troubled, boolean traced) {
        this.traced = traced;
        random = new Random(seed);
        launcher = new Random(seed ^ 17);
        stage = new Stage(random);
        int relays = Math.max(1 + random.nextInt(3), hardship.takesBack() ? 2 : 1);
        int size = Math.max(relays, 2 + random.nextInt(4));
        shards = 1 + random.nextInt(2);
        script = new SimScript(hardship, seed, size);
        config = random.nextInt(3) > 0 && !hardship.takesBack()
                ? CoreConfig.DEFAULT
                : new CoreConfig(
                        2 * Wire.cost(Wire.EAGER_BYTES_MAX), 16 + random.nextInt(20), 2L * Wire.PAYLOAD_BYTES_MAX,
                        2L * Wire.PAYLOAD_BYTES_MAX, 6L * Wire.PAYLOAD_BYTES_MAX,
                        random.nextInt(20), 1_000);
        diskDelayMax = new int[] {5, 50, 300}[random.nextInt(3)];
        linkDelayMax = 3 + random.nextInt(60);
        boolean survivesHost = random.nextInt(3) == 0 || hardship.powerCuts();
        cutsLogs = random.nextInt(3) > 0;
        opening = opening(relays, size, survivesHost ? JobOpen.HOST : JobOpen.PROCESS);
        coreOf = new int[size];
        processes = new SimProcess[size];
        diaries = new Diary[size];
        kept = new boolean[size];
        left = size;
        for (int rank = 0; rank < size; rank++) {
            coreOf[rank] = opening.homeOf()[rank] * shards + random.nextInt(shards);
            tapes.add(new ArrayList<>());
        }
        for (int relay = 0; relay < relays; relay++) {
            hosts.add(new SimHost(this, relay));
        }
        trouble = troubled ? new CrashTrouble(hardship, this) : null;
    }

    private JobOpen opening(int relays, int size, int durability) {
        List<Home> homes = new ArrayList<>();
        for (int relay = 0; relay < relays; relay++) {
            homes.add(new Home("site-" + relay, relayId(relay), "127.0.0.1:" + relay));
        }
        int[] homeOf = new int[size];
        for (int rank = 0; rank < size; rank++) {
            homeOf[rank] = rank < relays ? rank : random.nextInt(relays);
        }
        JobOpen job = new JobOpen(JOB, TOKEN, durability, false, "sim", homes, homeOf);
        return launcher.nextInt(3) == 0 ? job.keepingOutput() : job;
    }

    static String relayId(int relay) {
        return "relay-" + relay;
    }

    /** Runs the job to its end, and checks everything. */
    void run() {
        hosts.forEach(host -> host.start(opening));
        hosts.forEach(this::link);
        for (int rank = 0; rank < processes.length; rank++) {
            launch(rank, 1, random.nextInt(100));
        }
        if (trouble != null) {
            trouble.plan();
        }
        if (cutTicks > 0) {
            stage.after(random.nextInt(600), () -> cutLinks(cutTicks));
        }
        try {
            stage.run(TICKS_MAX + cutTicks);
            if (left > 0) {
                throw new AssertionError(left + " ranks are stuck: " + stuck());
            }
            CrashCheck check = new CrashCheck(this);
            check.check();
            unasked = check.unasked();
            unaskedLong = check.unaskedLong();
            tooLong = check.tooLong();
        } finally {
            end();
        }
    }

    /** All links are cut once, while the job runs, and for so long. */
    CrashWorld cutFor(long ticks) {
        cutTicks = ticks;
        return this;
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
        left = 0;
        over = true;
        for (SimProcess process : processes) {
            if (process != null) {
                process.kill();
            }
        }
        replaced.forEach(SimProcess::kill);
        hosts.forEach(SimHost::end);
        stage.drain();
    }

    private String stuck() {
        StringBuilder text = new StringBuilder();
        for (int rank = 0; rank < processes.length; rank++) {
            if (diaries[rank] == null) {
                text.append(processes[rank]).append(" in phase ").append(processes[rank].diary().at(script)).append("; ");
            }
        }
        return text.append(hosts).toString();
    }

    // ---- ranks

    /** A process of a rank is started, after a while. */
    void launch(int rank, int incarnation, long ticks) {
        stage.after(ticks, () -> {
            if (over) {
                return;
            }
            trace("rank " + rank + " starts, incarnation " + incarnation);
            processes[rank] = new SimProcess(stage, this, Hello.start(JOB, rank, incarnation, TOKEN));
            processes[rank].start(opening.homeOf()[rank], script.settings(), script);
        });
    }

    /** kill -9, and the launcher starts it again. */
    void kill(int rank) {
        SimProcess process = processes[rank];
        if (process != null && process.isAlive()) {
            trace("rank " + rank + " is killed, incarnation " + process.incarnation());
            process.kill();
            replace(process);
        }
    }

    /** The launcher takes it for dead, and it is not. */
    void replace(int rank) {
        SimProcess process = processes[rank];
        if (process != null && process.isAlive()) {
            trace("rank " + rank + " seems dead, incarnation " + process.incarnation());
            replace(process);
        }
    }

    private void replace(SimProcess process) {
        if (replaced.add(process)) {
            launch(process.rank(), process.incarnation() + 1, 1 + random.nextInt(200));
        }
    }

    @Override
    public void accept(int relay, Cable cable) throws IOException {
        if (!hosts.get(relay).isAlive()) {
            throw new ConnectException("connection refused");
        }
        hosts.get(relay).accept(cable);
    }

    @Override
    public void printed(SimProcess process, int number, String line) {
        List<String> tape = tapes.get(process.rank());
        trace(process + " prints " + line);
        if (number > tape.size() + 1 || number <= tape.size() && !tape.get(number - 1).equals(line)) {
            throw new AssertionError(process + " prints \"" + line + "\" as line " + number + ", shown before: " + tape);
        }
        if (number > tape.size()) {
            tape.add(line);
        }
    }

    @Override
    public void exited(SimProcess process, int status, String why) {
        trace(process + " ends with status " + status + " " + why);
        if (replaced.contains(process)) {
            return;
        }
        boolean starting = status == SimProcess.STATUS_CONNECTION && !process.isConnected();
        if (status == 0) {
            diaries[process.rank()] = process.diary();
            left--;
            tellDone(process.rank(), DONE_TOLD);
        } else if (starting || status == SimProcess.STATUS_RESTART) {
            launch(process.rank(), process.incarnation() + 1, 1 + random.nextInt(100));
        } else {
            throw new AssertionError(process + " ends with status " + status + ": " + why);
        }
    }

    /** The launcher has seen the rank to its end. Its relay hears that if it is there, and later again, as it may have been told in vain. */
    private void tellDone(int rank, int times) {
        stage.after(1 + launcher.nextInt(100), () -> {
            SimCore core = core(coreOf(rank));
            if (!over && hosts.get(relayOfCore(coreOf(rank))).isAlive()) {
                core.after(1, () -> core.core().outputKept(JobKept.done(JOB, rank)));
            }
            if (times > 1) {
                tellDone(rank, times - 1);
            }
        });
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
            if (!over) {
                host.restart(opening);
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

    /** A relay has begun to tell a process of its past. */
    void onAnswer(SimHost host) {
        if (trouble != null) {
            trouble.onAnswer(host);
        }
    }

    /** @param core the rank's, which tells its launcher */
    void onJobEvent(JobEvent event, SimCore core) {
        if (event.kind() == JobEvent.OUTPUT && trouble != null) {
            trouble.onPrologueEnd(event.rank());
        }
        switch (event.kind()) {
            case JobEvent.CONNECTED, JobEvent.FINALIZED, JobEvent.AWAY, JobEvent.REPLAYING, JobEvent.CAUGHT_UP, JobEvent.OUTPUT, JobEvent.REFUSED,
                    JobEvent.LOG_STATE -> trace(() -> "job event " + event);
            case JobEvent.SAVES -> keepOutput(event, core);
            case JobEvent.CHECKPOINTED -> {
                trace(() -> "job event " + event);
                if (opening.keepsOutput() && event.code() > 0 && !kept[event.rank()]) {
                    throw new AssertionError("an image of rank " + event.rank() + " counts, and its launcher does not have what it had printed");
                }
            }
            default -> throw new AssertionError("job event " + event);
        }
    }

    /** The launcher has not read all that the rank has printed, and says so when it has; its relay may have died by then. */
    private void keepOutput(JobEvent event, SimCore core) {
        trace(() -> "job event " + event);
        kept[event.rank()] = false;
        core.after(1 + launcher.nextInt(launcher.nextInt(10) == 0 ? 500 : 20), () -> {
            trace(() -> "the launcher has what rank " + event.rank() + " has printed");
            kept[event.rank()] = true;
            core.core().outputKept(new JobKept(JOB, event.rank(), event.code(), event.a(), event.b()));
        });
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

    boolean survivesHost() {
        return opening.survivesHost();
    }

    /** Whether what no rank needs any more of a log is cut. */
    boolean cutsLogs() {
        return cutsLogs;
    }

    int diskDelayMax() {
        return diskDelayMax;
    }

    int linkDelayMax() {
        return linkDelayMax;
    }

    int coreOf(int rank) {
        return coreOf[rank];
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

    int ranks() {
        return processes.length;
    }

    SimProcess process(int rank) {
        return processes[rank];
    }

    /** Of the process that has come to the end. */
    Diary diary(int rank) {
        return diaries[rank];
    }

    List<String> tape(int rank) {
        return tapes.get(rank);
    }

    SimScript script() {
        return script;
    }

    boolean isOver() {
        return left == 0;
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
}
