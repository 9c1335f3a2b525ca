package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** What waits in a rank, against a model that is slow and obvious; and when a context is opened, and how wide. */
final class AheadTest {
    private static final int SOURCES = 4;

    private static final class Sunk implements Sink {
        private int id = -1;

        @Override
        public void begin(Envelope envelope) {}

        @Override
        public void read(long offset, ByteBuffer bytes) {
            id = bytes.getInt();
        }

        @Override
        public void end() {}
    }

    private record Call(Receiving receiving, Sunk sunk) {}

    private record Came(Envelope envelope, int id) {
        boolean isFor(Receiving receiving) {
            return (receiving.source == Wire.ANY || receiving.source == envelope.source())
                    && (receiving.tag == Wire.ANY || receiving.tag == envelope.tag());
        }
    }

    @Test
    void messagesAndReceivesMeetAsInTwoLists() throws WireException {
        for (long seed = 1; seed <= 3_000; seed++) {
            runScript(seed);
        }
    }

    private static void runScript(long seed) throws WireException {
        Random random = new Random(seed);
        Ahead ahead = new Ahead(3);
        ahead.open();
        List<Call> waiting = new ArrayList<>();
        List<Came> early = new ArrayList<>();
        int arrivals = 1 + random.nextInt(9);
        int tags = 1 + random.nextInt(3);
        for (int step = 1; step < 150; step++) {
            if (random.nextInt(10) < arrivals) {
                arrive(ahead, new Came(envelope(random.nextInt(SOURCES), random.nextInt(tags), 4), step), waiting, early);
            } else {
                int source = random.nextInt(3) == 0 ? Wire.ANY : random.nextInt(SOURCES);
                int tag = random.nextInt(3) == 0 ? Wire.ANY : random.nextInt(tags);
                Sunk sunk = new Sunk();
                Call call = new Call(new Receiving(3, source, tag, sunk), sunk);
                call.receiving.called(step);
                call(ahead, call, waiting, early);
            }
            assertThat(ahead.waiting()).as("seed %s", seed).isEqualTo(waiting.stream().map(Call::receiving).toList());
        }
    }

    private static void arrive(Ahead ahead, Came came, List<Call> waiting, List<Came> early) throws WireException {
        Call expected = waiting.stream().filter(call -> came.isFor(call.receiving)).findFirst().orElse(null);
        Receiving receiving = ahead.came(came.envelope);
        assertThat(receiving).isSameAs(expected == null ? null : expected.receiving);
        if (expected == null) {
            ahead.keep(came.envelope, ByteBuffer.allocate(4).putInt(came.id).flip(), came.id, 0);
            early.add(came);
        } else {
            waiting.remove(expected);
        }
    }

    private static void call(Ahead ahead, Call call, List<Call> waiting, List<Came> early) {
        Came expected = early.stream().filter(came -> came.isFor(call.receiving)).findFirst().orElse(null);
        assertThat(ahead.find(call.receiving.source, call.receiving.tag)).isSameAs(expected == null ? null : expected.envelope);
        Ahead.Message message = ahead.take(call.receiving.source, call.receiving.tag, Long.MAX_VALUE);
        if (expected == null) {
            assertThat(message).isNull();
            ahead.await(call.receiving);
            waiting.add(call);
        } else {
            message.passTo(call.receiving);
            assertThat(call.receiving.isDone()).isTrue();
            assertThat(call.receiving.delivery()).isEqualTo(expected.id);
            assertThat(Integer.reverseBytes(call.sunk.id)).isEqualTo(expected.id);
            early.remove(expected);
        }
    }

    private static Envelope envelope(int source, int tag, int bytes) {
        return new Envelope(source, tag, bytes, bytes, 1);
    }

    private static void push(Ahead ahead, int bytes) throws WireException {
        assertThat(ahead.came(envelope(0, 0, bytes))).isNull();
        ahead.keep(envelope(0, 0, bytes), ByteBuffer.allocate(bytes), 1, 0);
    }

    @Test
    void itIsOpenedBehindTwoShortMessagesInARow() {
        Ahead ahead = new Ahead(3);
        ahead.delivered(true, 10);
        ahead.delivered(false, 10);
        ahead.delivered(true, 10);
        assertThat(ahead.wantsToOpen()).isFalse();
        ahead.delivered(true, 10);
        assertThat(ahead.wantsToOpen()).isTrue();
        assertThat(ahead.open()).isEqualTo(Ahead.WINDOW_COST);
        assertThat(ahead.round()).isEqualTo(1);
        ahead.delivered(true, 10);
        assertThat(ahead.wantsToOpen()).as("it is").isFalse();
    }

    @Test
    void messagesThatAreNotPushedMakeItWaitTwiceAsLong() throws WireException {
        Ahead ahead = new Ahead(3);
        int needed = 2;
        for (int round = 1; round < 14; round++) {
            for (int message = 0; message < needed; message++) {
                assertThat(ahead.wantsToOpen()).isFalse();
                ahead.delivered(true, 10);
            }
            assertThat(ahead.wantsToOpen()).isTrue();
            ahead.open();
            ahead.ended(round, 0, Ahead.NOT_PUSHED);
            needed = Math.min(2 * needed, 1_024);
        }
        for (int message = 0; message < 1_024; message++) {
            ahead.delivered(true, 10);
        }
        ahead.open();
        for (int message = 0; message < 1_024; message++) {
            push(ahead, 0);
            ahead.take(Wire.ANY, Wire.ANY, 0);
            ahead.more();
        }
        ahead.ended(14, 1_024 * Wire.cost(0), Ahead.BOUND);
        ahead.delivered(true, 10);
        ahead.delivered(true, 10);
        assertThat(ahead.wantsToOpen()).as("short ones have come for long").isTrue();
    }

    @Test
    void moreIsGrantedWhenHalfIsReceived() throws WireException {
        Ahead ahead = new Ahead(3);
        ahead.open();
        int half = Ahead.WINDOW_COST / 2;
        long cost = Wire.cost(256);
        for (int sent = 0; sent < half / cost; sent++) {
            assertThat(ahead.wantsMore()).isFalse();
            push(ahead, 256);
            ahead.take(0, 0, 0);
        }
        assertThat(ahead.wantsMore()).isTrue();
        assertThat(ahead.more()).isEqualTo(half + Ahead.WINDOW_COST);
        assertThat(ahead.wantsMore()).isFalse();
    }

    @Test
    void itIsOpenedWideWhereLongMessagesCome() throws WireException {
        Ahead ahead = new Ahead(3);
        ahead.delivered(true, 65_536);
        ahead.delivered(true, 10);
        assertThat(ahead.heldIfOpen()).isEqualTo(Ahead.WIDE_COST);
        assertThat(ahead.open()).isEqualTo(Ahead.WIDE_COST);
        Ahead other = new Ahead(3);
        other.delivered(false, 1 << 20);
        assertThat(other.open()).as("long ones that are not pushed do not count").isEqualTo(Ahead.WINDOW_COST);
        push(other, 65_536);
        other.take(0, 0, 0);
        assertThat(other.wantsWider()).isTrue();
        other.widen();
        assertThat(other.wantsMore()).isTrue();
        assertThat(other.more()).isEqualTo(Ahead.WIDE_COST + Wire.cost(65_536));
        assertThat(other.held()).isEqualTo(Ahead.WIDE_COST);
    }

    @Test
    void aRoundOfFewLongMessagesMakesItWaitTwiceAsLong() throws WireException {
        Ahead ahead = new Ahead(3);
        ahead.delivered(true, 65_536);
        ahead.open();
        for (int sent = 0; sent < 15; sent++) {
            receive(ahead, 65_536, sent % 2 == 0);
        }
        assertThat(ahead.isLate()).isFalse();
        ahead.ended(1, 15 * Wire.cost(65_536), Ahead.BOUND);
        ahead.delivered(true, 65_536);
        ahead.delivered(true, 65_536);
        assertThat(ahead.wantsToOpen()).isFalse();
        ahead.delivered(true, 65_536);
        ahead.delivered(true, 65_536);
        assertThat(ahead.wantsToOpen()).isTrue();
    }

    private static void receive(Ahead ahead, int bytes, boolean waits) throws WireException {
        Receiving receiving = new Receiving(3, 0, 0, new Sunk());
        receiving.called(1);
        if (waits) {
            ahead.await(receiving);
            assertThat(ahead.receiver(0, 0)).isSameAs(receiving);
            assertThat(ahead.came(envelope(0, 0, bytes))).isSameAs(receiving);
        } else {
            push(ahead, bytes);
            ahead.take(0, 0, 0);
        }
    }

    @Test
    void longMessagesThatComeBeforeTheirReceivesMakeItLate() throws WireException {
        Ahead ahead = new Ahead(3);
        ahead.open();
        for (int sent = 0; sent < 100; sent++) {
            receive(ahead, 10, false);
            receive(ahead, 10_000, true);
            ahead.more();
        }
        for (int sent = 0; sent < 8; sent++) {
            assertThat(ahead.isLate()).isFalse();
            receive(ahead, 10_000, false);
        }
        assertThat(ahead.isLate()).isTrue();
        long cost = 100 * (Wire.cost(10) + Wire.cost(10_000)) + 8 * Wire.cost(10_000);
        ahead.ended(1, cost, 1);
        ahead.delivered(true, 10);
        ahead.delivered(true, 10);
        assertThat(ahead.wantsToOpen()).isFalse();
    }

    /** Else the round would end at once, over and over. */
    @Test
    void itIsNotOpenedBeforeWhatHasComeIsReceived() throws WireException {
        Ahead ahead = new Ahead(3);
        ahead.open();
        int many = (int) (Ahead.WINDOW_COST / Wire.cost(0));
        for (int sent = 0; sent < many; sent++) {
            push(ahead, 0);
        }
        assertThatExceptionOfType(WireException.class).isThrownBy(() -> push(ahead, 0)).withMessageContaining("pushed in context 3");
        Ahead full = filled(many);
        full.ended(1, many * Wire.cost(0), Ahead.BOUND);
        full.delivered(true, 10);
        full.delivered(true, 10);
        assertThat(full.wantsToOpen()).isFalse();
        for (int taken = 0; taken < many / 2; taken++) {
            full.take(0, 0, 0);
        }
        assertThat(full.wantsToOpen()).isTrue();
        assertThat(full.open()).isEqualTo(Ahead.WINDOW_COST * 3 / 2);
    }

    private static Ahead filled(int many) throws WireException {
        Ahead ahead = new Ahead(3);
        ahead.open();
        for (int sent = 0; sent < many; sent++) {
            push(ahead, 0);
        }
        return ahead;
    }

    @Test
    void whatTheRelayMayNotSayIsRefused() throws WireException {
        Ahead ahead = new Ahead(3);
        refuses(() -> new Ahead(3).came(envelope(0, 0, 0)));
        refuses(() -> new Ahead(3).ended(0, 0, Ahead.BOUND));
        ahead.open();
        assertThat(ahead.end()).isTrue();
        assertThat(ahead.end()).as("it is said once").isFalse();
        refuses(() -> ahead.ended(2, 0, Ahead.BOUND));
        refuses(() -> ahead.ended(1, 256, Ahead.BOUND));
        ahead.ended(1, 0, Ahead.BOUND);
        refuses(() -> ahead.ended(1, 0, Ahead.BOUND));
        Ahead other = new Ahead(3);
        other.open();
    }

    private interface Breach {
        void run() throws WireException;
    }

    private static void refuses(Breach breach) {
        assertThatExceptionOfType(WireException.class).isThrownBy(breach::run);
    }
}
