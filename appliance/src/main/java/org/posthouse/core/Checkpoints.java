package org.posthouse.core;

import org.posthouse.wire.JobEvent;
import org.posthouse.wire.Point;
import org.posthouse.wire.Reason;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * The points in their histories that ranks can be started again from: what a rank says of them, and the images that it
 * sends (docs/wire.md, checkpoints). A rank says nothing else while it saves, so where it stands does not change until its
 * image is kept. Part of {@link RelayCore}.
 */
final class Checkpoints {
    private final Images images;

    Checkpoints(Images images) {
        this.images = images;
    }

    /** An image that is coming. */
    static final class Save {
        private final int number;
        private final Point point;
        private final Standing at;
        private long arrived;
        private long upTo = Wire.IMAGE_WINDOW_BYTES;
        private boolean failed;

        private Save(int number, Point point, Standing at) {
            this.number = number;
            this.point = point;
            this.at = at;
        }
    }

    /** A word of a rank. */
    void point(HomedRank rank, Point point) throws WireException {
        boolean mayBe = rank.job().logged() && rank.state() == RankState.CONNECTED && rank.save() == null;
        if (!mayBe || point.events() != rank.events() || rank.mailbox().posted() > 0) {
            throw new WireException(
                    Reason.NOT_EXPECTED,
                    "POINT(" + point.kind() + ") of " + rank + ", which is " + rank.state() + " with " + rank.events()
                            + " events, " + rank.mailbox().posted() + " receives posted" + (rank.save() == null ? "" : ", and saves"));
        }
        RankFrames.logPolls(rank, point.failedPolls());
        switch (point.kind()) {
            case READY -> {
                rank.job().journal().checkpoint(rank.job().id(), rank.rank(), standing(rank), null);
                report(rank, point, 0);
                rank.port().point(Point.of(rank.job().id(), Point.Kind.SAVED, 0, 0));
            }
            case SAVE -> save(rank, point);
            default -> throw new WireException(Reason.NOT_EXPECTED, "POINT(" + point.kind() + ") from " + rank);
        }
    }

    private static Standing standing(HomedRank rank) {
        long next = rank.job().journal().position() + 1;
        return new Standing(
                Math.min(next, rank.mailbox().oldestPosition()), rank.messagesDelivered(), rank.events(), rank.failedPolls());
    }

    private static void report(HomedRank rank, Point point, long image) {
        long job = rank.job().id();
        int code = Math.toIntExact(image);
        rank.job().report(new JobEvent(job, JobEvent.CHECKPOINTED, rank.rank(), code, point.out(), point.err(), ""));
    }

    private void save(HomedRank rank, Point point) {
        Save save = new Save(rank.nextSave(), point, standing(rank));
        rank.save(save);
        images.begin(rank, save.number, point.bytes());
        endIfWhole(rank, save);
    }

    private void endIfWhole(HomedRank rank, Save save) {
        if (save.arrived < save.point.bytes()) {
            return;
        }
        if (save.failed) {
            rank.save(null);
            rank.port().point(Point.of(rank.job().id(), Point.Kind.FAILED, 0, 0));
        } else {
            images.end(rank, save.number);
        }
    }

    /** A piece of an image. */
    void image(HomedRank rank, Frame frame) throws WireException {
        Save save = rank.save();
        long offset = frame.view().imageOffset();
        int bytes = frame.view().length() - Wire.IMAGE_HEADER_BYTES;
        if (save == null || offset != save.arrived || offset + bytes > save.point.bytes()) {
            throw new WireException(
                    Reason.NOT_EXPECTED,
                    "IMAGE with " + bytes + " bytes at " + offset + " from " + rank + (save == null ? ", which does not save"
                            : ", expected at " + save.arrived + " of " + save.point.bytes()));
        }
        if (offset + bytes > save.upTo) {
            throw new WireException(
                    Reason.CREDIT_EXCEEDED, "IMAGE up to " + (offset + bytes) + " from " + rank + ", granted up to " + save.upTo);
        }
        save.arrived += bytes;
        if (!save.failed) {
            images.put(rank, save.number, frame.hold());
        }
        endIfWhole(rank, save);
    }

    /** So much of an image was written: as much more may come. */
    void written(HomedRank rank, int number, long bytes) {
        Save save = rank.save();
        if (save != null && save.number == number && !save.failed) {
            grant(rank, save, bytes + Wire.IMAGE_WINDOW_BYTES);
        }
    }

    private static void grant(HomedRank rank, Save save, long upTo) {
        if (save.upTo < save.point.bytes() && upTo > save.upTo) {
            save.upTo = upTo;
            rank.port().point(Point.of(rank.job().id(), Point.Kind.MORE, 0, upTo));
        }
    }

    /** An image is on the disk. It counts from its record on. */
    void kept(HomedRank rank, int number, ImageNote image) {
        Save save = rank.save();
        if (save != null && save.number == number) {
            rank.job().journal().checkpoint(rank.job().id(), rank.rank(), save.at, image);
            rank.save(null);
            report(rank, save.point, image.number());
            rank.port().point(Point.of(rank.job().id(), Point.Kind.SAVED, image.number(), 0));
        }
    }

    /** An image could not be kept. The rank hears it when it has sent all of it. */
    void failed(HomedRank rank, int number) {
        Save save = rank.save();
        if (save != null && save.number == number) {
            save.failed = true;
            grant(rank, save, save.point.bytes());
            endIfWhole(rank, save);
        }
    }

    /** The rank has gone, or its connection: what it sends again begins anew. */
    void drop(HomedRank rank) {
        Save save = rank.save();
        if (save != null) {
            rank.save(null);
            images.drop(rank, save.number);
        }
    }
}
