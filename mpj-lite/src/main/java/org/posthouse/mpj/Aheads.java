package org.posthouse.mpj;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.WireException;

/** The contexts of a rank, those that run ahead among them, and what the relay is told of that. Guarded by the endpoint's lock. */
final class Aheads {
    /** What messages may cost that have come, in all contexts, and were not received: 64 windows, or 16 wide ones. */
    static final long HELD_COST_MAX = 64L * Ahead.WINDOW_COST;

    private static final int AHEAD_BYTES = 40;

    /** Posts receives, as many as the relay takes. */
    interface Posting {
        /** Whether there is room for so many that it is worth to look what waits. */
        boolean isWorth(Ahead ahead);

        boolean mayPost(Ahead ahead);

        void post(Receiving receiving) throws IOException;
    }

    private final Told line;
    private final long job;
    private final int rank;
    private final Map<Integer, Ahead> contexts = new HashMap<>();

    /** Whose round has ended while nothing could be said: what waits in them has to be posted. */
    private final List<Ahead> unposted = new ArrayList<>();

    /** What has come behind an image that the program has not asked for yet; null if there is none. */
    private Map<Integer, Ahead> behind;

    private Ahead recent;
    private int open;
    private boolean quiet;

    /** @param enabled whether any may run ahead */
    Aheads(Told line, long job, int rank, boolean enabled) {
        this.line = line;
        this.job = job;
        this.rank = rank;
        quiet = !enabled;
    }

    Ahead of(int context) {
        if (recent == null || recent.context() != context) {
            recent = contexts.computeIfAbsent(context, Ahead::new);
        }
        return recent;
    }

    /** Where a message of a history is kept whose receive does not wait. */
    Ahead keeper(int context) {
        return behind == null ? of(context) : behind.computeIfAbsent(context, Ahead::new);
    }

    /** Whether what comes now is for the program as it is: not behind an image that it has not asked for. */
    boolean isPresent() {
        return behind == null;
    }

    boolean keepsMessages() {
        return behind != null && behind.values().stream().anyMatch(Ahead::keepsMessages)
                || contexts.values().stream().anyMatch(Ahead::keepsMessages);
    }

    boolean keepsReceives() {
        return contexts.values().stream().anyMatch(Ahead::keepsReceives);
    }

    /** All receives that wait, in the order of their calls in each context. */
    List<Receiving> waiting() {
        List<Receiving> all = new ArrayList<>();
        contexts.values().forEach(ahead -> all.addAll(ahead.waiting()));
        return all;
    }

    /** All receives that wait in this context, in the order of their calls. */
    Stream<Receiving> waiting(int context) {
        Ahead ahead = contexts.get(context);
        return ahead == null ? Stream.empty() : ahead.waiting().stream();
    }

    /** The rank says goodbye: nothing more is granted or asked for. */
    void stop() {
        quiet = true;
    }

    /** A receive of this context was posted: if it is time, what comes next comes unasked. */
    void posted(Ahead ahead) throws IOException {
        if (quiet || !ahead.wantsToOpen()) {
            return;
        }
        if (mayHold(ahead)) {
            say(ahead, ahead.open(), 0);
            open++;
        } else {
            ahead.calmDown();
        }
    }

    /** Whether a whole window of this one goes with what the others hold. */
    private boolean mayHold(Ahead ahead) {
        return held() - ahead.held() + ahead.heldIfOpen() <= HELD_COST_MAX;
    }

    private long held() {
        long held = 0;
        for (Ahead ahead : contexts.values()) {
            held += ahead.held();
        }
        return held;
    }

    /** A message was received: there is room for more. */
    void received(Ahead ahead) throws IOException {
        if (!quiet && ahead.wantsMore() && line.hasRoom()) {
            if (ahead.wantsWider() && mayHold(ahead)) {
                ahead.widen();
            }
            say(ahead, ahead.more(), 0);
        }
    }

    /** A message has come before its receive. */
    void kept(Ahead ahead) throws IOException {
        if (ahead.isLate() && !quiet && line.hasRoom()) {
            end(ahead);
        }
    }

    /** Nothing more is wanted, if anything was; {@link #ended} follows. */
    void end(Ahead ahead) throws IOException {
        if (ahead.end()) {
            say(ahead, ahead.more(), FrameView.END);
        }
    }

    boolean isAnyOpen() {
        return open > 0;
    }

    /** Nothing more is wanted in any context. */
    void endAll() throws IOException {
        for (Ahead ahead : contexts.values()) {
            end(ahead);
        }
    }

    /** The relay has forgotten all rounds, or begins anew. Nothing waits any more: it is posted, or called anew. */
    void forgetRounds() {
        for (Ahead ahead : contexts.values()) {
            ahead.forgetRounds();
            ahead.posted();
        }
        unposted.clear();
        open = 0;
    }

    private void say(Ahead ahead, long bound, int flags) throws IOException {
        line.begin(AHEAD_BYTES)
                .begin(FrameType.AHEAD, AHEAD_BYTES, job)
                .flags(flags)
                .round(ahead.context(), ahead.round(), rank, 0, bound);
        line.end(AHEAD_BYTES);
    }

    void ended(FrameView view) throws WireException {
        Ahead ahead = of(view.context());
        ahead.ended(view.round(), view.pushedCost(), view.endReason());
        open--;
        postLater(ahead);
    }

    /** What waits in this context is to be posted when it can be. */
    void postLater(Ahead ahead) {
        if (ahead.postLater()) {
            unposted.add(ahead);
        }
    }

    // ---- images

    /** What comes from now on, comes behind an image. */
    void goOnBehind() {
        behind = new HashMap<>();
    }

    void write(DataOutputStream image) throws IOException {
        List<Ahead> keeping = contexts.values().stream().filter(Ahead::keepsMessages).toList();
        image.writeInt(keeping.size());
        for (Ahead ahead : keeping) {
            ahead.write(image);
        }
    }

    /** Goes on from an image: what was before it is in it. */
    void read(DataInputStream image) throws IOException {
        contexts.clear();
        recent = null;
        contexts.putAll(behind);
        behind = null;
        for (int left = image.readInt(); left > 0; left--) {
            of(image.readInt()).read(image);
        }
    }

    /** Whether something has to be posted since a round has ended, and can be. */
    boolean isPostDue() {
        return !unposted.isEmpty() && !quiet && line.hasRoom();
    }

    /** Posts what waits, in the order of the calls in each context, as far as there is room. */
    void postWaiting(Posting posting) throws IOException {
        for (Iterator<Ahead> each = unposted.iterator(); each.hasNext();) {
            Ahead ahead = each.next();
            if (posting.isWorth(ahead) && postWaiting(ahead, posting)) {
                each.remove();
            }
        }
    }

    /** @return whether nothing is left */
    private static boolean postWaiting(Ahead ahead, Posting posting) throws IOException {
        List<Receiving> waiting = ahead.waiting();
        ahead.posted();
        int posted = 0;
        while (posted < waiting.size() && posting.mayPost(ahead)) {
            posting.post(waiting.get(posted++));
        }
        if (posted == waiting.size()) {
            return true;
        }
        ahead.postLater();
        waiting.subList(posted, waiting.size()).forEach(ahead::await);
        return false;
    }
}
