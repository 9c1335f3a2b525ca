package org.posthouse.relay.shard;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import org.posthouse.core.CheckpointImage;
import org.posthouse.core.CheckpointImages;
import org.posthouse.core.HomedRank;
import org.posthouse.core.Parcel;
import org.posthouse.logstore.image.ImageFile;
import org.posthouse.logstore.record.Checkpoint;
import org.posthouse.relay.io.BufferParcel;
import org.posthouse.relay.log.HistoryThreads;
import org.posthouse.relay.log.LogTasks;
import org.posthouse.relay.log.RelayLog;

/**
 * Stores the images of one shard's ranks, on the relay's thread for images, and reports the results to the shard.
 * Called inside the shard's strand; images in progress are confined to the thread.
 */
final class ImageWriter implements CheckpointImages {
    /** Bytes between acknowledgements to the rank: a quarter of its window. */
    private static final int TOLD_BYTES = 1 << 20;

    /** An image that is being written; without a file if writing has failed. */
    private static final class Writing {
        private final HomedRank rank;
        private final int save;
        private ImageFile file;
        private long told;

        private Writing(HomedRank rank, int save) {
            this.rank = rank;
            this.save = save;
        }
    }

    private final Shard shard;
    private final RelayLog relayLog;
    private final Executor thread;
    private final Map<HomedRank, Writing> writing = new HashMap<>();

    /** @param shard the shard of the ranks */
    ImageWriter(Shard shard, HistoryThreads historyThreads) {
        this.shard = shard;
        this.relayLog = historyThreads.log();
        this.thread = historyThreads.images();
    }

    @Override
    public void begin(HomedRank rank, int save, long bytes) {
        long job = rank.job().id();
        int incarnation = rank.incarnation();
        thread.execute(() -> {
            Writing image = new Writing(rank, save);
            writing.put(rank, image);
            attempt(image, () -> {
                relayLog.points().keepPrologue(job, rank.rank());
                image.file = relayLog.points().images().begin(job, rank.rank(), incarnation, relayLog.points().nextImage(job, rank.rank()), bytes);
            });
        });
    }

    @Override
    public void put(HomedRank rank, int save, Parcel piece) {
        BufferParcel frame = (BufferParcel) piece;
        thread.execute(() -> {
            ByteBuffer bytes = frame.buffer().nioBuffer(frame.payloadIndex(), frame.payloadBytes());
            Writing image = writing.get(rank);
            attempt(image, () -> image.file.put(bytes));
            frame.release();
            tell(image);
        });
    }

    private void tell(Writing image) {
        if (image != null && image.file != null && image.file.taken() - image.told >= TOLD_BYTES) {
            image.told = image.file.taken();
            long taken = image.told;
            shard.strand().post(() -> shard.core().storage().imageWritten(image.rank, image.save, taken));
        }
    }

    @Override
    public void end(HomedRank rank, int save) {
        long job = rank.job().id();
        thread.execute(() -> {
            Writing image = writing.remove(rank);
            attempt(image, () -> {
                try (ImageFile file = image.file) {
                    Checkpoint kept = file.commit(Checkpoint.at(0, 0, 0, 0));
                    CheckpointImage note = new CheckpointImage(kept.number(), kept.bytes(), kept.imageCrc());
                    shard.strand().post(() -> kept(rank, save, note, job));
                }
            });
        });
    }

    /** Called in the strand. */
    private void kept(HomedRank rank, int save, CheckpointImage note, long job) {
        shard.core().storage().imageStored(rank, save, note);
        int number = rank.rank();
        thread.execute(() -> {
            relayLog.points().needsNone(job, number);
            relayLog.points().tidy(job, number);
        });
    }

    @Override
    public void drop(HomedRank rank, int save) {
        thread.execute(() -> {
            Writing image = writing.remove(rank);
            if (image != null) {
                close(image);
            }
        });
    }

    /** Runs the next step of an image that has not failed. */
    private void attempt(Writing image, Runnable work) {
        if (image == null || image.file == null && image.told < 0) {
            return;
        }
        LogTasks.attempt("no checkpoint of", image.rank, work, why -> {
            relayLog.points().failed(image.rank.job().id(), image.rank.rank(), why);
            shard.strand().post(() -> shard.core().storage().imageFailed(image.rank, image.save));
            close(image);
        });
    }

    /** A file that cannot be removed stays; nobody waits for it. */
    private static void close(Writing image) {
        ImageFile file = image.file;
        image.told = -1;
        image.file = null;
        if (file != null) {
            LogTasks.attempt("what is left stays of an image of", image.rank, file::close, why -> {});
        }
    }
}
