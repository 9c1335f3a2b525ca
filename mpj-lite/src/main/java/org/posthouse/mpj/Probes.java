package org.posthouse.mpj;

import java.io.IOException;
import org.posthouse.wire.FrameView;

/**
 * What a rank that probes finds: what was found before, what has come of a context that runs ahead, or what the relay says.
 * Guarded by the endpoint's lock.
 */
final class Probes {
    private final HomeLine line;
    private final Progress progress;
    private final Observed observed;
    private final Inbox inbox;
    private final LineWait lineWait;

    Probes(HomeLine line, Progress progress, Observed observed, Inbox inbox, LineWait lineWait) {
        this.line = line;
        this.progress = progress;
        this.observed = observed;
        this.inbox = inbox;
        this.lineWait = lineWait;
    }

    /** Blocks until there is a message that matches. */
    Envelope probe(int context, int source, int tag) throws IOException {
        if (observed.replays()) {
            return observed.foundAgain();
        }
        return observed.found(ask(FrameView.BLOCKING, context, source, tag));
    }

    /** The message that matches now, or null, which is counted as a failed poll. */
    Envelope tryProbe(int context, int source, int tag) throws IOException {
        if (observed.replays()) {
            return observed.failsAgain() ? null : observed.foundAgain();
        }
        Envelope found = ask(0, context, source, tag);
        if (found == null) {
            observed.count(1);
            return null;
        }
        return observed.found(found);
    }

    private Envelope ask(int flags, int context, int source, int tag) throws IOException {
        lineWait.await();
        for (boolean asked = false; ; asked = true) {
            Envelope came = inbox.find(context, source, tag);
            boolean blocks = (flags & FrameView.BLOCKING) != 0;
            if (came != null || inbox.isAhead(context) && asked && !blocks) {
                return came;
            }
            if (!inbox.isAhead(context)) {
                break;
            }
            awaitMore(blocks);
        }
        Probing probing = new Probing(flags, context, source, tag);
        inbox.probe(probing);
        line.flush();
        while (!probing.isDone()) {
            progress.await();
        }
        return probing.envelope();
    }

    /** Handles what comes, and waits until there is something if it must. */
    private void awaitMore(boolean blocks) throws IOException {
        if (blocks) {
            progress.await();
        } else {
            progress.poll();
        }
        lineWait.await();
    }
}
