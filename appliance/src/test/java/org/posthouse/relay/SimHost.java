package org.posthouse.relay;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.core.Recovered;
import org.posthouse.logstore.Checkpoint;
import org.posthouse.logstore.LogRecord;
import org.posthouse.logstore.MemoryLog;
import org.posthouse.logstore.RankLog;
import org.posthouse.mpj.Cable;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.WireException;

/** A relay's host: its log and images, a disk that is slow, and the relay's process, which dies and starts again on them. */
final class SimHost {
    private record ImageKey(int rank, long number) {}

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
    private boolean syncing;
    private long recordsGone;

    SimHost(CrashWorld world, int number) {
        this.world = world;
        this.number = number;
    }

    /** The relay starts for the first time. */
    void start(JobOpen opening) {
        log.append(new LogRecord.JobOpened(opening.job(), opening.size(), opening.durability()), opening.encode());
        safe = log.position();
        begin(opening);
    }

    private void begin(JobOpen opening) {
        life = ++lives;
        List<SimCore> all = new ArrayList<>();
        for (int shard = 0; shard < world.shards(); shard++) {
            all.add(new SimCore(this, number * world.shards() + shard));
        }
        cores = all;
        cores.forEach(core -> core.open(opening));
    }

    /**
     * The relay dies.
     *
     * @param power whether its host does too: then what was not on the disk is lost, from some record on
     */
    void die(boolean power) {
        life = 0;
        syncing = false;
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
    void restart(JobOpen opening) {
        begin(opening);
        try {
            List<Recovered> ranks =
                    LoggedJob.of(id(), log.book().job(CrashWorld.JOB), log.drafts()).ranks();
            cores.forEach(core -> core.restore(ranks));
        } catch (WireException e) {
            throw new AssertionError(e);
        }
        world.trace("relay " + number + " is back, life " + life);
    }

    /** It is not needed any more. */
    void end() {
        life = 0;
        ports.forEach(SimPort::relayDied);
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
        if (!syncing && wanted > safe) {
            syncing = true;
            long target = log.position();
            after(1 + world.random().nextInt(world.diskDelayMax()), () -> {
                syncing = false;
                safe = target;
                world.trace(() -> "  relay " + number + " has its log on the disk up to " + target + " of " + log.position());
                cores.forEach(core -> after(world.random().nextInt(3), core.gate()::open));
                want(wanted);
            });
        }
    }

    // ---- what may go

    /**
     * A rank has a new image: files of the log go that nobody needs now, and its images before the last two; if the job is to outlive its
     * host, when that is on the disk which makes them superfluous. As {@link LogRoom} and {@link RestartPoints} do it.
     */
    void forgetWhatIsNotNeeded(int rank) {
        boolean easy = world.random().nextBoolean();
        long needed = needed(easy);
        RankLog known = log.book().rank(CrashWorld.JOB, rank);
        long oldest = known.olderCheckpoint().or(known::checkpoint).map(Checkpoint::number).orElse(0L);
        whenSafe(log.position(), () -> {
            images.keySet().removeIf(image -> image.rank() == rank && image.number() < oldest);
            recordsGone += log.cut(Math.min(needed, needed(easy)));
            world.trace(() -> "  relay " + number + " has its log from record " + log.firstPosition() + " on");
        });
    }

    private long needed(boolean easy) {
        return LogNeed.of(log.book(), (job, each) -> easy ? each.pin() : each.pinOfNewest()).getFirst().position();
    }

    private void whenSafe(long position, Runnable action) {
        if (world.survivesHost() && safe < position) {
            want(position);
            after(1, () -> whenSafe(position, action));
        } else {
            action.run();
        }
    }

    void keepImage(int rank, long image, byte[] bytes) {
        images.put(new ImageKey(rank, image), bytes);
    }

    byte[] image(int rank, long image) {
        return images.get(new ImageKey(rank, image));
    }

    // ---- who connects

    void accept(Cable cable) {
        ports.add(new SimPort(this, cable));
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

    /** How many records of the log were cut. */
    long recordsGone() {
        return recordsGone;
    }

    List<SimCore> cores() {
        return cores;
    }
}
