package org.posthouse.mpj;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Function;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Limit;
import org.posthouse.wire.Point;
import org.posthouse.wire.Reason;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * A rank's checkpoints at its relay: images go there, and after a restart the last one comes back, with the counters of the
 * endpoint in front of the program's state. Frames come with the endpoint's lock, and all state is guarded by it.
 */
final class Saving implements Vault {
    /** The first word of an image's own part; what follows it is bound to it. */
    private static final int LAYOUT = 6;

    private final Told told;
    private final HomeLine line;
    private final Progress progress;
    private final Callers callers;
    private final History history;
    private final Observed observed;
    private final Inbox inbox;
    private final Outbox outbox;
    private final long job;
    private final Function<IOException, IllegalStateException> lost;
    private boolean wanted;

    /** The image that is coming, and what was said of it: null before JUMP, and once it was taken. */
    private ImageBytes coming;

    private Point jump;

    /** Whether the connection has broken: what was said about checkpoints may be lost. */
    private boolean broken;

    /** Of the image that is going: up to where it may be sent, and the relay's last word. */
    private long upTo;

    private Point.Kind outcome;

    Saving(
            Told told,
            HomeLine line,
            Progress progress,
            Callers callers,
            History history,
            Observed observed,
            Inbox inbox,
            Outbox outbox,
            long job,
            Function<IOException, IllegalStateException> lost) {
        this.told = told;
        this.line = line;
        this.progress = progress;
        this.callers = callers;
        this.history = history;
        this.observed = observed;
        this.inbox = inbox;
        this.outbox = outbox;
        this.job = job;
        this.lost = lost;
    }

    // ---- what the relay says

    void onPoint(Point point) throws WireException {
        switch (point.kind()) {
            case READY -> history.onStart(point);
            case JUMP -> {
                jump = point;
                coming = history.isStartKnown() ? coming : new ImageBytes();
            }
            case ASK -> wanted = true;
            case MORE -> upTo = Math.max(upTo, point.bytes());
            case SAVED, FAILED -> outcome = point.kind();
            default -> throw new WireException(Reason.NOT_EXPECTED, "POINT(" + point.kind() + ") from a relay");
        }
    }

    void onImage(ByteBuffer frame, FrameView view) throws WireException, IOException {
        if (history.isStartKnown()) {
            return; // Sent again after a break.
        }
        if (coming == null || view.imageOffset() != coming.bytes()) {
            throw new WireException(
                    Reason.NOT_EXPECTED,
                    "IMAGE at " + view.imageOffset() + (coming == null ? "" : ", expected at " + coming.bytes()));
        }
        coming.put(frame.position(frame.position() + Wire.IMAGE_HEADER_BYTES));
        if (coming.bytes() == jump.bytes()) {
            history.onStart(jump);
            goOnBehind(coming.input());
        }
    }

    /** What comes behind the image is counted from what it begins with: deliveries, events, failed polls. */
    private void goOnBehind(DataInputStream image) throws IOException {
        requireLayout(image);
        inbox.goOnBehind(image.readLong());
        image.readLong();
        history.goOnBehind(image.readLong());
    }

    private static void requireLayout(DataInputStream image) throws IOException {
        int layout = image.readInt();
        if (layout != LAYOUT) {
            throw new DivergedException("was started again with a library that does not know its image's layout " + layout
                    + ", expected " + LAYOUT + "; use the same mpj-lite");
        }
    }

    // ---- starting from an image

    @Override
    public DataInputStream restored() {
        Printed.markAll(); // Without the lock, as the next, since who reads may take its time.
        DataInputStream image = origin();
        if (image != null) {
            Printed.sayGoesOn();
        }
        return image;
    }

    private DataInputStream origin() {
        progress.lock();
        try {
            if (!history.isLogged() || !observed.replays()) {
                requireNothingUnderWay(); // In a replay of the question there was nothing, or it would not be in the history.
                if (history.isLogged()) {
                    history.started();
                    sayReady();
                }
                return null;
            }
            DataInputStream image = history.restored() > 0 ? coming.input() : null;
            if (image == null) {
                history.start();
            } else {
                coming = null;
                read(image);
            }
            observed.sayLive();
            return image;
        } catch (IOException e) {
            throw lost.apply(e);
        } finally {
            progress.unlock();
        }
    }

    /** Until the relay has it: a history without it has no end of the prologue. */
    private void sayReady() throws IOException {
        long out = Printed.out();
        long err = Printed.err();
        do {
            say(Point.Kind.READY, 0, out, err);
            awaitOutcome();
        } while (broken);
    }

    private void awaitOutcome() throws IOException {
        while (outcome == null && !broken) {
            progress.await();
        }
    }

    private void say(Point.Kind kind, long bytes, long out, long err) throws IOException {
        progress.awaitLine();
        assert !history.isReplaying() : "a word about checkpoints in a replay";
        broken = false;
        outcome = null;
        upTo = Wire.IMAGE_WINDOW_BYTES;
        told.tell();
        line.write(new Point(job, kind, history.tellPolls(), 0, bytes, history.events(), out, err, Printed.processOut(), Printed.processErr()).encode());
    }

    /** The rank comes again on another connection. An image that has come in part is sent again, behind another JUMP. */
    void broken() {
        broken = true;
    }

    private void read(DataInputStream image) throws IOException {
        requireLayout(image);
        image.readLong();
        history.jump(image.readLong(), image.readLong());
        observed.goOn(image.readBoolean(), image.readLong());
        Printed.goOn(image.readLong(), image.readLong());
        ProgramInput.goOnAt(image.readLong());
        inbox.read(image);
        outbox.read(image);
    }

    // ---- saving

    @Override
    public boolean isWanted() {
        progress.lock();
        try {
            return wanted;
        } finally {
            progress.unlock();
        }
    }

    /** Not while the program does what it did before, and not while a message is kept that names its receive: an image has none of those. */
    @Override
    public boolean isOpen() {
        progress.lock();
        try {
            if (!inbox.hasEarly()) {
                progress.poll();
            }
            return history.isLogged() && !history.isReplaying() && !inbox.keepsNamed();
        } catch (IOException e) {
            throw lost.apply(e);
        } finally {
            progress.unlock();
        }
    }

    @Override
    public boolean save(Writer state) throws IOException {
        ImageBytes program = new ImageBytes();
        state.write(program.output());
        Printed.markAll();
        long overlaps = callers.enter();
        try {
            requireQuiet();
            ImageBytes image = new ImageBytes();
            long out = Printed.out();
            long err = Printed.err();
            write(image.output(), out, err);
            image.takeAll(program);
            boolean saved = send(image, out, err);
            if (overlaps < callers.overlaps()) {
                history.limit(Limit.THREADS); // Behind the image, too: what the others did meanwhile may be part of it or not.
            }
            return saved;
        } catch (IOException e) {
            throw lost.apply(e);
        } finally {
            callers.leave();
        }
    }

    private void requireQuiet() throws IOException {
        requireNothingUnderWay();
        awaitAsked();
        awaitSafe();
        assert !inbox.isAhead() : "a context was opened by no receive";
    }

    private void requireNothingUnderWay() {
        String busy = inbox.busy();
        if (busy != null) {
            throw new IllegalStateException(busy + ", which the caller was to rule out");
        }
    }

    /** Until nothing comes unasked: the relay counts as the image's what it has sent before it hears of the image. */
    private void awaitAsked() throws IOException {
        progress.awaitLine();
        while (inbox.isAhead()) {
            inbox.endAhead();
            line.flush();
            progress.await();
            progress.awaitLine(); // Which may end what is waited for, if the line has broken.
        }
    }

    private void awaitSafe() throws IOException {
        while (!outbox.isEmpty()) {
            progress.await();
        }
        long asked = 0;
        progress.awaitLine();
        while (!line.kept().isSafe()) {
            if (asked != line.kept().next()) {
                told.ask(); // The relay answers when all that it has is safe, too: to ask once is enough.
                line.flush();
                asked = line.kept().next();
            }
            progress.await();
            progress.awaitLine();
        }
    }

    private void write(DataOutputStream image, long out, long err) throws IOException {
        image.writeInt(LAYOUT);
        image.writeLong(inbox.deliveries());
        image.writeLong(history.events());
        image.writeLong(history.polls());
        image.writeBoolean(observed.hasTime());
        image.writeLong(observed.time());
        image.writeLong(out);
        image.writeLong(err);
        image.writeLong(ProgramInput.standardPosition());
        inbox.write(image);
        outbox.write(image);
    }

    private boolean send(ImageBytes image, long out, long err) throws IOException {
        do {
            say(Point.Kind.SAVE, image.bytes(), out, err);
            sendAll(image);
            awaitOutcome();
        } while (broken);
        wanted = false;
        boolean saved = outcome == Point.Kind.SAVED;
        if (saved) {
            history.saved();
        }
        return saved;
    }

    private void sendAll(ImageBytes image) throws IOException {
        for (long sent = 0; sent < image.bytes() && !broken;) {
            if (sent < upTo) {
                progress.awaitLine();
                sent += broken ? 0 : send(image, sent);
            } else {
                line.flush();
                progress.await();
            }
        }
        if (!broken) {
            line.flush();
        }
    }

    private int send(ImageBytes image, long offset) throws IOException {
        ByteBuffer piece = image.piece(offset);
        int bytes = piece.remaining();
        line.begin(Wire.IMAGE_HEADER_BYTES + bytes)
                .begin(FrameType.IMAGE, Wire.IMAGE_HEADER_BYTES, job)
                .image(0, offset);
        line.payload(Wire.IMAGE_HEADER_BYTES, bytes).put(piece);
        line.end(Wire.IMAGE_HEADER_BYTES + bytes);
        return bytes;
    }
}
