package org.posthouse.mpj;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.posthouse.mpj.channel.FrameChannel;
import org.posthouse.mpj.determinant.DeterminantLog;
import org.posthouse.mpj.determinant.DeterminantRecorder;
import org.posthouse.mpj.determinant.DeterminantWriter;
import org.posthouse.mpj.failure.RankFailures;
import org.posthouse.mpj.match.Inbox;
import org.posthouse.mpj.progress.ProgressEngine;
import org.posthouse.mpj.progress.RelayConnection;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.mpj.send.Outbox;
import org.posthouse.mpj.send.ResendFilter;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.Promoted;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.WireException;

/**
 * The greeting of a rank and its relay: on the first connection, on one that the relay asked for, and on one that
 * replaces a broken one. Also the last frames of a connection (docs/wire.md, conversations). Guarded by the endpoint's
 * lock.
 */
final class Handshake {
    private final RelayConnection line;
    private Hello hello;
    private final Settings settings;
    private final DeterminantLog determinantLog;
    private final DeterminantWriter determinantWriter;
    private final DeterminantRecorder determinantRecorder;
    private final Outbox outbox;
    private final Inbox inbox;
    private final RankFailures failures;
    private Admission admission;

    /** Judges the frames of broken connections until the relay has greeted the rank on the next; else null. */
    private ResendFilter resendFilter;

    /** Whether the rank has reconnected and has not repeated its pending requests. */
    private boolean asksDue;

    /** Whether this process repeats an earlier one, independent of what happens to the connection meanwhile. */
    private boolean replayed;

    /** FINALIZE was sent; it is this rank's last frame, and a move comes too late. */
    private boolean finalizing;

    /** PROMOTED, until its last page of STATE has come; else null. */
    private Promoted promoted;

    Handshake(
            RelayConnection line,
            Hello hello,
            Settings settings,
            DeterminantLog determinantLog,
            DeterminantWriter determinantWriter,
            DeterminantRecorder determinantRecorder,
            Outbox outbox,
            Inbox inbox,
            RankFailures failures) {
        this.line = line;
        this.hello = hello;
        this.settings = settings;
        this.determinantLog = determinantLog;
        this.determinantWriter = determinantWriter;
        this.determinantRecorder = determinantRecorder;
        this.outbox = outbox;
        this.inbox = inbox;
        this.failures = failures;
        replayed = hello.incarnation() > 1 || follows();
    }

    /** Whether the process follows another one of its rank. */
    boolean follows() {
        return hello.kind() == Hello.FOLLOWER;
    }

    int size() {
        return admission.size();
    }

    int siteOf(int rank) {
        return admission.siteOf(rank);
    }

    /** The relay of a rank of the job. */
    HomeRelay home(int rank) {
        return admission.home(rank);
    }

    // ---- the next connection

    /** As {@link ProgressEngine.Owner#moveTo}. */
    void moveTo(FrameChannel next) throws IOException {
        greet(next, Hello.MOVED, outbox.sent());
    }

    /** As {@link ProgressEngine.Owner#comeAgain}. */
    void comeAgain(FrameChannel next) throws IOException {
        if (admission == null) {
            line.greet(next, hello, List.of());
            return;
        }
        if (line.kept() == null) {
            moveTo(next); // The relay has asked for the move, and still waits for it.
            return;
        }
        promoted = null;
        replayed &= determinantLog.isReplaying();
        determinantLog.reopen(replayed);
        line.kept().broken();
        resendFilter = new ResendFilter(outbox.accepted(), line.kept());
        List<StatePage.Entry> state = new ArrayList<>();
        if (!follows()) {
            state.addAll(outbox.sent());
            outbox.offered(resendFilter, state);
            outbox.accepted().gone(state);
        }
        inbox.broken();
        failures.broken();
        inbox.arriving(state);
        greet(next, Hello.AGAIN, state);
        line.catchUp(!replayed);
    }

    private void greet(FrameChannel next, int start, List<StatePage.Entry> state) throws IOException {
        long kept = line.kept() == null ? 1 : line.kept().next();
        int pages = StatePage.pages(state.size());
        Hello again = hello.again(start, inbox.deliveries(), determinantLog.pollsKnown(), determinantLog.events(), kept, pages);
        line.greet(next, again.from(determinantLog.origin()), state);
    }

    // ---- WELCOME from the relay

    void onWelcome(Welcome answer) throws WireException, IOException {
        line.welcomed(answer.pages());
        if (admission == null) {
            admit(answer);
        } else if (resendFilter == null) {
            admission.requireSame(answer, inbox.deliveries());
        } else {
            admission.requireNoLess(answer, inbox.deliveries());
            outbox.accepted().clear();
            outbox.open(answer);
        }
        opened();
    }

    private void admit(Welcome answer) {
        admission = new Admission(hello, answer);
        outbox.open(answer);
        boolean again = answer.logged() && replayed;
        determinantLog.open(answer.logged(), again);
        if (answer.survivesHost()) {
            determinantRecorder.surviveHost();
        }
        line.admitted(answer.logged(), settings.keptBytesMax(), answer.homeOf());
        determinantLog.follow(follows());
        if (follows()) {
            outbox.follow(settings.keptBytesMax());
        } else if (again) {
            outbox.accepted().restarted();
        }
    }

    void onState(StatePage page) throws WireException, IOException {
        line.informed(page);
        outbox.accepted().take(page);
        opened();
    }

    /** The process leads its rank when it has read what the relay knows of the rank's channels. */
    void onPromoted(Promoted word) throws WireException, IOException {
        if (!follows() || promoted != null) {
            throw new WireException(CloseReason.NOT_EXPECTED, "PROMOTED to " + hello);
        }
        outbox.accepted().clear();
        promoted = word;
        line.promoted(word.pages());
        opened();
    }

    private void lead() throws IOException {
        hello = Hello.start(hello.job(), hello.rank(), promoted.incarnation());
        admission = admission.as(hello);
        line.identify(hello);
        determinantLog.follow(false);
        finalizing = false;
        outbox.lead(promoted);
        promoted = null;
    }

    private void opened() throws WireException, IOException {
        if (line.isOpen()) {
            if (promoted != null) {
                lead();
            }
            if (resendFilter != null) {
                sayAgain();
            }
            inbox.proceed();
            outbox.proceed();
        }
    }

    /** Sends again what does not depend on the relay's next answers. */
    private void sayAgain() throws WireException, IOException {
        line.repeat(resendFilter);
        outbox.again(resendFilter);
        resendFilter = null;
        if (follows()) {
            outbox.claimAgain();
        }
        if (follows() && finalizing) {
            sayFinalize();
        }
        if (replayed) {
            outbox.withdrawAgain(); // The program may need the answers before it observes the rest of its history.
            failures.again();
        } else {
            asksDue = true; // Sent behind LIVE. During replay nothing is asked, and after it each request is sent once.
        }
    }

    /** As {@link ProgressEngine.Owner#caughtUp}: sends all else again after the relay has told what it had. */
    void caughtUp() throws IOException {
        determinantRecorder.sayLive();
        if (asksDue && determinantLog.isLive() && line.isOpen()) {
            asksDue = false;
            determinantRecorder.tellPolls();
            inbox.askAgain();
            outbox.withdrawAgain();
            failures.again();
            if (finalizing) {
                sayFinalize();
            }
            line.catchUp(false);
            outbox.proceed();
            line.flush();
        }
        if (inbox.isPostDue()) {
            inbox.proceed();
            line.flush();
        }
        if (outbox.isHeld()) {
            askForRoom();
        }
    }

    /** As {@link ProgressEngine.Owner#askForRoom}. */
    void askForRoom() throws IOException {
        if (line.wantsRoom()) {
            determinantWriter.ask();
            line.flush();
        }
    }

    // ---- the last connection

    /**
     * Handles MOVE: the relay asks the rank to reconnect. If the rank has sent FINALIZE, the relay sends its last frame
     * instead.
     */
    void onMove() throws WireException, IOException {
        if (!finalizing) {
            line.leave(hello.job());
        }
    }

    /** A follower has observed what its rank has until it finalizes, and is not answered before its leader is. */
    void sayFinalize() throws IOException {
        int bytes = FrameType.FINALIZE.bytesMin();
        determinantWriter.begin(bytes).begin(FrameType.FINALIZE, bytes, hello.job()).finalizeFailedPolls(determinantLog.tellPolls());
        determinantWriter.end(bytes);
        line.flush();
        finalizing = true;
        if (!follows()) {
            determinantRecorder.end();
        }
    }
}
