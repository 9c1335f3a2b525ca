package org.posthouse.relay;

import java.io.ByteArrayOutputStream;
import java.util.HashMap;
import java.util.Map;
import org.posthouse.core.CheckpointImage;
import org.posthouse.core.CheckpointImages;
import org.posthouse.core.HomedRank;
import org.posthouse.core.Parcel;
import org.posthouse.logstore.MemoryLog;
import org.posthouse.logstore.RankLog;
import org.posthouse.logstore.record.Checkpoint;
import org.posthouse.relay.io.BufferParcel;

/** Keeps images for a {@link SimCore}: each takes a while, now and then one fails, and only one that is whole outlives the relay. */
final class SimImages implements CheckpointImages {
    private final SimCore core;
    private final MemoryLog log;
    private final Map<HomedRank, ByteArrayOutputStream> coming = new HashMap<>();

    /** The last save of each rank that fails. */
    private final Map<HomedRank, Integer> failing = new HashMap<>();

    /** When the last image of each rank is on the disk: one thread writes them all, also those that nobody wants any more. */
    private final Map<HomedRank, Long> onDisk = new HashMap<>();

    SimImages(SimCore core, MemoryLog log) {
        this.core = core;
        this.log = log;
    }

    @Override
    public void begin(HomedRank rank, int save, long bytes) {
        coming.put(rank, new ByteArrayOutputStream());
        log.keepPrologue(rank.job().id(), rank.rank());
        if (core.world().random().nextInt(15) == 0) {
            failing.put(rank, save);
            core.after(core.world().random().nextInt(30), () -> core.core().storage().imageFailed(rank, save));
        }
    }

    @Override
    public void put(HomedRank rank, int save, Parcel piece) {
        BufferParcel frame = (BufferParcel) piece;
        byte[] bytes = new byte[frame.payloadBytes()];
        frame.buffer().getBytes(frame.payloadIndex(), bytes);
        frame.release();
        coming.get(rank).writeBytes(bytes);
        long written = coming.get(rank).size();
        core.after(core.world().random().nextInt(10), () -> core.core().storage().imageWritten(rank, save, written));
    }

    @Override
    public void end(HomedRank rank, int save) {
        byte[] image = coming.remove(rank).toByteArray();
        if (failing.getOrDefault(rank, 0) == save) {
            return;
        }
        long at = Math.max(core.world().now() + core.world().random().nextInt(60), 1 + onDisk.getOrDefault(rank, 0L));
        onDisk.put(rank, at);
        core.after(at - core.world().now(), () -> {
            RankLog known = log.book().rank(rank.job().id(), rank.rank());
            long number = 1 + known.checkpoint().map(Checkpoint::number).orElse(0L);
            core.host().keepImage(rank, number, image);
            core.after(core.world().random().nextInt(30), () -> core.core().storage().imageStored(rank, save, new CheckpointImage(number, image.length, 0)));
        });
    }

    @Override
    public void drop(HomedRank rank, int save) {
        coming.remove(rank);
    }
}
