package org.posthouse.core;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/**
 * A simulated rank's side of what runs ahead: plain lists, searched from the front. It opens contexts when it likes, grants little, and
 * often wants no more, so that each frame crosses each other.
 */
final class SimAhead {
    /** Whose requests these are; they go by their numbers. */
    interface Owner {
        /** Nothing is pushed any more: it is for the relay. */
        void say(int number);

        /** @param delivered the whole message */
        void gets(int number, ByteBuffer delivered);

        /** @param delivered what a probe found; null if nothing */
        void finds(int number, ByteBuffer delivered);

        void sayCancel(int number);

        /** Whether it has said FINALIZE. */
        boolean isFinalizing();
    }

    private record Request(int number, SimProgram.Pattern pattern, boolean probes) {
        boolean takes(FrameView message) {
            return (pattern.source() == Wire.ANY || pattern.source() == message.source())
                    && (pattern.tag() == Wire.ANY || pattern.tag() == message.tag());
        }
    }

    private final class Context {
        final int id;
        final List<Request> waiting = new ArrayList<>();
        final List<ByteBuffer> early = new ArrayList<>();
        final List<Integer> cancelling = new ArrayList<>();
        int round;
        boolean open;
        boolean used;
        long bound;
        long pushed;
        long taken;

        Context(int id) {
            this.id = id;
        }

        void grant(boolean end) {
            bound = Math.max(bound, taken + 256 + random.nextInt(random.nextBoolean() ? 300_000 : 3_000));
            line.send(frames.ahead(id, round, rank, bound, end));
        }

        ByteBuffer find(Request request) {
            return early.stream().filter(each -> request.takes(view(each))).findFirst().orElse(null);
        }
    }

    private final Owner owner;
    private final int rank;
    private final Random random;
    private final Frames frames;
    private final SimLine line;
    private final int eagerness;
    private final Map<Integer, Context> contexts = new HashMap<>();
    private int pushes;
    private int longPushes;

    /** @param eagerness of 10 occasions to open a context, so many are used */
    SimAhead(int rank, Random random, Frames frames, SimLine line, int eagerness, Owner owner) {
        this.rank = rank;
        this.random = random;
        this.frames = frames;
        this.line = line;
        this.eagerness = eagerness;
        this.owner = owner;
    }

    /** How many messages came unasked. */
    int pushes() {
        return pushes;
    }

    /** Those of them that were long. */
    int longPushes() {
        return longPushes;
    }

    private Context context(int id) {
        return contexts.computeIfAbsent(id, Context::new);
    }

    void receive(int number, SimProgram.Pattern pattern) {
        Context context = context(pattern.context());
        Request request = new Request(number, pattern, false);
        ByteBuffer came = context.find(request);
        if (came != null) {
            context.early.remove(came);
            take(context, request, came);
        } else if (context.open) {
            context.waiting.add(request);
        } else {
            owner.say(number);
            context.used = true;
        }
        change(context);
    }

    void probe(int number, SimProgram.Pattern pattern, boolean blocking) {
        Context context = context(pattern.context());
        Request request = new Request(number, pattern, true);
        ByteBuffer came = context.find(request);
        if (came != null || context.open && !blocking) {
            owner.finds(number, came);
        } else if (context.open) {
            context.waiting.add(request);
        } else {
            owner.say(number);
            context.used = true;
        }
    }

    /** A receive is to be taken back that nothing has matched. */
    void cancel(int number, int contextId) {
        Context context = context(contextId);
        if (context.open) {
            context.cancelling.add(number);
            context.grant(true);
        } else {
            owner.sayCancel(number);
        }
    }

    /** The rank feels like it. */
    private void change(Context context) {
        if (owner.isFinalizing()) {
            return;
        }
        if (!context.open && context.used && random.nextInt(10) < eagerness) {
            context.open = true;
            context.round++;
            context.grant(random.nextInt(20) == 0);
        } else if (context.open && random.nextInt(6) == 0) {
            context.grant(random.nextInt(3) == 0);
        }
    }

    void onPushed(ByteBuffer frame) {
        FrameView message = view(frame);
        Context context = context(message.context());
        pushes++;
        longPushes += message.messageBytes() > 16 * 1024 ? 1 : 0;
        context.pushed += Wire.cost(message.messageBytes());
        check(context.open && context.pushed <= context.bound, "pushed unasked: " + message);
        check(message.messageBytes() <= Wire.PAYLOAD_BYTES_MAX, "pushed: " + message);
        Request receive = context.waiting.stream()
                .filter(each -> !each.probes && each.takes(message))
                .findFirst()
                .orElse(null);
        if (receive != null) {
            context.waiting.remove(receive);
            take(context, receive, frame);
            return;
        }
        context.early.add(frame);
        for (Request probe : context.waiting.stream().filter(each -> each.probes && each.takes(message)).toList()) {
            context.waiting.remove(probe);
            owner.finds(probe.number, frame);
        }
    }

    private void take(Context context, Request request, ByteBuffer frame) {
        context.taken += Wire.cost(view(frame).messageBytes());
        owner.gets(request.number, frame);
        if (context.open && random.nextInt(3) == 0) {
            context.grant(false);
        }
    }

    void onEnded(FrameView ended) {
        Context context = context(ended.context());
        check(context.open && ended.round() == context.round, "ended: " + ended.round() + ", expected " + context.round);
        check(ended.pushedCost() == context.pushed, "pushed " + ended.pushedCost() + ", came " + context.pushed);
        check(ended.type() == FrameType.ENDED && ended.endReason() >= 1 && ended.endReason() <= 4, "reason " + ended.endReason());
        context.open = false;
        List<Request> waiting = List.copyOf(context.waiting);
        context.waiting.clear();
        waiting.forEach(request -> owner.say(request.number));
        List.copyOf(context.cancelling).forEach(owner::sayCancel);
        context.cancelling.clear();
        change(context);
    }

    private static FrameView view(ByteBuffer frame) {
        return new FrameView().wrap(frame, 0);
    }

    private void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError("rank " + rank + ": " + what);
        }
    }

    @Override
    public String toString() {
        return contexts.values().stream()
                .map(each -> "context " + each.id + (each.open ? " open" : "") + " waits " + each.waiting + " early " + each.early.size())
                .toList()
                .toString();
    }
}
