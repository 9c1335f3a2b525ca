package org.posthouse.mpj;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.posthouse.wire.Wire;

/**
 * One rank in {@link SimPhase#MIXED}: it has each of its own messages under way before it waits for any, takes some of them back and says how
 * many, so that all know how many they get, and gives up what receives are left when all have come.
 */
final class SimMixture {
    /** Receives that may wait at once. */
    private static final int WAITING_MAX = 6;

    /** Each rank sends fewer messages than this. */
    private static final int MESSAGES_MAX = 12;

    private final SimActor actor;
    private final SimActor words;
    private final int tag;
    private final SplittableRandom own;
    private final List<Integer> destinations = new ArrayList<>();
    private final List<SimActor.Act> sends = new ArrayList<>();

    /** Messages to each rank that were taken back. */
    private final int[] takenBack;

    /** In the order of their calls. */
    private final List<SimActor.Act> waiting = new ArrayList<>();

    /** Messages for this rank that have not been received. */
    private int left;

    /** Whether that is without those that were taken back. */
    private boolean heard;

    SimMixture(SimActor phase) {
        actor = phase.inSharedContext();
        words = phase.inNextContext();
        takenBack = new int[actor.ranks()];
        tag = phase.ownTag();
        own = phase.own();
        SplittableRandom shape = phase.shape();
        for (int source = 0; source < actor.ranks(); source++) {
            for (int i = shape.nextInt(MESSAGES_MAX); i > 0; i--) {
                int destination = shape.nextInt(3) == 0 ? 0 : shape.nextInt(actor.ranks());
                left += destination == actor.rank() ? 1 : 0;
                if (source == actor.rank()) {
                    destinations.add(destination);
                }
            }
        }
    }

    void play() throws ReceiveException {
        while (!destinations.isEmpty()) {
            if (own.nextInt(3) > 0) {
                sends.add(actor.send(destinations.removeFirst(), tag, actor.bytes(own), own.nextInt(12) == 0 ? Mode.SYNCHRONOUS : Mode.STANDARD));
            } else if (!sends.isEmpty() && own.nextInt(4) == 0) {
                takeBack(own.nextInt(sends.size()));
            } else {
                look();
            }
        }
        hearWhatWasTakenBack();
        while (left > 0) {
            if (own.nextBoolean()) {
                look();
            } else if (left > waiting.size() && own.nextInt(3) == 0) {
                receiveFound(actor.endpoint().probe(actor.context(), Wire.ANY, tag));
            } else {
                awaitAny();
            }
        }
        while (!waiting.isEmpty()) {
            if (!actor.cancel(waiting.remove(own.nextInt(waiting.size())))) {
                throw new AssertionError("a receive has got a message that nobody has sent");
            }
        }
        actor.complete(sends, false);
    }

    /** If it can be. */
    private void takeBack(int which) throws ReceiveException {
        if (actor.cancel(sends.get(which))) {
            takenBack[sends.remove(which).letter().peer()]++;
        }
    }

    private void hearWhatWasTakenBack() throws ReceiveException {
        for (int rank = 0; rank < actor.ranks(); rank++) {
            sends.add(words.send(rank, takenBack[rank], words.bytes(own), Mode.STANDARD));
        }
        for (int rank = 0; rank < actor.ranks(); rank++) {
            SimActor.Act word = words.receive(rank, Wire.ANY);
            words.await(word);
            left -= word.operation().envelope().tag();
        }
        heard = true;
    }

    /** Something that waits for nobody. */
    private void look() throws ReceiveException {
        switch (own.nextInt(5)) {
            case 0, 1 -> post();
            case 2 -> cancel();
            case 3 -> test();
            default -> probe();
        }
    }

    private void post() {
        if (waiting.size() < WAITING_MAX) {
            waiting.add(actor.receive(Wire.ANY, tag));
        }
    }

    private void cancel() throws ReceiveException {
        if (!waiting.isEmpty()) {
            SimActor.Act act = waiting.remove(own.nextInt(waiting.size()));
            if (!actor.cancel(act)) {
                actor.await(act);
                left--;
            }
        }
    }

    private void test() throws ReceiveException {
        if (!waiting.isEmpty()) {
            int which = own.nextInt(waiting.size());
            if (actor.test(waiting.get(which))) {
                waiting.remove(which);
                left--;
            }
        }
    }

    private void probe() throws ReceiveException {
        Envelope found = actor.endpoint().tryProbe(actor.context(), Wire.ANY, tag);
        actor.diary().saw(found == null ? 7 : 8);
        if (found != null && heard) {
            receiveFound(found);
        }
    }

    /** Nothing that waits takes it, or it would not have been found; and nobody takes it back any more. */
    private void receiveFound(Envelope found) throws ReceiveException {
        actor.diary().saw(found.source() * 101L + found.bytes());
        actor.await(actor.receive(found.source(), tag));
        left--;
    }

    private void awaitAny() throws ReceiveException {
        if (waiting.isEmpty()) {
            post();
        }
        int index = actor.endpoint().awaitAny(waiting.stream().map(SimActor.Act::operation).toArray(Operation[]::new));
        actor.diary().saw(index);
        actor.finished(waiting.remove(index));
        left--;
    }
}
