package org.posthouse.relay;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.posthouse.core.HomedRank;
import org.posthouse.logstore.MemoryLog;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.mpj.Cable;
import org.posthouse.mpj.Stage;
import org.posthouse.relay.log.LogSpace;
import org.posthouse.relay.log.LoggedJob;
import org.posthouse.relay.log.RetentionPin;
import org.posthouse.wire.Agree;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.WireException;

/** A relay's host: its log and images, a disk that is slow, and the relay's process, which dies and starts again on them. */
final class SimHost {
    private record ImageKey(long job, int rank, long number) {}

    /** Between two looks whether a follower is to lead: a second. */
    private static final int LOOK_TICKS = 1_000 * Stage.TICKS_PER_MS;

    private final CrashWorld world;
    private final int number;
    private final MemoryLog log = new MemoryLog();
    private final Map<ImageKey, byte[]> images = new HashMap<>();
    private List<SimCore> cores = List.of();
    private List<SimPort> ports = new ArrayList<>();

    /** Which start of the relay this is, from 1; 0 while it is not there. */
    private int life;

    private int lives;

    /** Up to where the log is on the disk, and up to where somebody waits for that. */
    private long safe;

    private long wanted;
    private long fullUntil;

    /** Until then what would be logged waits before the cores. */
    private long jammedUntil;
    private boolean syncing;

    /** Until then the log takes nothing. */
    private long brokenUntil;

    /** Whether a sync has failed since the relay's start. */
    private boolean syncFailed;

    /** Jobs of which the log did not take something since the relay's start: it takes nothing more of them. */
    private final Set<Long> broken = new HashSet<>();

    /** RANK_FAILED, REVOKE and, of those that are decided here, AGREED, which ranks were sent in its present life and those before; by job. */
    private final Map<Long, Set<ByteBuffer>> told = new HashMap<>();

    /** Those whose launchers were told that they stand still. */
    private final Set<SimJob> standing = new HashSet<>();

    SimHost(CrashWorld world, int number) {
        this.world = world;
        this.number = number;
    }

    /** The relay starts for the first time. */
    void start(List<JobOpen> openings) {
        openings.forEach(opening -> log.append(new LogRecord.JobOpened(opening.job(), opening.size(), opening.durability().code()), opening.encode()));
        safe = log.position();
        begin(openings);
    }

    private void begin(List<JobOpen> openings) {
        life = ++lives;
        List<SimCore> all = new ArrayList<>();
        for (int shard = 0; shard < world.shards(); shard++) {
            all.add(new SimCore(this, number * world.shards() + shard));
        }
        cores = all;
        cores.forEach(core -> openings.forEach(core::open));
        if (world.jobs().stream().anyMatch(job -> job.replicas() != null)) {
            lookAtFollowers();
        }
    }

    private void lookAtFollowers() {
        after(LOOK_TICKS, () -> {
            if (!world.isOver()) {
                cores.forEach(SimCore::look);
                lookAtFollowers();
            }
        });
    }

    /**
     * The relay dies.
     *
     * @param power whether its host does too: then of what was not on the disk some is lost, in no order, and a start cuts behind the last
     *     record that nothing is missing before ({@code PowerCutTest} has the disk's pages)
     */
    void die(boolean power) {
        life = 0;
        syncing = false;
        brokenUntil = 0;
        syncFailed = false;
        broken.clear();
        standing.clear();
        ports.forEach(SimPort::relayDied);
        ports = new ArrayList<>();
        long lost = log.position() - safe;
        long end = power ? safe + world.random().nextInt((int) lost + 1) : log.position();
        world.trace("relay " + number + " dies" + (power ? " with its host, " + (log.position() - end) + " records are lost" : ""));
        log.reopen(end);
        wanted = 0;
        safe = power ? end : safe;
    }

    /** It starts again. */
    void restart(List<JobOpen> openings) {
        List<JobOpen> left = openings.stream().filter(opening -> log.book().job(opening.job()) != null).toList();
        begin(left);
        try {
            for (JobOpen opening : left) {
                LoggedJob logged = LoggedJob.of(id(), log.book().job(opening.job()), log.drafts());
                cores.forEach(core -> core.restore(opening.job(), logged.ranks()));
                requireKnown(opening, logged.failures());
                for (SimCore core : cores) {
                    core.restoreFailures(opening.job(), logged.failures());
                }
            }
        } catch (WireException e) {
            throw new AssertionError(e);
        }
        world.trace("relay " + number + " is back, life " + life);
        world.jobs().stream().map(SimJob::replicas).filter(Objects::nonNull).forEach(replicas -> replicas.relayIsBack(this));
    }

    /** P3: a power cut takes nothing back that a rank was told. */
    private void requireKnown(JobOpen opening, List<ByteBuffer> failures) {
        Set<ByteBuffer> lost = new HashSet<>(told.getOrDefault(opening.job(), Set.of()));
        failures.forEach(lost::remove);
        if (opening.survivesHost() && !lost.isEmpty()) {
            throw new AssertionError("relay " + number + " has lost what ranks were told: "
                    + lost.stream().map(frame -> new FrameView().wrap(frame, 0).type()).toList() + ", and has of failures " + failures.size() + " records");
        }
    }

    /** A rank is sent this frame about failures. */
    void tells(JobOpen opening, ByteBuffer frame) {
        if (new FrameView().wrap(frame, 0).type() != FrameType.AGREED || opening.homeOf()[Agree.COORDINATOR] == number) {
            told.computeIfAbsent(opening.job(), none -> new HashSet<>()).add(frame.duplicate());
        }
    }

    /** Ends a job. @return whether the relay is there to do it */
    boolean close(SimJob job) {
        if (isAlive()) {
            world.trace("relay " + number + " ends job " + Long.toHexString(job.id()));
            cores.forEach(core -> core.close(CloseNotice.closing(job.id(), CloseReason.NORMAL, "all ranks are done")));
            broken.remove(job.id());
            if (takes(job.id())) {
                log.append(new LogRecord.JobClosed(job.id(), 0));
            }
            look();
        }
        return isAlive();
    }

    /** All senders have come to their ends, or are dead, and nothing is on its way: nothing more will come of what they were cleared to send. */
    void checkWindows() {
        for (SimCore core : cores) {
            if (core.core().underWayBytes() != 0) {
                throw new AssertionError("core " + core.number() + " still counts " + core.core().underWayBytes() + " bytes under way");
            }
        }
    }

    /** It is not needed any more. */
    void end() {
        life = 0;
        ports.forEach(SimPort::relayDied);
    }

    /** Its log has too little room for so long: its relay gives no credit meanwhile, and clears nothing; now and then it takes nothing in. */
    void fill(long ticks) {
        boolean jams = world.random().nextBoolean();
        world.trace("relay " + number + " has " + (jams ? "no" : "too little") + " room");
        fullUntil = Math.max(fullUntil, world.now() + ticks);
        jammedUntil = Math.max(jammedUntil, jams ? fullUntil : 0);
        world.stage().after(ticks, this::tellRoom);
    }

    private void tellRoom() {
        if (!isFull() && isAlive()) {
            cores.forEach(core -> core.core().roomChanged(false, ""));
        }
    }

    boolean isFull() {
        return world.now() < fullUntil;
    }

    /** For how long what comes has to wait; 0 if it has not. */
    long jammedFor() {
        return Math.max(0, jammedUntil - world.now());
    }

    /** Its log takes nothing for so long, and of a job that had something to log meanwhile nothing until the relay is started again. */
    void breakLog(long ticks) {
        world.trace("relay " + number + " has a log that takes nothing");
        brokenUntil = world.now() + ticks;
    }

    /** Its disk fails a sync: nothing becomes safe until it is started again. */
    void failSync() {
        world.trace("relay " + number + " has a disk that fails");
        syncFailed = true;
        for (SimCore core : cores) {
            core.gate().giveUp();
            world.jobs().stream().filter(job -> job.opening().survivesHost()).forEach(job -> core.core().failJob(job.id(), CloseReason.LOG_BROKEN, "the disk"));
        }
    }

    /** Whether something of this job can be logged; else nothing will be. */
    boolean tryLog(long job) {
        if (world.now() < brokenUntil) {
            broken.add(job);
        }
        return takes(job);
    }

    boolean takes(long job) {
        return world.now() >= brokenUntil && !isBroken(job);
    }

    void giveUp(long job) {
        broken.add(job);
    }

    /** Whether something of this job was not logged. */
    boolean isBroken(long job) {
        return broken.contains(job);
    }

    /** Whether a job may have to stand still here. */
    boolean isBroken() {
        return syncFailed || world.now() < brokenUntil || !broken.isEmpty();
    }

    /** A job stands still here. @return whether its launcher is to be told, as it was not */
    boolean standsStill(SimJob job) {
        if (!isBroken()) {
            throw new AssertionError("job " + Long.toHexString(job.id()) + " stands still at relay " + number + ", whose log takes all");
        }
        return standing.add(job);
    }

    /** Asks its ranks to connect again, as a change of its mode does. */
    void switchMode() {
        world.trace("relay " + number + " changes its mode");
        List.copyOf(ports).forEach(SimPort::askMove);
    }

    boolean isAlive() {
        return life > 0;
    }

    int life() {
        return life;
    }

    void after(long ticks, Runnable action) {
        int in = life;
        world.stage().after(ticks, () -> {
            if (life == in && in > 0) {
                action.run();
            }
        });
    }

    // ---- the disk

    long safe() {
        return safe;
    }

    void want(long position) {
        if (life == 0) {
            throw new AssertionError("relay " + number + " is dead and waits for its disk");
        }
        wanted = Math.max(wanted, position);
        if (!syncing && wanted > safe && !syncFailed) {
            syncing = true;
            long target = log.position();
            after(1 + world.random().nextInt(world.diskDelayMax(this)), () -> {
                syncing = false;
                if (syncFailed) {
                    return;
                }
                safe = target;
                world.trace(() -> "  relay " + number + " has its log on the disk up to " + target + " of " + log.position());
                cores.forEach(core -> after(world.random().nextInt(3), () -> {
                    core.gate().open();
                    core.logSafe();
                }));
                want(wanted);
            });
        }
    }

    /**
     * What nobody needs any more goes, a while later, and not before the log is on the disk up to what makes it superfluous (as {@link
     * LogSpace} does): now and then as if there were too little room, so that a rank's older image does not count.
     */
    void look() {
        boolean easy = world.random().nextBoolean();
        if (world.cutsLogs()) {
            after(world.random().nextInt(30), () -> {
                long upTo = upTo(easy);
                Runnable cut = () -> {
                    log.cut(Math.min(upTo, upTo(easy)));
                    world.trace(() -> "  relay " + number + " has its log from " + log.first() + " on");
                };
                if (world.waitsForDisks()) {
                    cores.getFirst().gate().pass(cut);
                } else {
                    after(world.random().nextInt(10), cut);
                }
            });
        }
    }

    private long upTo(boolean easy) {
        List<RetentionPin> needs = RetentionPin.of(log.book(), rank -> easy ? rank.pin() : rank.pinOfNewest(), Map.of());
        long followed = cores.stream().mapToLong(core -> core.past().needed()).min().orElse(Long.MAX_VALUE);
        return Math.min(followed, needs.isEmpty() ? log.position() + 1 : needs.getFirst().position());
    }

    void keepImage(HomedRank rank, long image, byte[] bytes) {
        images.put(new ImageKey(rank.job().id(), rank.rank(), image), bytes);
    }

    byte[] image(HomedRank rank, long image) {
        return images.get(new ImageKey(rank.job().id(), rank.rank(), image));
    }

    // ---- who connects

    void accept(SimJob job, Cable cable) {
        ports.add(new SimPort(this, job, cable));
    }

    void gone(SimPort port) {
        ports.remove(port);
    }

    CrashWorld world() {
        return world;
    }

    int number() {
        return number;
    }

    String id() {
        return CrashWorld.relayId(number);
    }

    @Override
    public String toString() {
        return "relay " + number + ", life " + life + ", log safe up to " + safe + " of " + log.position() + ", wanted " + wanted
                + (syncing ? ", syncing" : "");
    }

    MemoryLog log() {
        return log;
    }

    List<SimCore> cores() {
        return cores;
    }
}
