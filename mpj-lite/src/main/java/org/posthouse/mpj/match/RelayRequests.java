package org.posthouse.mpj.match;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.posthouse.mpj.determinant.DeterminantLog;
import org.posthouse.mpj.determinant.DeterminantWriter;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.PendingProbe;
import org.posthouse.mpj.operation.PostedReceive;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.WireException;

/**
 * The posted receives, probes and cancels of a rank that its relay has not answered. Writes the requests; the caller
 * flushes the connection. Guarded by the endpoint's lock.
 */
final class RelayRequests {
    private static final int POST_BYTES = 48;

    private final DeterminantWriter line;
    private final long job;
    private final int rank;
    private final DeterminantLog determinantLog;
    private final PendingOperations pendingOperations = new PendingOperations();
    private final ArrayDeque<PostedReceive> cancelling = new ArrayDeque<>();

    RelayRequests(DeterminantWriter line, long job, int rank, DeterminantLog determinantLog) {
        this.line = line;
        this.job = job;
        this.rank = rank;
        this.determinantLog = determinantLog;
    }

    /** Posts a receive. */
    void post(PostedReceive receive) throws IOException {
        receive.posted(pendingOperations.add(receive));
        write(FrameType.POST, receive);
    }

    /** Asks for the answer to a probe. */
    void probe(PendingProbe probe) throws IOException {
        probe.asked(pendingOperations.add(probe));
        write(probe);
    }

    /** Repeats the probes. */
    void probeAgain() throws IOException {
        for (Operation operation : pendingOperations.all()) {
            if (operation instanceof PendingProbe probe) {
                write(probe);
            }
        }
    }

    /** Asks for the cancel of a posted receive. */
    void cancel(PostedReceive receive) throws IOException {
        write(FrameType.CANCEL, receive);
        cancelling.add(receive);
        receive.beingCancelled(true);
    }

    private void write(PendingProbe probe) throws IOException {
        write(FrameType.PROBE, probe.flags, probe.context, probe.source, probe.tag, 0, probe.request());
    }

    private void write(FrameType type, PostedReceive receive) throws IOException {
        write(type, 0, receive.context, receive.source, receive.tag, receive.ordinal(), receive.request());
    }

    private void write(FrameType type, int flags, int context, int source, int tag, long ordinal, int number) throws IOException {
        line.begin(POST_BYTES)
                .begin(type, POST_BYTES, job)
                .flags(flags)
                .address(context, source, rank, tag)
                .ordinal(ordinal)
                .post(number, determinantLog.tellPolls());
        line.end(POST_BYTES);
    }

    /** The posted receive with this number; null if there is none. */
    PostedReceive posted(int request) {
        return pendingOperations.get(request) instanceof PostedReceive receive ? receive : null;
    }

    /** Takes the posted receive that a DELIVERED names. */
    PostedReceive takePosted(FrameView view) throws WireException {
        if (pendingOperations.remove(view.request()) instanceof PostedReceive receive) {
            return receive;
        }
        throw new WireException(CloseReason.NOT_EXPECTED, "DELIVERED for request " + view.request() + ", which is no receive");
    }

    /**
     * Handles the answer to the cancel of a receive.
     *
     * @return the receive if it is cancelled; null if a message had matched it
     */
    PostedReceive onCancelled(FrameView view) throws WireException {
        PostedReceive receive = cancelling.poll();
        boolean gone = (view.flags() & FrameView.FOUND) != 0;
        if (receive == null || receive.request() != view.cancelledRequest() || gone == receive.isMatched()) {
            throw new WireException(
                    CloseReason.NOT_EXPECTED, "CANCELLED" + (gone ? "(FOUND)" : "") + " of request " + view.cancelledRequest());
        }
        receive.beingCancelled(false);
        if (gone) {
            pendingOperations.remove(receive.request());
        }
        return gone ? receive : null;
    }

    /** Handles the answer to a probe. @param found the envelope in the answer; null if no message matches */
    void onProbeAnswer(FrameView view, Envelope found) throws WireException {
        if (!(pendingOperations.remove(view.request()) instanceof PendingProbe probe)) {
            throw new WireException(
                    CloseReason.NOT_EXPECTED, "PROBE_ANSWER for request " + view.request() + ", which is no probe");
        }
        probe.answer(found);
    }

    /** Number of receives and probes without an answer. */
    int size() {
        return pendingOperations.size();
    }

    /** Whether no request waits for its answer. */
    boolean isEmpty() {
        return pendingOperations.size() == 0 && cancelling.isEmpty();
    }

    /** Whether requests may be written now. */
    boolean hasRoom() {
        return line.hasRoom();
    }

    /** The probes that the relay has not answered. */
    Stream<PendingProbe> probes() {
        return pendingOperations.all().stream().filter(operation -> operation instanceof PendingProbe).map(operation -> (PendingProbe) operation);
    }

    /** The posted receives: a list of its own. */
    List<PostedReceive> posted() {
        List<PostedReceive> posted = new ArrayList<>();
        for (Operation operation : pendingOperations.all()) {
            if (operation instanceof PostedReceive receive) {
                posted.add(receive);
            }
        }
        return posted;
    }

    Stream<PostedReceive> receives() {
        return posted().stream();
    }

    /** The connection broke: nobody answers the cancels. */
    void dropCancels() {
        cancelling.stream().filter(PostedReceive::isMatched).forEach(receive -> receive.beingCancelled(false));
        cancelling.clear();
    }

    /** Drops a posted receive. The relay does not answer it, because the connection broke. */
    void remove(PostedReceive receive) {
        pendingOperations.remove(receive.request());
    }
}
