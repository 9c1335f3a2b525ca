package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.posthouse.testkit.SeededRuns;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/** The mailbox against a model that is slow and obvious: two lists, searched from the front by MPI's rules. */
final class MailboxModelTest {
    private static final int RANKS = 4;

    /** MPI's matching, said as plainly as possible. */
    private static final class Model {
        private record Channel(int context, int source) {}

        private record Posted(int context, int source, int tag, int request) {
            boolean takes(Message message) {
                return context == message.context()
                        && (source == Wire.ANY || source == message.source())
                        && (tag == Wire.ANY || tag == message.tag());
            }
        }

        private final Map<Channel, Long> last = new HashMap<>();
        private final List<Message> unexpected = new ArrayList<>();
        private final List<Posted> receives = new ArrayList<>();
        private final List<Posted> probes = new ArrayList<>();

        Mailbox.Arrival check(int context, int source, long sequence) {
            long expected = last.getOrDefault(new Channel(context, source), 0L) + 1;
            return sequence == expected
                    ? Mailbox.Arrival.ACCEPTED
                    : sequence < expected ? Mailbox.Arrival.DUPLICATE : Mailbox.Arrival.GAP;
        }

        /** The request that takes the message, or null if it stays. */
        Integer accept(Message message) {
            last.put(new Channel(message.context(), message.source()), message.sequence());
            for (Posted receive : receives) {
                if (receive.takes(message)) {
                    receives.remove(receive);
                    return receive.request();
                }
            }
            unexpected.add(message);
            return null;
        }

        List<Integer> probesFor(Message message) {
            List<Posted> answered = probes.stream().filter(probe -> probe.takes(message)).toList();
            probes.removeAll(answered);
            return answered.stream().map(Posted::request).toList();
        }

        /** Takes all of a context that waits, in its order. */
        List<Message> takeAll(int context) {
            List<Message> all = unexpected.stream().filter(message -> message.context() == context).toList();
            unexpected.removeAll(all);
            return all;
        }

        Message find(Posted pattern) {
            return unexpected.stream().filter(pattern::takes).findFirst().orElse(null);
        }

        boolean cancel(int request) {
            return receives.removeIf(receive -> receive.request() == request);
        }

        Message takeOffer(int context, int source, long sequence) {
            Message offer = unexpected.stream()
                    .filter(message -> message.context() == context
                            && message.source() == source
                            && message.sequence() == sequence
                            && message.form() == FrameType.OFFER)
                    .findFirst()
                    .orElse(null);
            unexpected.remove(offer);
            return offer;
        }

        Message post(Posted receive) {
            Message found = find(receive);
            if (found == null) {
                receives.add(receive);
            } else {
                unexpected.remove(found);
            }
            return found;
        }
    }

    @Test
    void matchesAsTheModelDoes() {
        SeededRuns.each(Boolean.getBoolean("posthouse.long") ? 4_000 : 2_000, MailboxModelTest::runScript);
    }

    private static void runScript(long seed) {
        Random random = new Random(seed);
        Mailbox mailbox = new Mailbox(RANKS);
        Model model = new Model();
        ParcelLedger ledger = new ParcelLedger();
        int contexts = 1 + random.nextInt(3);
        int tags = 1 + random.nextInt(3);
        int arrivals = 1 + random.nextInt(9);
        for (int step = 0; step < 120; step++) {
            int action = random.nextInt(10);
            if (action < arrivals / 2 + 2) {
                arrive(mailbox, model, random, contexts, tags, ledger);
            } else if (random.nextInt(4) > 0) {
                ask(mailbox, model, random, contexts, tags, step);
            } else {
                takeBack(mailbox, model, random, contexts);
            }
            if (random.nextInt(20) == 0) {
                pushAll(mailbox, model, random.nextInt(contexts));
            }
            if (random.nextInt(400) == 0) {
                mailbox.forgetReceives();
                model.receives.clear();
                model.probes.clear();
            }
            assertThat(mailbox.unexpected()).isEqualTo(model.unexpected.size());
            assertThat(mailbox.posted()).isEqualTo(model.receives.size() + model.probes.size());
        }
        List<Message> drained = new ArrayList<>();
        mailbox.drain(drained::add);
        assertThat(drained).containsExactlyInAnyOrderElementsOf(model.unexpected);
        drained.forEach(Message::release);
        assertThat(mailbox.unexpected()).isZero();
        assertThat(ledger.open()).isZero();
    }

    private static void arrive(
            Mailbox mailbox, Model model, Random random, int contexts, int tags, ParcelLedger ledger) {
        int context = random.nextInt(contexts);
        int source = random.nextInt(RANKS);
        long last = model.last.getOrDefault(new Model.Channel(context, source), 0L);
        assertThat(mailbox.lastSequence(context, source)).isEqualTo(last);
        long sequence = last + (random.nextInt(5) == 0 ? random.nextInt(4) - 1 : 1);
        Mailbox.Arrival expected = model.check(context, source, sequence);
        assertThat(mailbox.check(context, source, sequence)).isEqualTo(expected);
        if (expected != Mailbox.Arrival.ACCEPTED) {
            return;
        }
        FrameType form = random.nextBoolean() ? FrameType.OFFER : FrameType.SEND;
        var bytes = new Frames(1).message(form, context, source, 0, random.nextInt(tags), sequence, 0);
        Message message = Message.of(new FrameView().wrap(bytes, 0), new TestParcel(ledger, bytes));
        mailbox.accept(message, mailbox.matchFor(message.context(), message.source(), message.tag()));
        Integer taken = model.accept(message);
        assertThat(message.receive() == null ? null : (Integer) message.receive().request()).isEqualTo(taken);
        if (taken == null) {
            List<Integer> answered = new ArrayList<>();
            for (Receive probe = mailbox.takeProbe(message); probe != null; probe = mailbox.takeProbe(message)) {
                answered.add(probe.request());
            }
            assertThat(answered).isEqualTo(model.probesFor(message));
        } else {
            message.release();
        }
    }

    private static void pushAll(Mailbox mailbox, Model model, int context) {
        boolean probed = model.probes.stream().anyMatch(probe -> probe.context() == context);
        assertThat(mailbox.hasProbes(context)).isEqualTo(probed);
        for (Message expected : model.takeAll(context)) {
            Message first = mailbox.find(context, Wire.ANY, Wire.ANY);
            assertThat(first).isSameAs(expected);
            mailbox.push(first);
            assertThat(first.isPushed()).isTrue();
            first.release();
        }
        assertThat(mailbox.find(context, Wire.ANY, Wire.ANY)).isNull();
    }

    private static void takeBack(Mailbox mailbox, Model model, Random random, int contexts) {
        if (!model.receives.isEmpty() && random.nextBoolean()) {
            Model.Posted receive = model.receives.get(random.nextInt(model.receives.size()));
            assertThat(mailbox.cancel(receive.context(), receive.source(), receive.request())).isTrue();
            assertThat(model.cancel(receive.request())).isTrue();
            assertThat(mailbox.cancel(receive.context(), receive.source(), receive.request())).as("twice").isFalse();
            return;
        }
        int context = random.nextInt(contexts);
        int source = random.nextInt(RANKS);
        long sequence = 1 + random.nextInt(8);
        Message taken = mailbox.takeOffer(context, source, sequence);
        assertThat(taken).isSameAs(model.takeOffer(context, source, sequence));
        if (taken != null) {
            taken.release();
        }
    }

    private static void ask(Mailbox mailbox, Model model, Random random, int contexts, int tags, int request) {
        int context = random.nextInt(contexts);
        int source = random.nextInt(3) == 0 ? Wire.ANY : random.nextInt(RANKS);
        int tag = random.nextInt(3) == 0 ? Wire.ANY : random.nextInt(tags);
        Model.Posted pattern = new Model.Posted(context, source, tag, request);
        assertThat(mailbox.find(context, source, tag)).isSameAs(model.find(pattern));
        int kind = random.nextInt(4);
        if (kind == 0) {
            if (model.find(pattern) == null) {
                mailbox.postProbe(Receive.of(context, source, tag, request));
                model.probes.add(pattern);
            }
            return;
        }
        Message expected = model.post(pattern);
        Message found = mailbox.post(Receive.of(context, source, tag, request), random.nextInt(1_000));
        assertThat(found).isSameAs(expected);
        if (found != null) {
            assertThat(found.receive().request()).isEqualTo(request);
            found.release();
        }
    }

    @Test
    void aContextThatIsOneTooManyMayNotBeUsed() {
        Mailbox mailbox = new Mailbox(1);
        for (int context = 0; context < Mailbox.CONTEXTS_MAX; context++) {
            assertThat(mailbox.mayUse(context, 0)).isTrue();
            mailbox.restore(context, 0, 1);
        }
        assertThat(mailbox.mayUse(Mailbox.CONTEXTS_MAX, Wire.ANY)).isFalse();
        assertThat(mailbox.mayUse(Mailbox.CONTEXTS_MAX - 1, 0)).isTrue();
        assertThat(mailbox.used()).startsWith(Mailbox.CONTEXTS_MAX + " contexts and " + Mailbox.CONTEXTS_MAX + " channels");
    }

    @Test
    void aReceiveWaitsForTheSourceThatItNames() {
        Mailbox mailbox = new Mailbox(RANKS);
        mailbox.post(Receive.of(0, Wire.ANY, 5, 1), 0);
        assertThat(mailbox.waitsForAny(source -> true)).isFalse();
        mailbox.post(Receive.of(0, RANKS - 1, 5, 2), 0);
        assertThat(mailbox.waitsForAny(source -> source == RANKS - 1)).isTrue();
        assertThat(mailbox.waitsForAny(source -> source != RANKS - 1)).isFalse();
    }
}
