package org.posthouse.relay;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.posthouse.core.RankState;
import org.posthouse.launch.RingWatch;
import org.posthouse.mpj.Cable;
import org.posthouse.mpj.Diary;
import org.posthouse.mpj.SimProcess;
import org.posthouse.mpj.SimScript;
import org.posthouse.wire.ExitStatuses;
import org.posthouse.wire.Hello;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobKept;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.RankFailed;

/** One job of a {@link CrashWorld}: its launcher, its program, and the processes of its ranks. */
final class SimJob implements SimProcess.World {
    /** How often a relay is told that a rank is done. */
    private static final int DONE_TOLD = 4;

    /** Until a launcher has written down that a rank has ended, at most. */
    private static final int NOTE_TICKS_MAX = 300;

    private final CrashWorld world;
    private final JobOpen opening;
    private final SimScript script;
    private final Random random;

    /** Whether the job's launcher keeps what ranks print, and when it says that it has it. Apart from {@link #random}, so that worlds are as they were before there was this. */
    private final Random launcher;

    private final int[] coreOf;
    private final SimProcess[] processes;
    private final Diary[] diaries;

    /** For each rank, whether its launcher has what it had printed when it began to save. */
    private final boolean[] kept;

    /** Processes in whose place others were started, or will be. */
    private final Set<SimProcess> replaced = new HashSet<>();

    private final List<List<String>> tapes = new ArrayList<>();
    private int left;

    /** Which launcher there is, from 1: one leaves the job as it is, and another goes on with it. */
    private int launchers = 1;

    private boolean isLeft;

    /** What the present launcher knows of ranks that wait in sends. */
    private RingWatch rings = new RingWatch();

    /** Whether launchers die at any moment. */
    private final boolean mayDie;

    /** The processes of its ranks if each has several; else null. */
    private final SimReplicas replicas;

    /** Processes that have come to their end, which the launcher has not written down. */
    private final Set<SimProcess> unnoted = new HashSet<>();

    private int forgottenEnds;

    /** How often each rank is started again before it is dead; null if all are as often as it takes. */
    private int[] restartsMax;

    private final BitSet dead = new BitSet();

    /**
     * @param coreOf where its ranks are at home, by their numbers
     * @param processesOfRank how many processes each rank has at a time
     */
    SimJob(CrashWorld world, JobOpen opening, SimScript script, int[] coreOf, Random random, Random launcher, boolean mayDie, int processesOfRank) {
        this.world = world;
        this.opening = opening;
        this.script = script;
        this.coreOf = coreOf;
        this.random = random;
        this.launcher = launcher;
        this.mayDie = mayDie;
        int size = coreOf.length;
        processes = new SimProcess[size];
        diaries = new Diary[size];
        kept = new boolean[size];
        left = size;
        for (int rank = 0; rank < size; rank++) {
            tapes.add(new ArrayList<>());
        }
        replicas = processesOfRank > 1 ? new SimReplicas(world, this, processesOfRank, random) : null;
    }

    /** Its launcher starts the ranks. */
    void start() {
        if (replicas != null) {
            replicas.start();
            return;
        }
        for (int rank = 0; rank < processes.length; rank++) {
            launch(rank, 1, random.nextInt(100));
        }
    }

    /** Nothing of it is left. */
    void end() {
        for (SimProcess process : processes) {
            if (process != null) {
                process.kill();
            }
        }
        replaced.forEach(SimProcess::kill);
        if (replicas != null) {
            replicas.end();
        }
    }

    /** A process that was not started. */
    SimProcess process(Hello hello) {
        return new SimProcess(world.stage(), this, hello, opening.token().ofRank(hello.rank()));
    }

    void start(SimProcess process) {
        process.start(opening.homeOf()[process.rank()], script.settings(), script);
    }

    private void launch(int rank, int incarnation, long ticks) {
        int by = launchers;
        world.stage().after(ticks, () -> {
            if (world.isEnded() || by != launchers) {
                return;
            }
            world.trace("rank " + rank + of() + " starts, incarnation " + incarnation);
            processes[rank] = process(Hello.start(id(), rank, incarnation));
            start(processes[rank]);
        });
    }

    private String of() {
        return id() == CrashWorld.JOB ? "" : " of the other job";
    }

    /** kill -9, and the launcher starts it again. */
    void kill(int rank) {
        if (replicas != null) {
            replicas.kill(rank);
            return;
        }
        SimProcess process = processes[rank];
        if (process != null && process.isAlive()) {
            world.trace("rank " + rank + of() + " is killed, incarnation " + process.incarnation());
            process.kill();
            replace(process);
        }
    }

    /** The launcher takes it for dead, and it is not. */
    void replace(int rank) {
        if (replicas != null) {
            replicas.replace(rank);
            return;
        }
        SimProcess process = processes[rank];
        if (process != null && process.isAlive()) {
            world.trace("rank " + rank + of() + " seems dead, incarnation " + process.incarnation());
            replace(process);
        }
    }

    /** From now on its ranks are not started again more often than that. */
    void mayLose(int[] restarts) {
        restartsMax = restarts;
    }

    private void replace(SimProcess process) {
        if (!replaced.add(process)) {
            return;
        }
        if (restartsMax != null && process.incarnation() > restartsMax[process.rank()]) {
            giveUp(process);
        } else {
            launch(process.rank(), process.incarnation() + 1, 1 + random.nextInt(200));
        }
    }

    private void giveUp(SimProcess process) {
        world.trace("rank " + process.rank() + of() + " is given up");
        dead.set(process.rank());
        diaries[process.rank()] = process.diary();
        left--;
        tellDead(new RankFailed(id(), process.rank(), process.incarnation()));
    }

    /** Its relay may not be there, or forget it with the end of its log. */
    private void tellDead(RankFailed failed) {
        world.stage().after(1 + random.nextInt(60), () -> {
            SimCore core = world.core(coreOf(failed.rank()));
            if (world.isEnded() || left == 0 && isOver(core, failed.rank())) {
                return;
            }
            if (core.host().isAlive()) {
                core.after(1, () -> {
                    if (core.core().rankFailed(failed)) {
                        core.after(20, () -> core.core().fence(failed));
                    }
                });
            }
            tellDead(failed);
        });
    }

    /** Its relay knows that it is dead, or that it had called Finalize before. */
    private boolean isOver(SimCore core, int rank) {
        RankState state = core.host().isAlive() ? core.core().job(id()).homed(rank).state() : RankState.WAITING;
        return state == RankState.LOST || state == RankState.FINALIZED;
    }

    BitSet dead() {
        return dead;
    }

    @Override
    public void accept(int relay, Cable cable) throws IOException {
        world.accept(relay, this, cable);
    }

    @Override
    public void printed(SimProcess process, int number, String line) {
        world.trace(process + of() + " prints " + line);
        if (replicas == null || replicas.shows(process, number, line)) {
            show(process, number, line);
        }
    }

    /** Shows a line, unless it was shown before. */
    void show(SimProcess process, int number, String line) {
        List<String> tape = tapes.get(process.rank());
        if (number > tape.size() + 1 || number <= tape.size() && !tape.get(number - 1).equals(line)) {
            throw new AssertionError(process + of() + " prints \"" + line + "\" as line " + number + ", shown before: " + tape);
        }
        if (number > tape.size()) {
            tape.add(line);
        }
    }

    @Override
    public void exited(SimProcess process, int status, String why) {
        world.trace(process + of() + " ends with status " + status + " " + why);
        if (replicas != null) {
            replicas.exited(process, status, why);
            return;
        }
        if (replaced.contains(process)) {
            return;
        }
        boolean isRefused = world.hosts().get(opening.homeOf()[process.rank()]).isBroken(); // As good as one that starts, if its host has lost that it had.
        boolean starting = status == ExitStatuses.CONNECTION && (!process.isConnected() || isRefused);
        if (status == 0) {
            noteEnd(process);
        } else if (starting || status == ExitStatuses.RESTART) {
            launch(process.rank(), process.incarnation() + 1, 1 + random.nextInt(100));
        } else {
            throw new AssertionError(process + of() + " ends with status " + status + ": " + why);
        }
    }

    /** The launcher writes down that a rank has ended; one that dies before that leaves it to the next to start it again. */
    private void noteEnd(SimProcess process) {
        unnoted.add(process);
        if (mayDie) {
            world.stage().after(launcher.nextInt(NOTE_TICKS_MAX), () -> ended(process));
        } else {
            ended(process);
        }
    }

    private void ended(SimProcess process) {
        if (unnoted.remove(process)) {
            finished(process);
        }
    }

    /** A rank has come to its end, with this process. */
    void finished(SimProcess process) {
        diaries[process.rank()] = process.diary();
        left--;
        tellDone(process.rank(), DONE_TOLD);
        if (left == 0 && world.jobs().size() > 1) {
            world.hosts().forEach(this::closeAt);
        }
    }

    /** The launcher has seen the rank to its end. Its relay hears that if it is there, and later again, as it may have been told in vain. */
    private void tellDone(int rank, int times) {
        world.stage().after(1 + launcher.nextInt(100), () -> {
            SimCore core = world.core(coreOf(rank));
            if (!world.isEnded() && core.host().isAlive()) {
                core.after(1, () -> core.core().outputKept(JobKept.done(id(), rank)));
            }
            if (times > 1) {
                tellDone(rank, times - 1);
            }
        });
    }

    /** The launcher ends the job, at each relay by itself, and while the other job goes on. A relay that is away hears it when it is back. */
    private void closeAt(SimHost host) {
        world.stage().after(1 + launcher.nextInt(200), () -> {
            if (!world.isEnded() && !host.close(this)) {
                closeAt(host);
            }
        });
    }

    /** @param core the rank's, which tells its launcher */
    void onEvent(JobEvent event, SimCore core) {
        switch (event.kind()) {
            case JobEvent.CONNECTED, JobEvent.FINALIZED, JobEvent.AWAY, JobEvent.REPLAYING, JobEvent.CAUGHT_UP, JobEvent.REFUSED,
                    JobEvent.LOST, JobEvent.LOG_STATE, JobEvent.BLOCKED, JobEvent.SENDS_BEHIND -> {
                world.trace(() -> "job event " + event);
                watchRings(event);
            }
            case JobEvent.FOLLOWS, JobEvent.FOLLOWER_LOST, JobEvent.PROMOTED, JobEvent.LEADS -> replicas.onEvent(event);
            case JobEvent.SAVES -> keepOutput(event, core);
            case JobEvent.CHECKPOINTED -> {
                world.trace(() -> "job event " + event);
                if (opening.keepsOutput() && event.code() > 0 && !kept[event.rank()]) {
                    throw new AssertionError("an image of rank " + event.rank() + " counts, and its launcher does not have what it had printed");
                }
            }
            case JobEvent.ABORTED -> standStill(event, core);
            default -> throw new AssertionError("job event " + event);
        }
    }

    /** All programs come to their ends, whoever dies meanwhile: ranks of which a launcher would say that they wait for each other for ever do not. */
    private void watchRings(JobEvent event) {
        if (event.kind() == JobEvent.AWAY || event.kind() == JobEvent.CONNECTED || event.kind() == JobEvent.REPLAYING) {
            rings.forget(event.rank());
        }
        rings.hear(event).ifPresent(told -> {
            throw new AssertionError("the launcher tells of what is none: " + told);
        });
    }

    /** The launcher hears it, unless the relay dies before. */
    private void standStill(JobEvent event, SimCore core) {
        world.trace(() -> "job event " + event);
        if (event.rank() >= 0 || event.code() != JobEvent.STANDS) {
            throw new AssertionError("job event " + event);
        }
        if (core.host().standsStill(this)) {
            core.after(1 + launcher.nextInt(600), this::leave);
        }
    }

    /** The launcher leaves the job as it is. Its ranks end. */
    void leave() {
        if (isLeft || left == 0) {
            return;
        }
        world.trace("the launcher leaves the job" + of());
        isLeft = true;
        launchers++;
        rings = new RingWatch();
        forgottenEnds += unnoted.size();
        unnoted.clear();
        for (SimProcess process : processes) {
            if (process != null) {
                process.kill();
            }
        }
        resume();
    }

    /** Another launcher goes on with it when no relay has a broken log any more. */
    private void resume() {
        world.stage().after(100 + launcher.nextInt(500), () -> {
            if (world.hosts().stream().anyMatch(SimHost::isBroken)) {
                resume();
                return;
            }
            isLeft = false;
            for (int rank = 0; rank < processes.length; rank++) {
                if (diaries[rank] == null) {
                    launch(rank, processes[rank] == null ? 1 : processes[rank].incarnation() + 1, launcher.nextInt(100));
                }
            }
        });
    }

    /** The launcher has not read all that the rank has printed, and says so when it has; its relay may have died by then. */
    private void keepOutput(JobEvent event, SimCore core) {
        world.trace(() -> "job event " + event);
        kept[event.rank()] = false;
        int by = launchers;
        core.after(1 + launcher.nextInt(launcher.nextInt(10) == 0 ? 500 : 20), () -> {
            if (by != launchers) {
                return;
            }
            world.trace(() -> "the launcher has what rank " + event.rank() + of() + " has printed");
            kept[event.rank()] = true;
            core.core().outputKept(new JobKept(id(), event.rank(), event.code(), event.a(), event.b()));
        });
    }

    String stuck() {
        StringBuilder text = new StringBuilder();
        for (int rank = 0; rank < processes.length; rank++) {
            if (diaries[rank] == null) {
                if (replicas != null) {
                    text.append("rank ").append(rank).append(": ").append(replicas.of(rank)).append("; ");
                    continue;
                }
                text.append(processes[rank]).append(of()).append(" in phase ").append(processes[rank].diary().at(script)).append("; ");
            }
        }
        return text.toString();
    }

    long id() {
        return opening.job();
    }

    JobOpen opening() {
        return opening;
    }

    SimScript script() {
        return script;
    }

    int ranks() {
        return processes.length;
    }

    /** Ranks that have not come to their end. */
    int left() {
        return left;
    }

    /** Ranks that had come to their end and were started again, as their launcher had died before it wrote that down. */
    int forgottenEnds() {
        return forgottenEnds;
    }

    int coreOf(int rank) {
        return coreOf[rank];
    }

    SimProcess process(int rank) {
        return replicas == null ? processes[rank] : replicas.any(rank);
    }

    /** The processes of its ranks if each has several; else null. */
    SimReplicas replicas() {
        return replicas;
    }

    /** Of the process that has come to the end. */
    Diary diary(int rank) {
        return diaries[rank];
    }

    List<String> tape(int rank) {
        return tapes.get(rank);
    }
}
