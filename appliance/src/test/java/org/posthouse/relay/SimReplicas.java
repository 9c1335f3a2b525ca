package org.posthouse.relay;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.posthouse.mpj.Diary;
import org.posthouse.mpj.SimProcess;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.ExitStatuses;
import org.posthouse.wire.Hello;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.RankFailed;

/**
 * The processes of a {@link SimJob} of which each rank has several: what its launcher does (docs/replicas.md). It starts a follower for each process
 * that has ended, and an ordinary process when none is left. What a follower prints is held back until it leads.
 */
final class SimReplicas {
    /** Until the launcher looks again whether a relay is there to hear it. */
    private static final int AGAIN_TICKS = 100;

    private final CrashWorld world;
    private final SimJob job;
    private final Random random;
    private final int processes;

    /** All that were ever started. */
    private final List<SimProcess> all = new ArrayList<>();

    /** The processes of each rank of which the launcher does not know that they have ended. */
    private final List<List<SimProcess>> living = new ArrayList<>();

    /** All that were started as followers, and have never led. */
    private final Set<SimProcess> followers = new HashSet<>();

    private final SimProcess[] leaders;

    /** The numbers of those that lead by promotion. */
    private final Map<SimProcess, Integer> numbers = new HashMap<>();

    private final int[] lastNumbers;

    /** What followers have printed, by line numbers. */
    private final Map<SimProcess, TreeMap<Integer, String>> held = new HashMap<>();

    /** Ranks that cannot be followed any more, since the beginning of their histories was cut. */
    private final boolean[] isCut;

    private final boolean[] isFinished;
    private int promotions;
    private int lostFollowers;

    /** @param processes of each rank at a time */
    SimReplicas(CrashWorld world, SimJob job, int processes, Random random) {
        this.world = world;
        this.job = job;
        this.processes = processes;
        this.random = random;
        leaders = new SimProcess[job.ranks()];
        lastNumbers = new int[job.ranks()];
        isCut = new boolean[job.ranks()];
        isFinished = new boolean[job.ranks()];
        for (int rank = 0; rank < job.ranks(); rank++) {
            living.add(new ArrayList<>());
        }
    }

    void start() {
        for (int rank = 0; rank < job.ranks(); rank++) {
            begin(rank, false, random.nextInt(100));
            beginFollowers(rank, processes - 1);
        }
    }

    private void beginFollowers(int rank, int count) {
        for (int i = 0; i < count && !isCut[rank]; i++) {
            begin(rank, true, random.nextInt(300));
        }
    }

    private void begin(int rank, boolean follows, long ticks) {
        int number = lastNumbers[rank] == 0 ? 1 : (lastNumbers[rank] + 2) & ~1; // Relays give odd ones.
        lastNumbers[rank] = number;
        Hello hello = follows ? Hello.follower(job.id(), rank, number) : Hello.start(job.id(), rank, number);
        SimProcess process = job.process(hello);
        all.add(process);
        living.get(rank).add(process);
        if (follows) {
            followers.add(process);
        } else {
            leaders[rank] = process;
        }
        world.stage().after(ticks, () -> {
            if (!world.isEnded() && process.isAlive() && !isFinished[rank]) {
                world.trace(process + " starts");
                job.start(process);
            }
        });
    }

    void end() {
        all.forEach(SimProcess::kill);
    }

    /** Any living process of the rank, or null. */
    SimProcess any(int rank) {
        List<SimProcess> some = living.get(rank);
        return some.isEmpty() ? null : some.get(random.nextInt(some.size()));
    }

    /** kill -9 of any of them. */
    void kill(int rank) {
        SimProcess process = any(rank);
        if (process != null) {
            world.trace(process + " is killed");
            process.kill();
            ended(process);
        }
    }

    /** The launcher takes any of them for dead, and it is not. */
    void replace(int rank) {
        SimProcess process = any(rank);
        if (process != null) {
            world.trace(process + " seems dead");
            ended(process);
        }
    }

    /** The launcher knows that a process has ended, and tells the rank's relay. */
    private void ended(SimProcess process) {
        int rank = process.rank();
        if (!living.get(rank).remove(process) || isFinished[rank]) {
            return;
        }
        tellFailed(process);
        if (living.get(rank).isEmpty()) {
            beginAll(rank);
        } else {
            beginFollowers(rank, 1);
        }
    }

    private void beginAll(int rank) {
        boolean isLogged = job.opening().logged(); // Else the launcher starts nobody who would lead without having followed.
        begin(rank, !isLogged, 1 + random.nextInt(200));
        beginFollowers(rank, processes - 1);
    }

    private void tellFailed(SimProcess process) {
        world.stage().after(1 + random.nextInt(AGAIN_TICKS), () -> {
            SimCore core = world.core(job.coreOf(process.rank()));
            if (world.isEnded()) {
                return;
            }
            if (!core.host().isAlive()) {
                tellFailed(process);
                return;
            }
            int number = numbers.getOrDefault(process, process.incarnation());
            world.trace(process + " has ended, as number " + number);
            core.core().rankFailed(new RankFailed(job.id(), process.rank(), number));
        });
    }

    /** A relay was started again, and has forgotten which leaders have ended. */
    void relayIsBack(SimHost host) {
        for (SimProcess leader : leaders) {
            boolean isHere = world.relayOfCore(job.coreOf(leader.rank())) == host.number();
            if (isHere && !isFinished[leader.rank()] && !living.get(leader.rank()).contains(leader)) {
                tellFailed(leader);
            }
        }
    }

    void exited(SimProcess process, int status, String why) {
        int rank = process.rank();
        if (status == 0 && endsRank(process) && !isFinished[rank]) {
            isFinished[rank] = true;
            show(process);
            job.finished(process);
        } else if (status == 0) {
            finalized(process);
        } else if (status == ExitStatuses.DIVERGED) {
            throw new AssertionError(process + " has diverged: " + why);
        } else {
            ended(process);
        }
    }

    /**
     * Whether its rank ends with this process: it leads. Without a log nobody leads any more if the leader dies after Finalize, for which the launcher
     * ends the job; here a follower counts then, so that all ranks come to their ends.
     */
    private boolean endsRank(SimProcess process) {
        SimProcess leader = leaders[process.rank()];
        return leader == process || !job.opening().logged() && !living.get(process.rank()).contains(leader);
    }

    /** A process has come to its end and does not lead: its rank ends with its leader. */
    private void finalized(SimProcess process) {
        int rank = process.rank();
        if (living.get(rank).remove(process) && !isFinished[rank]) {
            tellFailed(process);
            if (living.get(rank).isEmpty()) {
                beginAll(rank);
            }
        }
    }

    void onEvent(JobEvent event) {
        world.trace(() -> "job event " + event);
        switch (event.kind()) {
            case JobEvent.FOLLOWS -> follows(event);
            case JobEvent.PROMOTED -> promoted(event);
            case JobEvent.FOLLOWER_LOST -> lost(event);
            default -> {}
        }
    }

    /** One that leads follows: its relay's host has lost that, and awaits the rank's first process. */
    private void follows(JobEvent event) {
        SimProcess leader = leaders[event.rank()];
        if (leader.incarnation() == event.code()) {
            world.core(job.coreOf(event.rank())).after(1,
                    () -> world.core(job.coreOf(event.rank())).core().rankFailed(new RankFailed(job.id(), event.rank(), 1)));
        }
    }

    private void promoted(JobEvent event) {
        promotions++;
        int now = (int) event.a();
        lastNumbers[event.rank()] = Math.max(lastNumbers[event.rank()], now);
        SimProcess process = followers.stream()
                .filter(each -> each.rank() == event.rank() && each.incarnation() == event.code())
                .findFirst()
                .orElseGet(() -> leaders[event.rank()]);
        followers.remove(process);
        numbers.put(process, now);
        leaders[event.rank()] = process;
        show(process);
        if (!living.get(event.rank()).contains(process) && !isFinished[event.rank()]) {
            tellFailed(process);
        }
    }

    private void lost(JobEvent event) {
        lostFollowers++;
        if (event.a() == CloseReason.DIVERGED.code()) {
            throw new AssertionError("a follower has diverged: " + event);
        }
        isCut[event.rank()] |= event.text().contains("cut");
    }

    // ---- what they print

    /** @return whether it is shown; else it is held back */
    boolean shows(SimProcess process, int number, String line) {
        if (leaders[process.rank()] == process) {
            return true;
        }
        held.computeIfAbsent(process, none -> new TreeMap<>()).put(number, line);
        return false;
    }

    private void show(SimProcess process) {
        held.getOrDefault(process, new TreeMap<>()).forEach((number, line) -> job.show(process, number, line));
        held.remove(process);
    }

    // ---- what is known at the end

    /** What followers that have never led have seen. */
    List<Diary> diaries(int rank) {
        return followers.stream().filter(process -> process.rank() == rank).map(SimProcess::diary).toList();
    }

    /** What they have printed. */
    List<Map<Integer, String>> lines(int rank) {
        return held.entrySet().stream().filter(each -> each.getKey().rank() == rank).<Map<Integer, String>>map(Map.Entry::getValue).toList();
    }

    int lostFollowers() {
        return lostFollowers;
    }

    /** How often a follower has led. */
    int promotions() {
        return promotions;
    }

    String of(int rank) {
        return living.get(rank).toString();
    }
}
