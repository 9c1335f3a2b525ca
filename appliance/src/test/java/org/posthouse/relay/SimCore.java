package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.posthouse.core.Frame;
import org.posthouse.core.RecoveredRank;
import org.posthouse.core.Refusal;
import org.posthouse.core.RelayCore;
import org.posthouse.core.UnexpectedPool;
import org.posthouse.relay.io.ArrivedFrame;
import org.posthouse.relay.memory.HistoryBudget;
import org.posthouse.relay.memory.MemoryHistorySource;
import org.posthouse.relay.shard.OutputGate;
import org.posthouse.relay.shard.Shard;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.WireException;

/** One core of a {@link SimHost}, with what a {@link Shard} has beside it: a gate, ways to other cores, a history source. */
final class SimCore {
    private final SimHost host;
    private final int number;
    private final RelayCore core;
    private final SimPast past;
    private final MemoryHistorySource histories;
    private final OutputGate outputGate;
    private final Map<Integer, SimWay> ways = new TreeMap<>();

    /** @param number among all cores of all relays */
    SimCore(SimHost host, int number) {
        this.host = host;
        this.number = number;
        outputGate = new OutputGate(host.log()::position, host::safe, host::want);
        past = new SimPast(this, host.log());
        histories = new MemoryHistorySource(past, new HistoryBudget(world().memoryBytes()), world().stage()::nanoTime,
                work -> after(world().random().nextInt(20), work), this::core);
        core = new RelayCore(
                host.id(),
                world().config(),
                world().shards(),
                UnexpectedPool.own(world().config(), world().shards()),
                world().stage()::nanoTime,
                histories,
                new SimImages(this, host.log()));
    }

    void open(JobOpen opening) {
        SimJob job = world().job(opening.job());
        try {
            core.openJob(
                    opening,
                    rank -> job.coreOf(rank) == number ? null : way(job.coreOf(rank)),
                    event -> world().onJobEvent(event, this),
                    opening.remembers() ? histories.journal(opening) : new SimLog(host, host.log()));
        } catch (Refusal e) {
            throw new AssertionError(e);
        }
    }

    /** Its job has ended: what was kept of it is told. */
    void close(CloseNotice why) {
        core.closeJob(why.job(), why);
        outputGate.forgo(job -> core.job(job) == null);
    }

    void restore(long job, List<RecoveredRank> ranks) {
        core.restore(core.job(job), ranks);
    }

    void restoreFailures(long job, List<ByteBuffer> frames) throws WireException {
        core.restoreFailures(core.job(job), frames);
    }

    SimHost host() {
        return host;
    }

    CrashWorld world() {
        return host.world();
    }

    int number() {
        return number;
    }

    RelayCore core() {
        return core;
    }

    SimPast past() {
        return past;
    }

    OutputGate gate() {
        return outputGate;
    }

    /** Does it later, if the relay lives so long. */
    void after(long ticks, Runnable action) {
        host.after(ticks, action);
    }

    SimWay way(int to) {
        return ways.computeIfAbsent(to, unseen -> new SimWay(this, to));
    }

    /** Another core's frame. @param handled is told when it is handled, and safe if it came over a link */
    void fromPeer(int from, byte[] frame, boolean local, Runnable handled) {
        Frame arrived = arrived(frame);
        world().trace(() -> "  core " + number + " <- core " + from + ": " + FrameWords.of(arrived.view()));
        long job = arrived.view().job();
        boolean handles = take(way(from), arrived);
        logSafe();
        if (handles || local) {
            tell(job, local, handled);
        } else {
            outputGate.keepHandled(job, handled);
        }
    }

    /** A second has passed. */
    void look() {
        histories.look();
        core.lookAtFollowers(from -> 0);
    }

    private boolean take(SimWay from, Frame frame) {
        switch (frame.view().type()) {
            case RANK_FAILED, REVOKE, AGREE, AGREED -> core.failure(from, frame);
            default -> {
                return core.fromPeer(from, frame);
            }
        }
        return true;
    }

    /** Followers get what is safe. */
    void logSafe() {
        core.logSafe(world().has(PlantedFault.UNSAFE_ITEM) ? host.log().position() : host.safe());
        if (core.waitsForSync()) {
            host.want(host.log().position());
        }
    }

    /** Whether what this job says waits for the disk here. */
    boolean isGated(long job) {
        return core.job(job) != null && core.job(job).survivesHost();
    }

    /** A frame of this job was handled. */
    private void tell(long job, boolean local, Runnable handled) {
        if (local || !isGated(job)) {
            handled.run();
        } else {
            outputGate.passHandled(job, handled);
        }
    }

    /** What another core says of a blocked rank. A link tells what is handled in its order: so it waits for what came before. */
    void stalled(int from, FrameType type, BlockedReport blockedReport, boolean local, Runnable handled) {
        world().trace(() -> "  core " + number + " <- core " + from + ": " + type + " " + blockedReport);
        core.stalled(way(from), type, blockedReport);
        tell(blockedReport.job(), local, handled);
    }

    private static Frame arrived(byte[] frame) {
        ByteBuf buffer = Unpooled.wrappedBuffer(frame);
        return new ArrivedFrame().set(buffer, 0, frame.length, new FrameView().wrap(buffer.nioBuffer(), 0));
    }

    void peerRestarted(SimWay way, List<byte[]> unacknowledged) {
        List<Frame> frames = new ArrayList<>();
        unacknowledged.forEach(frame -> frames.add(arrived(frame)));
        core.peerRestarted(way, frames);
    }
}
