package org.posthouse.mpj;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.posthouse.mpj.SimActor.Act;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.operation.SendMode;
import org.posthouse.wire.Wire;

/** A phase of a {@link SimScript}. */
public enum SimPhase {
    /** Messages between all ranks, received by name, or from anybody. */
    EXCHANGE {
        @Override
        void play(SimActor actor) throws ReceiveException {
            exchange(actor, actor.shape().nextInt(3), false);
        }
    },
    /** The same, and one of them sends more at once than there is credit for where there is least. */
    FLOOD {
        @Override
        void play(SimActor actor) throws ReceiveException {
            List<Plan> plans = plans(actor);
            int source = actor.shape().nextInt(actor.ranks());
            for (int i = FLOOD_MIN + actor.shape().nextInt(FLOOD_MIN); i > 0; i--) {
                plans.add(new Plan(source, actor.shape().nextInt(actor.ranks()), i % 3, actor.bytes(actor.shape()), SendMode.STANDARD));
            }
            exchange(actor, plans, actor.shape().nextInt(3), false);
        }
    },
    /** The same, with nothing that depends on time. */
    NAMED_EXCHANGE {
        @Override
        void play(SimActor actor) throws ReceiveException {
            exchange(actor, 2, true);
        }
    },
    /** Whoever gets a message looks for it first, and answers with how often in vain. */
    PROBES {
        @Override
        void play(SimActor actor) throws ReceiveException {
            probes(actor);
        }
    },
    /** One rank serves the others in the order in which they come, and says so. */
    MASTER {
        @Override
        void play(SimActor actor) throws ReceiveException {
            master(actor);
        }
    },
    /**
     * Everything at once, in the context that all such phases share: several receives wait, more than there are messages, some are taken back,
     * and probes look between them. A rank that is ahead sends what the next of these phases is to receive.
     */
    MIXED {
        @Override
        void play(SimActor actor) throws ReceiveException {
            new SimMixture(actor).play();
        }
    },
    /** Receives that are taken back, or not, and matched later. */
    CANCELLED_RECEIVES {
        @Override
        void play(SimActor actor) throws ReceiveException {
            cancelledReceives(actor);
        }
    },
    /** Sends that are taken back, or not; the receiver is told. */
    CANCELLED_SENDS {
        @Override
        void play(SimActor actor) throws ReceiveException {
            cancelledSends(actor);
        }
    },
    COLLECTIVES {
        @Override
        void play(SimActor actor) throws ReceiveException {
            collectives(actor);
        }
    },
    /** A collective in the background, of which the program looks whether it is over, while it does something else. */
    BACKGROUND {
        @Override
        void play(SimActor actor) throws ReceiveException {
            background(actor);
        }
    },
    /** Random numbers and the time of day. */
    VALUES {
        @Override
        void play(SimActor actor) {
            actor.diary().saw(actor.endpoint().value(actor.process().stage().random()::nextLong));
            actor.diary().saw(actor.endpoint().nanoTime());
        }
    },
    PRINT {
        @Override
        void play(SimActor actor) {
            for (int i = 1 + actor.own().nextInt(2); i > 0; i--) {
                actor.process().print(Long.toHexString(actor.diary().mark()));
            }
        }
    };

    /** Sends of a rank that may be taken back, at most: more than there is credit for where there is least. */
    private static final int CANCELLED_MAX = 20;

    /** Of the first of them. */
    private static final int CANCELLED_TAG = 6;

    private static final int FLOOD_MIN = 20;

    private static final SimPhase[] ANY = {
        EXCHANGE, EXCHANGE, EXCHANGE, PROBES, PROBES, MASTER, MASTER, MIXED, MIXED, MIXED, CANCELLED_RECEIVES, CANCELLED_SENDS, COLLECTIVES, BACKGROUND,
        VALUES, PRINT
    };
    private static final SimPhase[] TAKING_BACK = {MIXED, MIXED, MIXED, CANCELLED_SENDS};
    private static final SimPhase[] FLOODING = {FLOOD, FLOOD, MIXED, EXCHANGE, PROBES};
    private static final SimPhase[] TIMELESS = {NAMED_EXCHANGE, NAMED_EXCHANGE, COLLECTIVES, PRINT};

    static SimPhase draw(SplittableRandom shape, boolean deterministic, Hardship hardship) {
        SimPhase[] from = deterministic ? TIMELESS : hardship.takesBack() ? TAKING_BACK : hardship.floods() ? FLOODING : ANY;
        return from[shape.nextInt(from.length)];
    }

    abstract void play(SimActor actor) throws ReceiveException;

    private record Plan(int source, int destination, int tag, int bytes, SendMode mode) {}

    /** @param naming 0: receives take anything; 1: they name the source; 2: and the tag */
    private static void exchange(SimActor actor, int naming, boolean deterministic) throws ReceiveException {
        exchange(actor, plans(actor), naming, deterministic);
    }

    private static void exchange(SimActor actor, List<Plan> plans, int naming, boolean deterministic) throws ReceiveException {
        List<Plan> mine = new ArrayList<>(plans.stream().filter(plan -> plan.source() == actor.rank()).toList());
        List<Plan> forMe = new ArrayList<>(plans.stream().filter(plan -> plan.destination() == actor.rank()).toList());
        if (naming < 2) {
            Collections.shuffle(forMe, new Random(actor.own().nextLong()));
        }
        List<Act> sends = new ArrayList<>();
        List<Act> receives = new ArrayList<>();
        boolean early = actor.own().nextBoolean();
        while (!mine.isEmpty() || early && !forMe.isEmpty()) {
            if (!mine.isEmpty() && (!early || forMe.isEmpty() || actor.own().nextBoolean())) {
                Plan plan = mine.remove(0);
                sends.add(actor.send(plan.destination(), plan.tag(), plan.bytes(), plan.mode()));
            } else {
                receives.add(receive(actor, forMe.remove(0), naming));
            }
        }
        while (!forMe.isEmpty()) {
            actor.await(receive(actor, forMe.remove(0), naming));
        }
        if (deterministic || actor.own().nextBoolean()) {
            actor.complete(receives, deterministic);
            actor.complete(sends, deterministic);
        } else {
            receives.addAll(sends);
            actor.complete(receives, false);
        }
    }

    private static Act receive(SimActor actor, Plan plan, int naming) {
        return actor.receive(naming > 0 ? plan.source() : Wire.ANY, naming > 1 ? plan.tag() : Wire.ANY);
    }

    private static List<Plan> plans(SimActor actor) {
        SplittableRandom shape = actor.shape();
        List<Plan> plans = new ArrayList<>();
        for (int i = shape.nextInt(4 * actor.ranks()); i >= 0; i--) {
            plans.add(new Plan(
                    shape.nextInt(actor.ranks()),
                    shape.nextInt(actor.ranks()),
                    shape.nextInt(3),
                    actor.bytes(shape),
                    shape.nextInt(6) == 0 ? SendMode.SYNCHRONOUS : SendMode.STANDARD));
        }
        return plans;
    }

    private static void probes(SimActor actor) throws ReceiveException {
        int next = (actor.rank() + 1) % actor.ranks();
        int previous = (actor.rank() + actor.ranks() - 1) % actor.ranks();
        int count = 1 + actor.shape().nextInt(4);
        boolean anybody = actor.shape().nextBoolean();
        List<Act> sends = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sends.add(actor.send(next, actor.own().nextInt(5), actor.bytes(actor.own()), SendMode.STANDARD));
        }
        int failures = 0;
        for (int i = 0; i < count; i++) {
            int source = anybody ? Wire.ANY : previous;
            int triesMax = actor.own().nextInt(20);
            Envelope found = null;
            for (int tries = 0; found == null && tries < triesMax; tries++) {
                found = actor.endpoint().tryProbe(actor.context(), source, Wire.ANY);
                failures += found == null ? 1 : 0;
            }
            found = found == null ? actor.endpoint().probe(actor.context(), source, Wire.ANY, "Probe") : found;
            actor.diary().saw(failures * 1_000_003L + found.source() * 101L + found.tag() * 11L + found.bytes());
            actor.await(actor.receive(found.source(), found.tag()));
        }
        actor.complete(sends, false);
        SimActor answers = actor.inNextContext();
        Act answer = answers.send(previous, failures, 16 + failures, SendMode.STANDARD);
        answers.await(answers.receive(next, Wire.ANY));
        answers.await(answer);
    }

    private static void master(SimActor actor) throws ReceiveException {
        int master = actor.shape().nextInt(actor.ranks());
        int rounds = 1 + actor.shape().nextInt(3);
        SimActor answers = actor.inNextContext();
        if (actor.rank() != master) {
            for (int i = 0; i < rounds; i++) {
                Act request = actor.send(master, i, actor.bytes(actor.own()), SendMode.STANDARD);
                answers.await(answers.receive(master, Wire.ANY));
                actor.await(request);
            }
            return;
        }
        List<Act> sent = new ArrayList<>();
        for (int i = 0; i < rounds * (actor.ranks() - 1); i++) {
            Act request = actor.receive(Wire.ANY, Wire.ANY);
            actor.await(request);
            sent.add(answers.send(request.operation().envelope().source(), i, 16 + actor.own().nextInt(100), SendMode.STANDARD));
        }
        actor.complete(sent, false);
    }

    private static void cancelledReceives(SimActor actor) throws ReceiveException {
        int next = (actor.rank() + 1) % actor.ranks();
        int previous = (actor.rank() + actor.ranks() - 1) % actor.ranks();
        boolean first = actor.own().nextBoolean();
        Act send = first ? actor.send(next, 5, actor.bytes(actor.own()), SendMode.STANDARD) : null;
        Act receive = actor.receive(actor.own().nextBoolean() ? Wire.ANY : previous, 5);
        boolean done = false;
        for (int i = actor.own().nextInt(6); i > 0 && !done; i--) {
            done = actor.test(receive);
        }
        boolean gone = !done && actor.cancel(receive);
        if (!done && !gone) {
            actor.await(receive);
        }
        send = first ? send : actor.send(next, 5, actor.bytes(actor.own()), SendMode.STANDARD);
        if (gone) {
            actor.await(actor.receive(previous, 5));
        }
        actor.await(send);
    }

    /** Several at once, in either mode: where there is no more credit, what was sent in standard mode can be taken back too. */
    private static void cancelledSends(SimActor actor) throws ReceiveException {
        int next = (actor.rank() + 1) % actor.ranks();
        int previous = (actor.rank() + actor.ranks() - 1) % actor.ranks();
        int count = 1 + actor.shape().nextInt(actor.shape().nextBoolean() ? 1 : CANCELLED_MAX);
        List<Act> early = new ArrayList<>();
        List<Act> sends = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            early.add(actor.own().nextBoolean() ? actor.receive(previous, CANCELLED_TAG + i) : null);
            sends.add(actor.send(next, CANCELLED_TAG + i, actor.bytes(actor.own()), actor.own().nextInt(3) > 0 ? SendMode.SYNCHRONOUS : SendMode.STANDARD));
        }
        int gone = 0;
        for (int i = count - 1; i >= 0; i--) {
            Act send = sends.get(i);
            boolean done = false;
            for (int tests = actor.own().nextInt(6); tests > 0 && !done; tests--) {
                done = actor.test(send);
            }
            if (!done && actor.own().nextInt(4) > 0 && actor.cancel(send)) {
                gone |= 1 << i;
                sends.remove(i);
            } else if (done) {
                sends.remove(i);
            }
        }
        SimActor words = actor.inNextContext();
        Act word = words.send(next, gone, 16, SendMode.STANDARD);
        Act heard = words.receive(previous, Wire.ANY);
        words.await(heard);
        words.await(word);
        receiveOrCancel(actor, early, previous, heard.operation().envelope().tag());
        actor.complete(sends, false);
    }

    /** @param gone a bit for each message that does not come */
    private static void receiveOrCancel(SimActor actor, List<Act> early, int source, int gone) throws ReceiveException {
        for (int i = 0; i < early.size(); i++) {
            Act receive = early.get(i);
            if ((gone >> i & 1) == 0) {
                actor.await(receive == null ? actor.receive(source, CANCELLED_TAG + i) : receive);
            } else if (receive != null && !actor.cancel(receive)) {
                throw new AssertionError("a receive has got what was taken back");
            }
        }
    }

    // ---- collectives

    private static void collectives(SimActor actor) throws ReceiveException {
        SimPresence presence = actor.presence();
        for (int i = actor.shape().nextInt(5); i >= 0; i--) {
            int kind = actor.shape().nextInt(SimCollective.values().length);
            int longs = actor.shape().nextInt(4) == 0 ? 10_000 : 3;
            SimCollective.values()[kind].run(actor, presence, i, longs);
        }
    }

    private static void background(SimActor actor) throws ReceiveException {
        SimCollective kind = SimCollective.values()[actor.shape().nextInt(SimCollective.values().length)];
        SimActor other = actor.behind(2);
        SimPresence presence = other.presence();
        Operation errand = actor.endpoint().begin();
        long[] outcome = new long[2];
        long mark = actor.diary().mark();
        actor.process().inBackground(() -> {
            try {
                long[] sum = kind.run(actor.endpoint(), other, presence, mark, 0, 1_000);
                System.arraycopy(sum, 0, outcome, 0, outcome.length);
            } catch (ReceiveException e) {
                throw new IllegalStateException(e);
            } finally {
                actor.endpoint().end(errand);
            }
        });
        boolean done = false;
        for (int i = actor.own().nextInt(8); i > 0 && !done; i--) {
            done = actor.endpoint().test(errand);
            actor.process().requireAlive(); // The errand of a process that dies ends, too.
            actor.diary().saw(done ? 5 : 6);
        }
        exchange(actor, 0, false);
        actor.endpoint().await(errand);
        actor.process().requireAlive();
        actor.diary().summed(other.context() + 1, outcome[0], outcome[1]);
    }
}
