package org.posthouse.mpj.checkpoint;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Function;
import org.posthouse.mpj.determinant.DeterminantLog;
import org.posthouse.mpj.determinant.DeterminantRecorder;
import org.posthouse.mpj.determinant.DeterminantWriter;
import org.posthouse.mpj.determinant.DivergedException;
import org.posthouse.mpj.determinant.ThreadUseGuard;
import org.posthouse.mpj.failure.RankFailures;
import org.posthouse.mpj.match.Inbox;
import org.posthouse.mpj.progress.ProgressEngine;
import org.posthouse.mpj.progress.RelayConnection;
import org.posthouse.mpj.send.Outbox;
import org.posthouse.wire.CheckpointNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.ReplayLimit;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * Checkpoints of a rank at its relay. Images are sent there; after a restart the last one comes back. The counters of
 * the endpoint precede the program's state in an image. Frames are handled with the endpoint's lock, which guards all
 * state.
 */
public final class CheckpointClient implements CheckpointStore {
    /** First word of an image's own part; it fixes the layout of the rest. */
    private static final int LAYOUT = 7;

    private final DeterminantWriter determinantWriter;
    private final RelayConnection line;
    private final ProgressEngine progressEngine;
    private final ThreadUseGuard threadUseGuard;
    private final DeterminantLog determinantLog;
    private final DeterminantRecorder determinantRecorder;
    private final Inbox inbox;
    private final Outbox outbox;
    private final RankFailures failures;
    private final long job;
    private final Function<IOException, IllegalStateException> lost;
    private boolean wanted;

    /** The arriving image and its notice; null before JUMP, and after the image was taken. */
    private CheckpointImage coming;

    private CheckpointNotice jump;

    /** Whether the connection has broken, so that frames about checkpoints may be lost. */
    private boolean broken;

    /** Of the image that is being sent: the bound up to which it may be sent, and the relay's last answer. */
    private long upTo;

    private CheckpointNotice.Kind outcome;

    /** Creates the client of a rank that has no image yet. */
    public CheckpointClient(
            DeterminantWriter determinantWriter,
            RelayConnection line,
            ProgressEngine progressEngine,
            ThreadUseGuard threadUseGuard,
            DeterminantLog determinantLog,
            DeterminantRecorder determinantRecorder,
            Inbox inbox,
            Outbox outbox,
            RankFailures failures,
            long job,
            Function<IOException, IllegalStateException> lost) {
        this.determinantWriter = determinantWriter;
        this.line = line;
        this.progressEngine = progressEngine;
        this.threadUseGuard = threadUseGuard;
        this.determinantLog = determinantLog;
        this.determinantRecorder = determinantRecorder;
        this.inbox = inbox;
        this.outbox = outbox;
        this.failures = failures;
        this.job = job;
        this.lost = lost;
    }

    // ---- frames from the relay

    /** Handles the relay's notice about a checkpoint. */
    public void onPoint(CheckpointNotice checkpointNotice) throws WireException {
        switch (checkpointNotice.kind()) {
            case READY -> determinantLog.onStart(checkpointNotice);
            case JUMP -> {
                jump = checkpointNotice;
                coming = determinantLog.isStartKnown() ? coming : new CheckpointImage();
            }
            case ASK -> wanted = true;
            case MORE -> upTo = Math.max(upTo, checkpointNotice.bytes());
            case SAVED, FAILED -> outcome = checkpointNotice.kind();
            default -> throw new WireException(CloseReason.NOT_EXPECTED, "POINT(" + checkpointNotice.kind() + ") from a relay");
        }
    }

    /** Handles a piece of the image from the relay. */
    public void onImage(ByteBuffer frame, FrameView view) throws WireException, IOException {
        if (determinantLog.isStartKnown()) {
            return; // A repeat after a break.
        }
        if (coming == null || view.imageOffset() != coming.bytes()) {
            throw new WireException(
                    CloseReason.NOT_EXPECTED,
                    "IMAGE at " + view.imageOffset() + (coming == null ? "" : ", expected at " + coming.bytes()));
        }
        coming.put(frame.position(frame.position() + Wire.IMAGE_HEADER_BYTES));
        if (coming.bytes() == jump.bytes()) {
            determinantLog.onStart(jump);
            goOnBehind(coming.input());
        }
    }

    /** Sets the counts behind the image to those at its beginning: deliveries, events, failed polls. */
    private void goOnBehind(DataInputStream image) throws IOException {
        requireLayout(image);
        inbox.goOnBehind(image.readLong());
        image.readLong();
        determinantLog.goOnBehind(image.readLong());
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
        OutputOffset.markAll(); // Without the lock, like the next call: the reader may take long.
        DataInputStream image = origin();
        if (image != null) {
            OutputOffset.sayGoesOn();
        }
        return image;
    }

    private DataInputStream origin() {
        progressEngine.lock();
        try {
            if (!determinantLog.isLogged() || !determinantRecorder.replays()) {
                requireNothingUnderWay(); // In a replay, the history itself proves it.
                if (determinantLog.isLogged()) {
                    determinantLog.started();
                    sayReady();
                }
                return null;
            }
            DataInputStream image = determinantLog.restored() > 0 ? coming.input() : null;
            if (image == null) {
                determinantLog.start();
            } else {
                coming = null;
                read(image);
            }
            determinantRecorder.sayLive();
            return image;
        } catch (IOException e) {
            throw lost.apply(e);
        } finally {
            progressEngine.unlock();
        }
    }

    /** Sends READY until the relay has it: a history without it has no end of the prologue. */
    private void sayReady() throws IOException {
        long out = OutputOffset.out();
        long err = OutputOffset.err();
        do {
            say(CheckpointNotice.Kind.READY, 0, out, err);
            awaitOutcome();
        } while (broken);
    }

    private void awaitOutcome() throws IOException {
        while (outcome == null && !broken) {
            progressEngine.await();
        }
    }

    private void say(CheckpointNotice.Kind kind, long bytes, long out, long err) throws IOException {
        progressEngine.awaitLine();
        assert !determinantLog.isReplaying() : "a word about checkpoints in a replay";
        broken = false;
        outcome = null;
        upTo = Wire.IMAGE_WINDOW_BYTES;
        determinantWriter.tell();
        line.write(new CheckpointNotice(job, kind, determinantLog.tellPolls(), 0, bytes, determinantLog.events(), out, err, OutputOffset.processOut(),
                OutputOffset.processErr()).encode());
    }

    /** Handles a reconnection. An image that has come in part is sent again, behind another JUMP. */
    public void broken() {
        broken = true;
    }

    private void read(DataInputStream image) throws IOException {
        requireLayout(image);
        image.readLong();
        determinantLog.jump(image.readLong(), image.readLong());
        determinantRecorder.goOn(image.readBoolean(), image.readLong());
        OutputOffset.goOn(image.readLong(), image.readLong());
        ProgramInput.goOnAt(image.readLong());
        inbox.read(image);
        outbox.read(image);
        failures.read(image);
    }

    // ---- saving

    @Override
    public boolean isWanted() {
        progressEngine.lock();
        try {
            return wanted;
        } finally {
            progressEngine.unlock();
        }
    }

    /**
     * Whether a checkpoint is possible: not during replay, and not while a kept message names its receive, since an
     * image has none.
     */
    @Override
    public boolean isOpen() {
        progressEngine.lock();
        try {
            if (!inbox.hasEarly()) {
                progressEngine.poll();
            }
            return determinantLog.isLogged() && !determinantLog.isReplaying() && !inbox.keepsNamed();
        } catch (IOException e) {
            throw lost.apply(e);
        } finally {
            progressEngine.unlock();
        }
    }

    @Override
    public boolean save(Writer state) throws IOException {
        CheckpointImage program = new CheckpointImage();
        state.write(program.output());
        OutputOffset.markAll();
        long overlaps = threadUseGuard.enter();
        try {
            requireNothingUnderWay();
            boolean saved = send(program);
            if (overlaps < threadUseGuard.overlaps()) {
                determinantLog.limit(ReplayLimit.THREADS); // The image may or may not contain the threads' calls.
            }
            return saved;
        } catch (IOException e) {
            throw lost.apply(e);
        } finally {
            threadUseGuard.leave();
        }
    }

    private void awaitQuiet() throws IOException {
        awaitAsked();
        awaitSafe();
        assert !inbox.isAhead() : "a context was opened by no receive";
    }

    private void requireNothingUnderWay() {
        String busy = inbox.busy() == null ? failures.busy() : inbox.busy();
        if (busy != null) {
            throw new IllegalStateException(busy + ", which the caller was to rule out");
        }
    }

    /** Waits until no message comes unrequested: the relay counts what it sent before the SAVE as part of the image. */
    private void awaitAsked() throws IOException {
        progressEngine.awaitLine();
        while (inbox.isAhead()) {
            inbox.endAhead();
            line.flush();
            progressEngine.await();
            progressEngine.awaitLine(); // This may end the wait if the connection has broken.
        }
    }

    private void awaitSafe() throws IOException {
        while (!outbox.isEmpty()) {
            progressEngine.await();
        }
        long asked = 0;
        progressEngine.awaitLine();
        while (!line.kept().isSafe()) {
            if (asked != line.kept().next()) {
                determinantWriter.ask(); // One request is enough: the relay answers when all is stable.
                line.flush();
                asked = line.kept().next();
            }
            progressEngine.await();
            progressEngine.awaitLine();
        }
    }

    private void write(DataOutputStream image, long out, long err) throws IOException {
        image.writeInt(LAYOUT);
        image.writeLong(inbox.deliveries());
        image.writeLong(determinantLog.events());
        image.writeLong(determinantLog.polls());
        image.writeBoolean(determinantRecorder.hasTime());
        image.writeLong(determinantRecorder.time());
        image.writeLong(out);
        image.writeLong(err);
        image.writeLong(ProgramInput.standardPosition());
        inbox.write(image);
        outbox.write(image);
        failures.write(image);
    }

    /** Sends the program's image behind the rank's own part, again after a break: the rank may have been told of failures by then, which both have. */
    private boolean send(CheckpointImage program) throws IOException {
        long out = OutputOffset.out();
        long err = OutputOffset.err();
        CheckpointImage image = program;
        long ownBytes = 0;
        do {
            awaitQuiet();
            CheckpointImage next = new CheckpointImage();
            write(next.output(), out, err);
            long nextOwnBytes = next.bytes();
            next.takeAll(image, ownBytes);
            image = next;
            ownBytes = nextOwnBytes;
            say(CheckpointNotice.Kind.SAVE, image.bytes(), out, err);
            sendAll(image);
            awaitOutcome();
        } while (broken);
        wanted = false;
        boolean saved = outcome == CheckpointNotice.Kind.SAVED;
        if (saved) {
            determinantLog.saved();
        }
        return saved;
    }

    private void sendAll(CheckpointImage image) throws IOException {
        for (long sent = 0; sent < image.bytes() && !broken;) {
            if (sent < upTo) {
                progressEngine.awaitLine();
                sent += broken ? 0 : send(image, sent);
            } else {
                line.flush();
                progressEngine.await();
            }
        }
        if (!broken) {
            line.flush();
        }
    }

    private int send(CheckpointImage image, long offset) throws IOException {
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
