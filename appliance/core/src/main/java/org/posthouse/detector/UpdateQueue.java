package org.posthouse.detector;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntPredicate;
import org.posthouse.wire.DetectorMessage;
import org.posthouse.wire.DetectorMessage.Update;

/** News of SWIM that messages carry: those sent least often first, each a number of times. Confined to its detector. */
final class UpdateQueue {
    /** Memberlist's RetransmitMult. */
    private static final int MULTIPLE = 4;

    private static final class Queued {
        private final Update update;
        private int times;

        Queued(Update update) {
            this.update = update;
        }
    }

    private final List<Queued> queue = new ArrayList<>();

    /** Adds news, which replace older ones about the same member; several accusers of one incarnation stand side by side. */
    void add(Update update) {
        queue.removeIf(it -> it.update.host() == update.host() && !isOtherAccuser(it.update, update));
        queue.add(new Queued(update));
    }

    private static boolean isOtherAccuser(Update a, Update b) {
        return a.state() == b.state() && a.incarnation() == b.incarnation() && a.by() != b.by();
    }

    void retain(IntPredicate isMember) {
        queue.removeIf(it -> !isMember.test(it.update.host()));
    }

    /** The next updates of a message. */
    List<Update> take(int members) {
        int timesMax = MULTIPLE * (int) Math.ceil(Math.log10(members + 1.0));
        queue.sort(Comparator.comparingInt(it -> it.times));
        List<Update> taken = new ArrayList<>();
        for (Queued it : queue.subList(0, Math.min(queue.size(), DetectorMessage.UPDATES_MAX))) {
            it.times++;
            taken.add(it.update);
        }
        queue.removeIf(it -> it.times >= timesMax);
        return taken;
    }
}
