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
    private final Presences presences;
    private final LineWait lineWait;

    Probes(HomeLine line, Progress progress, Observed observed, Inbox inbox, Presences presences, LineWait lineWait) {
        this.line = line;
        this.progress = progress;
        this.observed = observed;
        this.inbox = inbox;
        this.presences = presences;
        this.lineWait = lineWait;
    }

    /** Blocks until there is a message that matches. @param call as {@link Endpoint#probe} */
    Envelope probe(int context, int source, int tag, String call) throws IOException {
        if (observed.replays()) {
            return observed.foundAgain();
        }
        Probing what = new Probing(FrameView.BLOCKING, context, source, tag);
        presences.begin(call, what);
        try {
            return observed.found(ask(what));
        } finally {
            presences.end(call, what);
        }
    }

    /** The message that matches now, or null, which is counted as a failed poll. */
    Envelope tryProbe(int context, int source, int tag) throws IOException {
        if (observed.replays()) {
            return observed.failsAgain() ? null : observed.foundAgain();
        }
        Envelope found = ask(new Probing(0, context, source, tag));
        if (found == null) {
            observed.count(1);
            return null;
        }
        return observed.found(found);
    }

    private Envelope ask(Probing probing) throws IOException {
        lineWait.await();
        for (boolean asked = false;; asked = true) {
            Envelope came = inbox.find(probing.context, probing.source, probing.tag);
            boolean blocks = (probing.flags & FrameView.BLOCKING) != 0;
            if (came != null || inbox.isAhead(probing.context) && asked && !blocks) {
                return came;
            }
            if (inbox.postsLater(probing.context)) {
                if (!blocks) {
                    progress.poll();
                    return null; // What it would find may be for a receive before it.
                }
            } else if (!inbox.isAhead(probing.context)) {
                break;
            }
            awaitMore(blocks);
        }
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
