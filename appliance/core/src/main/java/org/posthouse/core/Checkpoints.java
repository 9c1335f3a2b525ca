package org.posthouse.core;

import java.util.Optional;
import org.posthouse.wire.CheckpointNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobKept;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * Handles checkpoints: the notices of ranks about points from which they can restart, and the images that they send
 * (docs/wire.md, checkpoints). A rank sends nothing else while it saves, so its state does not change until its image
 * is stored. Part of {@link RelayCore}.
 *
 * <p>A checkpoint's record follows in the log all that the rank was given before it (ADR 20). A process that starts
 * from there is given none of that again. A host that has lost the end of its log may have lost a piece that the rank
 * has. The sender has that piece, and the checkpoint waits until it arrives.
 *
 * <p>A process that starts from an image does not print earlier output again. If a launcher keeps that output for its
 * successor, the image waits until the launcher has it (ADR 55).
 */
final class Checkpoints {
    private final CheckpointImages checkpointImages;

    Checkpoints(CheckpointImages checkpointImages) {
        this.checkpointImages = checkpointImages;
    }

    /** A checkpoint that is not in the log yet: the end of the prologue, or an image in transfer. */
    static final class Save {
        /** The number of an image, from 1; else 0. */
        private final int number;

        private final CheckpointNotice point;

        /** Null until all that the rank was given is in the log. */
        private RecoveryPoint at;

        private long arrived;
        private long upTo = Wire.IMAGE_WINDOW_BYTES;
        private boolean failed;

        /** Whether the launcher has not yet confirmed that it has the earlier output. */
        private boolean unkept;

        private Save(int number, CheckpointNotice point) {
            this.number = number;
            this.point = point;
        }

        private boolean isImage() {
            return number > 0;
        }

        private boolean hasArrived() {
            return !isImage() || arrived == point.bytes();
        }
    }

    /** Handles a rank's notice. */
    void point(HomedRank rank, CheckpointNotice point) throws WireException {
        boolean mayBe = rank.job().logged() && rank.state() == RankState.CONNECTED && rank.checkpoints().save() == null;
        if (!mayBe || point.events() != rank.counters().events() || rank.mailbox().posted() > 0) {
            throw new WireException(
                    CloseReason.NOT_EXPECTED,
                    "POINT(" + point.kind() + ") of " + rank + ", which is " + rank.state() + " with " + rank.counters().events()
                            + " events, " + rank.mailbox().posted() + " receives posted" + (rank.checkpoints().save() == null ? "" : ", and saves"));
        }
        RankFrames.logPolls(rank, point.failedPolls());
        switch (point.kind()) {
            case READY -> ready(rank, point);
            case SAVE -> save(rank, point);
            default -> throw new WireException(CloseReason.NOT_EXPECTED, "POINT(" + point.kind() + ") from " + rank);
        }
    }

    /**
     * Handles the end of the prologue. If the connection broke before the answer, the rank repeats the notice, which
     * the log has already.
     */
    private void ready(HomedRank rank, CheckpointNotice point) {
        if (rank.checkpoints().outputNotes().hasPrologue()) {
            rank.port().point(CheckpointNotice.of(rank.job().id(), CheckpointNotice.Kind.SAVED, 0, 0));
        } else {
            rank.checkpoints().save(new Save(0, point));
            goOn(rank);
        }
    }

    private static RecoveryPoint standing(HomedRank rank, CheckpointNotice point) {
        Message waits = rank.mailbox().oldest();
        return new RecoveryPoint(
                waits == null ? rank.job().journal().position() + 1 : waits.logPosition(), rank.counters().messagesDelivered(), rank.counters().events(),
                rank.counters().failedPolls(), point.out(), point.err(), waits == null ? "" : waits.toString());
    }

    private void save(HomedRank rank, CheckpointNotice point) {
        Save save = new Save(rank.checkpoints().nextSave(), point);
        rank.checkpoints().save(save);
        if (rank.job().isInMemory()) {
            save.failed = true; // No image would outlive its rank's relay.
            grant(rank, save, save.point.bytes());
            endIfArrived(rank, save);
            return;
        }
        checkpointImages.begin(rank, save.number, point.bytes());
        save.unkept = rank.job().keepsOutput();
        asking(rank).ifPresent(rank.job()::report);
        endIfArrived(rank, save);
    }

    /** The question to the launcher that must be answered before the rank's image counts; empty if there is none. */
    static Optional<JobEvent> asking(HomedRank rank) {
        Save save = rank.checkpoints().save();
        return save == null || !save.unkept
                ? Optional.empty()
                : Optional.of(
                        new JobEvent(rank.job().id(), JobEvent.SAVES, rank.rank(), rank.incarnation(), save.point.processOut(), save.point.processErr(), ""));
    }

    /** The launcher has the output of a process of the rank, perhaps an earlier one, up to here. */
    void outputKept(HomedRank rank, JobKept kept) {
        Save save = rank.checkpoints().save();
        boolean isPresent = save != null && kept.incarnation() == rank.incarnation();
        if (isPresent && kept.out() >= save.point.processOut() && kept.err() >= save.point.processErr()) {
            save.unkept = false;
            goOn(rank);
        }
    }

    private void endIfArrived(HomedRank rank, Save save) {
        if (save.hasArrived() && save.failed) {
            drop(rank);
            rank.port().point(CheckpointNotice.of(rank.job().id(), CheckpointNotice.Kind.FAILED, 0, 0));
        } else {
            goOn(rank);
        }
    }

    /** Continues a checkpoint that waited, if nothing is missing any more. */
    void goOn(HomedRank rank) {
        Save save = rank.checkpoints().save();
        if (save == null || save.failed || save.unkept || save.at != null || !save.hasArrived() || rank.incoming().isMissingPieces()) {
            return;
        }
        save.at = standing(rank, save.point);
        if (save.isImage()) {
            checkpointImages.end(rank, save.number);
        } else {
            end(rank, save, null);
        }
    }

    /** @param image null at the end of the prologue */
    private static void end(HomedRank rank, Save save, CheckpointImage image) {
        Job job = rank.job();
        long number = image == null ? 0 : image.number();
        job.journal().checkpoint(job.id(), rank.rank(), save.at, image);
        rank.counters().countRecord();
        rank.checkpoints().save(null);
        job.report(rank.checkpoints().outputNotes().checkpoint(new RecoveredRank.Mark(number, save.point.out(), save.point.err())));
        OpenChannels.tellIfFull(rank); // No image helps.
        rank.port().point(CheckpointNotice.of(job.id(), CheckpointNotice.Kind.SAVED, number, 0));
    }

    /** Handles a piece of an image. */
    void image(HomedRank rank, Frame frame) throws WireException {
        Save save = rank.checkpoints().save();
        long offset = frame.view().imageOffset();
        int bytes = frame.view().length() - Wire.IMAGE_HEADER_BYTES;
        boolean saves = save != null && save.isImage();
        if (!saves || offset != save.arrived || offset + bytes > save.point.bytes()) {
            throw new WireException(
                    CloseReason.NOT_EXPECTED,
                    "IMAGE with " + bytes + " bytes at " + offset + " from " + rank + (saves
                            ? ", expected at " + save.arrived + " of " + save.point.bytes()
                            : ", which does not save"));
        }
        if (offset + bytes > save.upTo) {
            throw new WireException(
                    CloseReason.CREDIT_EXCEEDED, "IMAGE up to " + (offset + bytes) + " from " + rank + ", granted up to " + save.upTo);
        }
        save.arrived += bytes;
        if (!save.failed) {
            checkpointImages.put(rank, save.number, frame.hold());
        }
        endIfArrived(rank, save);
    }

    /** So many bytes of an image were written: as many more may be sent. */
    void written(HomedRank rank, int number, long bytes) {
        Save save = rank.checkpoints().save();
        if (save != null && save.number == number && !save.failed) {
            grant(rank, save, bytes + Wire.IMAGE_WINDOW_BYTES);
        }
    }

    private static void grant(HomedRank rank, Save save, long upTo) {
        if (save.upTo < save.point.bytes() && upTo > save.upTo) {
            save.upTo = upTo;
            rank.port().point(CheckpointNotice.of(rank.job().id(), CheckpointNotice.Kind.MORE, 0, upTo));
        }
    }

    /** An image is on the disk. It counts from its record on. */
    void kept(HomedRank rank, int number, CheckpointImage image) {
        Save save = rank.checkpoints().save();
        if (save != null && save.number == number) {
            end(rank, save, image);
        }
    }

    /** An image could not be stored. The rank is notified when it has sent all of it. */
    void failed(HomedRank rank, int number) {
        Save save = rank.checkpoints().save();
        if (save != null && save.number == number) {
            save.failed = true;
            grant(rank, save, save.point.bytes());
            endIfArrived(rank, save);
        }
    }

    /**
     * Drops the image in transfer: the rank or its connection has gone and will send it again from its beginning, or
     * the image has failed.
     */
    void drop(HomedRank rank) {
        Save save = rank.checkpoints().save();
        if (save != null) {
            rank.checkpoints().save(null);
            if (save.isImage() && rank.job().isInLog()) {
                checkpointImages.drop(rank, save.number);
            }
        }
    }
}
