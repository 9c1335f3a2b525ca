package org.posthouse.mpj.match;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.PostedReceive;
import org.posthouse.mpj.operation.Sink;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** What waits in a rank, against a model that is slow and obvious; and when a context is opened, and how wide. */
final class LocalMatchContextTest {
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

    private record Call(PostedReceive receiving, Sunk sunk) {}

    private record Came(Envelope envelope, int id) {
        boolean isFor(PostedReceive receiving) {
            return (receiving.source == Wire.ANY || receiving.source == envelope.source())
                    && (receiving.tag == Wire.ANY || receiving.tag == envelope.tag());
        }
    }

    @Test
    void messagesAndReceivesMeetAsInTwoLists() throws WireException {
        for (long seed = 1; seed <= (Boolean.getBoolean("posthouse.long") ? 3_000 : 1_500); seed++) {
            runScript(seed);
        }
    }

    private static void runScript(long seed) throws WireException {
        Random random = new Random(seed);
        LocalMatchContext localMatchContext = new LocalMatchContext(3);
        localMatchContext.open();
        List<Call> waiting = new ArrayList<>();
        List<Came> early = new ArrayList<>();
        int arrivals = 1 + random.nextInt(9);
        int tags = 1 + random.nextInt(3);
        for (int step = 1; step < 150; step++) {
            if (random.nextInt(10) < arrivals) {
                arrive(localMatchContext, new Came(envelope(random.nextInt(SOURCES), random.nextInt(tags), 4), step), waiting, early);
            } else {
                int source = random.nextInt(3) == 0 ? Wire.ANY : random.nextInt(SOURCES);
                int tag = random.nextInt(3) == 0 ? Wire.ANY : random.nextInt(tags);
                Sunk sunk = new Sunk();
                Call call = new Call(new PostedReceive(3, source, tag, sunk), sunk);
                call.receiving.called(step);
                call(localMatchContext, call, waiting, early);
            }
            assertThat(localMatchContext.waiting()).as("seed %s", seed).isEqualTo(waiting.stream().map(Call::receiving).toList());
        }
    }

    private static void arrive(LocalMatchContext localMatchContext, Came came, List<Call> waiting, List<Came> early) throws WireException {
        Call expected = waiting.stream().filter(call -> came.isFor(call.receiving)).findFirst().orElse(null);
        PostedReceive receiving = localMatchContext.came(came.envelope);
        assertThat(receiving).isSameAs(expected == null ? null : expected.receiving);
        if (expected == null) {
            localMatchContext.keep(came.envelope, ByteBuffer.allocate(4).putInt(came.id).flip(), came.id, 0);
            early.add(came);
        } else {
            waiting.remove(expected);
        }
    }

    private static void call(LocalMatchContext localMatchContext, Call call, List<Call> waiting, List<Came> early) {
        Came expected = early.stream().filter(came -> came.isFor(call.receiving)).findFirst().orElse(null);
        assertThat(localMatchContext.find(call.receiving.source, call.receiving.tag)).isSameAs(expected == null ? null : expected.envelope);
        LocalMatchContext.Message message = localMatchContext.take(call.receiving.source, call.receiving.tag, Long.MAX_VALUE);
        if (expected == null) {
            assertThat(message).isNull();
            localMatchContext.await(call.receiving);
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

    private static void push(LocalMatchContext localMatchContext, int bytes) throws WireException {
        assertThat(localMatchContext.came(envelope(0, 0, bytes))).isNull();
        localMatchContext.keep(envelope(0, 0, bytes), ByteBuffer.allocate(bytes), 1, 0);
    }

    @Test
    void itIsOpenedBehindTwoShortMessagesInARow() {
        LocalMatchContext localMatchContext = new LocalMatchContext(3);
        localMatchContext.delivered(true, 10);
        localMatchContext.delivered(false, 10);
        localMatchContext.delivered(true, 10);
        assertThat(localMatchContext.wantsToOpen()).isFalse();
        localMatchContext.delivered(true, 10);
        assertThat(localMatchContext.wantsToOpen()).isTrue();
        assertThat(localMatchContext.open()).isEqualTo(LocalMatchContext.WINDOW_COST);
        assertThat(localMatchContext.round()).isEqualTo(1);
        localMatchContext.delivered(true, 10);
        assertThat(localMatchContext.wantsToOpen()).as("it is").isFalse();
    }

    @Test
    void messagesThatAreNotPushedMakeItWaitTwiceAsLong() throws WireException {
        LocalMatchContext localMatchContext = new LocalMatchContext(3);
        int needed = 2;
        for (int round = 1; round < 14; round++) {
            for (int message = 0; message < needed; message++) {
                assertThat(localMatchContext.wantsToOpen()).isFalse();
                localMatchContext.delivered(true, 10);
            }
            assertThat(localMatchContext.wantsToOpen()).isTrue();
            localMatchContext.open();
            localMatchContext.ended(round, 0, LocalMatchContext.NOT_PUSHED);
            needed = Math.min(2 * needed, 1_024);
        }
        for (int message = 0; message < 1_024; message++) {
            localMatchContext.delivered(true, 10);
        }
        localMatchContext.open();
        for (int message = 0; message < 1_024; message++) {
            push(localMatchContext, 0);
            localMatchContext.take(Wire.ANY, Wire.ANY, 0);
            localMatchContext.more();
        }
        localMatchContext.ended(14, 1_024 * Wire.cost(0), LocalMatchContext.BOUND);
        localMatchContext.delivered(true, 10);
        localMatchContext.delivered(true, 10);
        assertThat(localMatchContext.wantsToOpen()).as("short ones have come for long").isTrue();
    }

    @Test
    void moreIsGrantedWhenHalfIsReceived() throws WireException {
        LocalMatchContext localMatchContext = new LocalMatchContext(3);
        localMatchContext.open();
        int half = LocalMatchContext.WINDOW_COST / 2;
        long cost = Wire.cost(256);
        for (int sent = 0; sent < half / cost; sent++) {
            assertThat(localMatchContext.wantsMore()).isFalse();
            push(localMatchContext, 256);
            localMatchContext.take(0, 0, 0);
        }
        assertThat(localMatchContext.wantsMore()).isTrue();
        assertThat(localMatchContext.more()).isEqualTo(half + LocalMatchContext.WINDOW_COST);
        assertThat(localMatchContext.wantsMore()).isFalse();
    }

    @Test
    void itIsOpenedWideWhereLongMessagesCome() throws WireException {
        LocalMatchContext localMatchContext = new LocalMatchContext(3);
        localMatchContext.delivered(true, 65_536);
        localMatchContext.delivered(true, 10);
        assertThat(localMatchContext.heldIfOpen()).isEqualTo(LocalMatchContext.WIDE_COST);
        assertThat(localMatchContext.open()).isEqualTo(LocalMatchContext.WIDE_COST);
        LocalMatchContext other = new LocalMatchContext(3);
        other.delivered(false, 1 << 20);
        assertThat(other.open()).as("long ones that are not pushed do not count").isEqualTo(LocalMatchContext.WINDOW_COST);
        push(other, 65_536);
        other.take(0, 0, 0);
        assertThat(other.wantsWider()).isTrue();
        other.widen();
        assertThat(other.wantsMore()).isTrue();
        assertThat(other.more()).isEqualTo(LocalMatchContext.WIDE_COST + Wire.cost(65_536));
        assertThat(other.held()).isEqualTo(LocalMatchContext.WIDE_COST);
    }

    @Test
    void aRoundOfFewLongMessagesMakesItWaitTwiceAsLong() throws WireException {
        LocalMatchContext localMatchContext = new LocalMatchContext(3);
        localMatchContext.delivered(true, 65_536);
        localMatchContext.open();
        for (int sent = 0; sent < 15; sent++) {
            receive(localMatchContext, 65_536, sent % 2 == 0);
        }
        assertThat(localMatchContext.isLate()).isFalse();
        localMatchContext.ended(1, 15 * Wire.cost(65_536), LocalMatchContext.BOUND);
        localMatchContext.delivered(true, 65_536);
        localMatchContext.delivered(true, 65_536);
        assertThat(localMatchContext.wantsToOpen()).isFalse();
        localMatchContext.delivered(true, 65_536);
        localMatchContext.delivered(true, 65_536);
        assertThat(localMatchContext.wantsToOpen()).isTrue();
    }

    private static void receive(LocalMatchContext localMatchContext, int bytes, boolean waits) throws WireException {
        PostedReceive receiving = new PostedReceive(3, 0, 0, new Sunk());
        receiving.called(1);
        if (waits) {
            localMatchContext.await(receiving);
            assertThat(localMatchContext.receiver(0, 0)).isSameAs(receiving);
            assertThat(localMatchContext.came(envelope(0, 0, bytes))).isSameAs(receiving);
        } else {
            push(localMatchContext, bytes);
            localMatchContext.take(0, 0, 0);
        }
    }

    @Test
    void longMessagesThatComeBeforeTheirReceivesMakeItLate() throws WireException {
        LocalMatchContext localMatchContext = new LocalMatchContext(3);
        localMatchContext.open();
        for (int sent = 0; sent < 100; sent++) {
            receive(localMatchContext, 10, false);
            receive(localMatchContext, 10_000, true);
            localMatchContext.more();
        }
        for (int sent = 0; sent < 8; sent++) {
            assertThat(localMatchContext.isLate()).isFalse();
            receive(localMatchContext, 10_000, false);
        }
        assertThat(localMatchContext.isLate()).isTrue();
        long cost = 100 * (Wire.cost(10) + Wire.cost(10_000)) + 8 * Wire.cost(10_000);
        localMatchContext.ended(1, cost, 1);
        localMatchContext.delivered(true, 10);
        localMatchContext.delivered(true, 10);
        assertThat(localMatchContext.wantsToOpen()).isFalse();
    }

    /** Else the round would end at once, over and over. */
    @Test
    void contextReopensOnlyAfterHalfTheBacklogIsReceived() throws WireException {
        LocalMatchContext localMatchContext = new LocalMatchContext(3);
        localMatchContext.open();
        int many = (int) (LocalMatchContext.WINDOW_COST / Wire.cost(0));
        for (int sent = 0; sent < many; sent++) {
            push(localMatchContext, 0);
        }
        assertThatExceptionOfType(WireException.class).isThrownBy(() -> push(localMatchContext, 0)).withMessageContaining("pushed in context 3");
        LocalMatchContext full = filled(many);
        full.ended(1, many * Wire.cost(0), LocalMatchContext.BOUND);
        full.delivered(true, 10);
        full.delivered(true, 10);
        assertThat(full.wantsToOpen()).isFalse();
        for (int taken = 0; taken < many / 2; taken++) {
            full.take(0, 0, 0);
        }
        assertThat(full.wantsToOpen()).isTrue();
        assertThat(full.open()).isEqualTo(LocalMatchContext.WINDOW_COST * 3 / 2);
    }

    private static LocalMatchContext filled(int many) throws WireException {
        LocalMatchContext localMatchContext = new LocalMatchContext(3);
        localMatchContext.open();
        for (int sent = 0; sent < many; sent++) {
            push(localMatchContext, 0);
        }
        return localMatchContext;
    }

    @Test
    void refusesProtocolViolationsOfTheRelay() throws WireException {
        LocalMatchContext localMatchContext = new LocalMatchContext(3);
        refuses(() -> new LocalMatchContext(3).came(envelope(0, 0, 0)));
        refuses(() -> new LocalMatchContext(3).ended(0, 0, LocalMatchContext.BOUND));
        localMatchContext.open();
        assertThat(localMatchContext.end()).isTrue();
        assertThat(localMatchContext.end()).as("it is said once").isFalse();
        refuses(() -> localMatchContext.ended(2, 0, LocalMatchContext.BOUND));
        refuses(() -> localMatchContext.ended(1, 256, LocalMatchContext.BOUND));
        localMatchContext.ended(1, 0, LocalMatchContext.BOUND);
        refuses(() -> localMatchContext.ended(1, 0, LocalMatchContext.BOUND));
        LocalMatchContext other = new LocalMatchContext(3);
        other.open();
    }

    private interface Breach {
        void run() throws WireException;
    }

    private static void refuses(Breach breach) {
        assertThatExceptionOfType(WireException.class).isThrownBy(breach::run);
    }
}
