package org.posthouse.mpj.match;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.posthouse.mpj.determinant.DeterminantWriter;
import org.posthouse.mpj.operation.PostedReceive;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.WireException;

/**
 * The contexts of a rank, including those that run ahead, and the frames about their push windows. Guarded by the
 * endpoint's lock.
 */
public final class LocalMatchContexts {
    /** Most cost of the messages that have come and were not received, in all contexts: 64 windows, or 16 wide ones. */
    public static final long HELD_COST_MAX = 64L * LocalMatchContext.WINDOW_COST;

    private static final int AHEAD_BYTES = 40;

    /** Posts receives, as many as the relay accepts. */
    interface Posting {
        /** Whether there is enough room to justify a pass over the waiting receives. */
        boolean isWorth(LocalMatchContext localMatchContext);

        boolean mayPost(LocalMatchContext localMatchContext);

        void post(PostedReceive postedReceive) throws IOException;
    }

    private final DeterminantWriter line;
    private final long job;
    private final int rank;
    private final Map<Integer, LocalMatchContext> contexts = new HashMap<>();

    /** Contexts whose round ended while nothing could be sent. Their waiting receives must be posted. */
    private final List<LocalMatchContext> unposted = new ArrayList<>();

    /** Messages that came behind an image that the program has not asked for yet; null if there is none. */
    private Map<Integer, LocalMatchContext> behind;

    private LocalMatchContext recent;
    private int open;
    private boolean quiet;

    /** @param enabled whether any context may run ahead */
    LocalMatchContexts(DeterminantWriter line, long job, int rank, boolean enabled) {
        this.line = line;
        this.job = job;
        this.rank = rank;
        quiet = !enabled;
    }

    LocalMatchContext of(int context) {
        if (recent == null || recent.context() != context) {
            recent = contexts.computeIfAbsent(context, LocalMatchContext::new);
        }
        return recent;
    }

    /** The place for a message of a history whose receive does not wait. */
    LocalMatchContext keeper(int context) {
        return behind == null ? of(context) : behind.computeIfAbsent(context, LocalMatchContext::new);
    }

    /**
     * Whether messages that come now belong to the program's present state, not behind an image that it has not asked
     * for.
     */
    boolean isPresent() {
        return behind == null;
    }

    boolean keepsMessages() {
        return behind != null && behind.values().stream().anyMatch(LocalMatchContext::keepsMessages)
                || contexts.values().stream().anyMatch(LocalMatchContext::keepsMessages);
    }

    boolean keepsReceives() {
        return contexts.values().stream().anyMatch(LocalMatchContext::keepsReceives);
    }

    /** All waiting receives, in call order within each context. */
    List<PostedReceive> waiting() {
        List<PostedReceive> all = new ArrayList<>();
        for (LocalMatchContext context : contexts.values()) {
            all.addAll(context.waiting());
        }
        return all;
    }

    /** All waiting receives of this context, in call order. */
    Stream<PostedReceive> waiting(int context) {
        LocalMatchContext localMatchContext = contexts.get(context);
        return localMatchContext == null ? Stream.empty() : localMatchContext.waiting().stream();
    }

    /** Stops grants and requests: the rank is closing its connection. */
    void stop() {
        quiet = true;
    }

    /**
     * Handles a posted receive of this context. If it is time, the window opens, and the next messages come
     * unrequested.
     */
    void posted(LocalMatchContext localMatchContext) throws IOException {
        if (quiet || !localMatchContext.wantsToOpen()) {
            return;
        }
        if (mayHold(localMatchContext)) {
            say(localMatchContext, localMatchContext.open(), 0);
            open++;
        } else {
            localMatchContext.calmDown();
        }
    }

    /** Whether a whole window of this context fits beside what the others hold. */
    private boolean mayHold(LocalMatchContext localMatchContext) {
        return held() - localMatchContext.held() + localMatchContext.heldIfOpen() <= HELD_COST_MAX;
    }

    private long held() {
        long held = 0;
        for (LocalMatchContext localMatchContext : contexts.values()) {
            held += localMatchContext.held();
        }
        return held;
    }

    /** Handles a received message: there is room for more. */
    void received(LocalMatchContext localMatchContext) throws IOException {
        if (!quiet && localMatchContext.wantsMore() && line.hasRoom()) {
            if (localMatchContext.wantsWider() && mayHold(localMatchContext)) {
                localMatchContext.widen();
            }
            say(localMatchContext, localMatchContext.more(), 0);
        }
    }

    /** Handles a message that came before its receive. */
    void kept(LocalMatchContext localMatchContext) throws IOException {
        if (localMatchContext.isLate() && !quiet && line.hasRoom()) {
            end(localMatchContext);
        }
    }

    /** Ends the context's window, if it is open; {@link #ended} follows. */
    void end(LocalMatchContext localMatchContext) throws IOException {
        if (localMatchContext.end()) {
            say(localMatchContext, localMatchContext.more(), FrameView.END);
        }
    }

    boolean isAnyOpen() {
        return open > 0;
    }

    /** Ends all windows. */
    void endAll() throws IOException {
        for (LocalMatchContext localMatchContext : contexts.values()) {
            end(localMatchContext);
        }
    }

    /**
     * Forgets all rounds, because the relay has, or starts anew. No receive waits any more: it is posted, or called
     * again.
     */
    void forgetRounds() {
        for (LocalMatchContext localMatchContext : contexts.values()) {
            localMatchContext.forgetRounds();
            localMatchContext.posted();
        }
        unposted.clear();
        open = 0;
    }

    private void say(LocalMatchContext localMatchContext, long bound, int flags) throws IOException {
        line.begin(AHEAD_BYTES)
                .begin(FrameType.AHEAD, AHEAD_BYTES, job)
                .flags(flags)
                .round(localMatchContext.context(), localMatchContext.round(), rank, 0, bound);
        line.end(AHEAD_BYTES);
    }

    void ended(FrameView view) throws WireException {
        LocalMatchContext localMatchContext = of(view.context());
        localMatchContext.ended(view.round(), view.pushedCost(), view.endReason());
        open--;
        postLater(localMatchContext);
    }

    /** Registers the context's waiting receives to be posted when possible. */
    void postLater(LocalMatchContext localMatchContext) {
        if (localMatchContext.postLater()) {
            unposted.add(localMatchContext);
        }
    }

    // ---- images

    /** Marks the messages from now on as coming behind an image. */
    void goOnBehind() {
        behind = new HashMap<>();
    }

    void write(DataOutputStream image) throws IOException {
        List<LocalMatchContext> keeping = contexts.values().stream().filter(LocalMatchContext::keepsMessages).toList();
        image.writeInt(keeping.size());
        for (LocalMatchContext localMatchContext : keeping) {
            localMatchContext.write(image);
        }
    }

    /** Restores the state from an image. What came before it is contained in it. */
    void read(DataInputStream image) throws IOException {
        contexts.clear();
        recent = null;
        contexts.putAll(behind);
        behind = null;
        for (int left = image.readInt(); left > 0; left--) {
            of(image.readInt()).read(image);
        }
    }

    /** Whether receives must be posted since a round has ended, and can be. */
    boolean isPostDue() {
        return !unposted.isEmpty() && !quiet && line.hasRoom();
    }

    /** Posts the waiting receives, in call order within each context, as far as there is room. */
    void postWaiting(Posting posting) throws IOException {
        for (Iterator<LocalMatchContext> each = unposted.iterator(); each.hasNext();) {
            LocalMatchContext localMatchContext = each.next();
            if (posting.isWorth(localMatchContext) && postWaiting(localMatchContext, posting)) {
                each.remove();
            }
        }
    }

    /** @return whether nothing is left */
    private static boolean postWaiting(LocalMatchContext localMatchContext, Posting posting) throws IOException {
        List<PostedReceive> waiting = localMatchContext.waiting();
        localMatchContext.posted();
        int posted = 0;
        while (posted < waiting.size() && posting.mayPost(localMatchContext)) {
            posting.post(waiting.get(posted++));
        }
        if (posted == waiting.size()) {
            return true;
        }
        localMatchContext.postLater();
        waiting.subList(posted, waiting.size()).forEach(localMatchContext::await);
        return false;
    }
}
