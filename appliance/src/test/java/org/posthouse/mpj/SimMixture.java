package org.posthouse.mpj;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.operation.SendMode;
import org.posthouse.wire.Wire;

/**
 * One rank in {@link SimPhase#MIXED}: it has each of its own messages under way before it waits for any, takes some of them back and says how
 * many, so that all know how many they get, and gives up what receives are left when all have come.
 */
final class SimMixture {
    /** Receives that wait at once, but for one more that takes anything. */
    private static final int WAITING_MAX = 6;

    /** Each rank sends fewer messages than this. */
    private static final int MESSAGES_MAX = 12;

    /** Of messages in a context of their own. */
    private static final int TAGS = 3;

    private final SimActor actor;
    private final SimActor words;
    private final int phaseTag;
    private final SplittableRandom own;

    /** Whether it is in a context that is no other phase's, so that it may take any tag. */
    private final boolean alone;

    /** Whether receives and probes may name a source or a tag. */
    private final boolean naming;

    private final List<Integer> destinations = new ArrayList<>();
    private final List<SimActor.Act> sends = new ArrayList<>();

    /** Messages to each rank that were taken back. */
    private final int[] takenBack;

    /** In the order of their calls. */
    private final List<SimActor.Act> waiting = new ArrayList<>();

    /** Messages of each rank for this one that have not been received. */
    private final int[] left;

    /** Whether that is without those that were taken back. */
    private boolean heard;

    SimMixture(SimActor phase) {
        own = phase.own();
        SplittableRandom shape = phase.shape();
        alone = shape.nextInt(3) == 0;
        naming = shape.nextBoolean();
        actor = alone ? phase : phase.inSharedContext();
        words = phase.inNextContext();
        phaseTag = phase.ownTag();
        takenBack = new int[actor.ranks()];
        left = new int[actor.ranks()];
        for (int source = 0; source < actor.ranks(); source++) {
            for (int i = shape.nextInt(MESSAGES_MAX); i > 0; i--) {
                int destination = shape.nextInt(3) == 0 ? 0 : shape.nextInt(actor.ranks());
                left[source] += destination == actor.rank() ? 1 : 0;
                if (source == actor.rank()) {
                    destinations.add(destination);
                }
            }
        }
    }

    void play() throws ReceiveException {
        while (!destinations.isEmpty()) {
            if (own.nextInt(3) > 0) {
                send(destinations.removeFirst(), own.nextInt(actor.takesBack() ? 2 : 12) == 0 ? SendMode.SYNCHRONOUS : SendMode.STANDARD);
            } else if (!sends.isEmpty() && own.nextInt(actor.takesBack() ? 2 : 4) == 0) {
                takeBack(own.nextInt(sends.size()));
            } else {
                look();
            }
        }
        hearWhatWasTakenBack();
        while (left() > 0) {
            switch (own.nextInt(6)) {
                case 0, 1, 2 -> look();
                case 3 -> awaitOne();
                default -> awaitAny();
            }
        }
        while (!waiting.isEmpty()) {
            if (!actor.cancel(waiting.remove(own.nextInt(waiting.size())))) {
                throw new AssertionError("a receive has got a message that nobody has sent");
            }
        }
        actor.complete(sends, false);
    }

    // ---- sends

    private void send(int destination, SendMode mode) {
        int tag = alone ? own.nextInt(TAGS) : phaseTag;
        if (waiting.size() < WAITING_MAX && own.nextInt(4) == 0) {
            List<SimActor.Act> both = actor.exchange(source(), tag(), destination, tag, actor.bytes(own), mode);
            waiting.add(both.getFirst());
            sends.add(both.getLast());
        } else {
            sends.add(actor.send(destination, tag, actor.bytes(own), mode));
        }
    }

    /** If it can be. */
    private void takeBack(int which) throws ReceiveException {
        if (actor.cancel(sends.get(which))) {
            takenBack[sends.remove(which).letter().peer()]++;
        }
    }

    private void hearWhatWasTakenBack() throws ReceiveException {
        for (int rank = 0; rank < actor.ranks(); rank++) {
            sends.add(words.send(rank, takenBack[rank], words.bytes(own), SendMode.STANDARD));
        }
        for (int rank = 0; rank < actor.ranks(); rank++) {
            SimActor.Act word = words.receive(rank, Wire.ANY);
            words.await(word);
            left[rank] -= word.operation().envelope().tag();
        }
        heard = true;
    }

    // ---- receives

    private int left() {
        return Arrays.stream(left).sum();
    }

    private void came(SimActor.Act act) {
        left[act.operation().envelope().source()]--;
    }

    private int source() {
        return naming && own.nextInt(3) == 0 ? own.nextInt(actor.ranks()) : Wire.ANY;
    }

    private int tag() {
        return alone && naming && own.nextInt(3) == 0 ? own.nextInt(TAGS) : anyTag();
    }

    private int anyTag() {
        return alone ? Wire.ANY : phaseTag;
    }

    /** Something that waits for nobody. */
    private void look() throws ReceiveException {
        switch (own.nextInt(11)) {
            case 0, 1, 2, 3 -> post();
            case 4, 5 -> cancel();
            case 6, 7 -> test();
            case 8, 9 -> probe();
            default -> actor.diary().saw(actor.endpoint().nanoTime());
        }
    }

    private void post() {
        if (waiting.size() < WAITING_MAX) {
            waiting.add(actor.receive(source(), tag()));
        }
    }

    private void cancel() throws ReceiveException {
        if (!waiting.isEmpty()) {
            SimActor.Act act = waiting.remove(own.nextInt(waiting.size()));
            if (!actor.cancel(act)) {
                actor.await(act);
                came(act);
            }
        }
    }

    private void test() throws ReceiveException {
        if (!waiting.isEmpty()) {
            int which = own.nextInt(waiting.size());
            if (actor.test(waiting.get(which))) {
                came(waiting.remove(which));
            }
        }
    }

    private void probe() throws ReceiveException {
        Envelope found = actor.endpoint().tryProbe(actor.context(), source(), tag());
        actor.diary().saw(found == null ? 7 : 8);
        if (found != null && heard) {
            receiveFound(found);
        }
    }

    /** Nothing that waits takes it, or it would not have been found; and nobody takes it back any more. */
    private void receiveFound(Envelope found) throws ReceiveException {
        actor.diary().saw(found.source() * 101L + found.bytes());
        receiveNow(found.source(), found.tag());
    }

    private void receiveNow(int source, int tag) throws ReceiveException {
        SimActor.Act act = actor.receive(source, tag);
        actor.await(act);
        came(act);
    }

    /** Waits for one more message than those that wait already can take. */
    private void awaitOne() throws ReceiveException {
        int source = source();
        int coming = source == Wire.ANY ? left() : left[source];
        if (coming > waiting.size()) {
            if (own.nextBoolean()) {
                receiveFound(actor.endpoint().probe(actor.context(), source, anyTag(), "Probe"));
            } else {
                receiveNow(source, anyTag());
            }
        }
    }

    private void awaitAny() throws ReceiveException {
        if (waiting.stream().noneMatch(this::takesAnything)) {
            waiting.add(actor.receive(Wire.ANY, anyTag()));
        }
        int index = actor.endpoint().awaitAny(waiting.stream().map(SimActor.Act::operation).toArray(Operation[]::new));
        actor.diary().saw(index);
        SimActor.Act act = waiting.remove(index);
        actor.finished(act);
        came(act);
    }

    private boolean takesAnything(SimActor.Act act) {
        return act.inbound().post().takes(actor.rank(), anyTag()) && act.inbound().post().source() == Wire.ANY;
    }
}
