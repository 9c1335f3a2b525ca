package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** A rank that breaks the protocol is refused by name; the job and the other ranks go on. */
final class RankBreachTest {
    private final OneRelay relay;
    private OneRelay.Rank bad;
    private OneRelay.Rank good;

    RankBreachTest() throws Refusal {
        relay = new OneRelay();
    }

    @BeforeEach
    void connect() throws Refusal {
        bad = relay.connect(0);
        good = relay.connect(1);
    }

    /** After the breach, another rank still gets and sends messages, and nothing is left over. */
    @AfterEach
    void othersGoOn() throws Exception {
        assertThat(relay.failure()).isNull();
        OneRelay.Rank other = relay.connect(2);
        good.take();
        good.sends(relay.frames.post(9, 2, 1, 5, 77, 0));
        other.sends(relay.frames.message(FrameType.SEND, 9, 2, 1, 5, 1, 10));
        assertThat(good.take()).containsExactly("deliver #1 from 2 to request 77");
        relay.end();
    }

    private ByteBuffer send(int source, int destination, long sequence, long bytes) {
        return relay.frames.message(FrameType.SEND, 0, source, destination, 0, sequence, bytes);
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"SEND", "EAGER", "OFFER", "CHUNK", "POST", "PROBE", "CANCEL", "WITHDRAW", "FINALIZE", "POLLS", "AHEAD", "ABORT", "BLOCKED", "POINT",
                "REVOKE", "AGREE"})
    void refusesFramesThatRanksDoNotSend(FrameType type) {
        bad.isRefused(relay.frames.empty(type), CloseReason.NOT_EXPECTED);
    }

    @Test
    void refusesFrameOfAnotherJob() {
        bad.isRefused(new Frames(OneRelay.OTHER_JOB).post(0, 1, 0, 0, 0, 0), CloseReason.UNKNOWN_JOB);
    }

    @Test
    void refusesMessageInAnothersName() {
        bad.isRefused(send(1, 2, 1, 0), CloseReason.WRONG_RANK);
        bad.isRefused(relay.frames.chunk(0, 1, 2, 1, 0, 8), CloseReason.WRONG_RANK);
    }

    @Test
    void refusesReceiveAndProbeInAnothersName() {
        bad.isRefused(relay.frames.post(0, 2, 1, 0, 0, 0), CloseReason.WRONG_RANK);
        bad.isRefused(relay.frames.probe(true, 0, 2, 1, 0, 0, 0), CloseReason.WRONG_RANK);
        assertThat(good.rank.mailbox().posted()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 5, Integer.MAX_VALUE, Wire.ANY})
    void refusesDestinationOutsideTheJob(int destination) {
        bad.isRefused(send(0, destination, 1, 0), CloseReason.MALFORMED_FRAME);
        bad.isRefused(relay.frames.chunk(0, 0, destination, 1, 0, 8), CloseReason.WRONG_RANK);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 5, Integer.MIN_VALUE})
    void refusesPatternOutsideTheJob(int source) {
        bad.isRefused(relay.frames.post(0, source, 0, 0, 0, 0), CloseReason.MALFORMED_FRAME);
        bad.isRefused(relay.frames.probe(false, 0, source, 0, 0, 0, 0), CloseReason.MALFORMED_FRAME);
    }

    @Test
    void refusesWildcardAsTagOfMessage() {
        bad.isRefused(relay.frames.message(FrameType.SEND, 0, 0, 1, Wire.ANY, 1, 0), CloseReason.MALFORMED_FRAME);
    }

    @Test
    void refusesPayloadThatDoesNotFitItsForm() {
        ByteBuffer shorter = send(0, 1, 1, 10);
        new FrameView().wrap(shorter, 0).content(11, 1, 1);
        bad.isRefused(shorter, CloseReason.MALFORMED_FRAME);
        ByteBuffer longer = send(0, 1, 1, 10);
        new FrameView().wrap(longer, 0).content(9, 1, 1);
        bad.isRefused(longer, CloseReason.MALFORMED_FRAME);
        bad.isRefused(relay.frames.message(FrameType.EAGER, 0, 0, 1, 0, 1, 0), CloseReason.MALFORMED_FRAME);
        bad.isRefused(relay.frames.message(FrameType.OFFER, 0, 0, 1, 0, 1, -1), CloseReason.MALFORMED_FRAME);
    }

    @ParameterizedTest
    @ValueSource(longs = {Wire.MESSAGE_BYTES_MAX + 1, Long.MAX_VALUE})
    void refusesOfferOfMoreThanTheLongestMessage(long bytes) throws WireException {
        bad.isRefused(relay.frames.message(FrameType.OFFER, 0, 0, 1, 0, 1, bytes), CloseReason.LIMIT);
        bad.sends(relay.frames.message(FrameType.OFFER, 0, 0, 1, 0, 1, Wire.MESSAGE_BYTES_MAX));
    }

    /** What is remembered of where a message's pieces stand grows with them, not with what its sender says that it will be. */
    @Test
    void aLongMessageTakesNoMoreMemoryThanItsPieces() {
        Message message = Message.of(new Message.Logged(0, 0, 1, 0, 1, 1L << 50, 1, 1, FrameType.OFFER, false, 1, 1));
        for (int piece = 0; piece < 20; piece++) {
            message.loggedPiece(Wire.PAYLOAD_BYTES_MAX, 100 + piece);
        }
        for (int piece = 0; piece < 20; piece++) {
            assertThat(message.chunkPlace((long) piece * Wire.PAYLOAD_BYTES_MAX)).isEqualTo(100 + piece);
        }
    }

    /** So many bytes of events are 16 again where they are counted in 32 bits. */
    @Test
    void refusesMoreEventsThanItsFrameHas() throws Exception {
        OneRelay logged = OneRelay.logged();
        OneRelay.Rank rank = logged.connect(0);
        ByteBuffer events = logged.frames.events(1, 1);
        new FrameView().wrap(events, 0).events(1, 0x1000_0001, 0);
        events.put(Wire.EVENTS_HEADER_BYTES + Integer.BYTES, (byte) Wire.EVENT_LIMIT);
        rank.isRefused(events, CloseReason.MALFORMED_FRAME);
        assertThat(rank.rank.counters().events()).isZero();
        logged.end();
    }

    @ParameterizedTest
    @ValueSource(longs = {Wire.EAGER_BYTES_MAX + 1, Long.MAX_VALUE - 255, Long.MAX_VALUE})
    void refusesEagerMessageOfAnyLengthThatShouldBeOffered(long bytes) {
        bad.isRefused(relay.frames.message(FrameType.EAGER, 0, 0, 1, 0, 1, bytes), CloseReason.LIMIT);
        bad.isRefused(relay.frames.storable(0, 0, 1, 0, 1, bytes), CloseReason.LIMIT);
        assertThat(bad.rank.sends().creditBytesUsed()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void refusesGapInChannel(int destination) throws WireException {
        bad.sends(send(0, destination, 1, 0));
        bad.isRefused(send(0, destination, 3, 0), CloseReason.SEQUENCE_GAP);
    }

    @Test
    void dropsLocalDuplicateAndGivesItsCreditBack() throws WireException {
        bad.sends(send(0, 1, 1, 100));
        long used = bad.rank.sends().creditBytesUsed();
        for (int i = 0; i < 50; i++) {
            bad.sends(send(0, 1, 1, 100));
        }
        assertThat(bad.rank.sends().creditBytesUsed()).isEqualTo(used);
        assertThat(good.rank.mailbox().unexpected()).isEqualTo(1);
    }

    @Test
    void refusesDuplicateToAnotherSite() throws WireException {
        bad.sends(send(0, 3, 1, 0));
        bad.isRefused(send(0, 3, 1, 0), CloseReason.SEQUENCE_GAP);
        assertThat(relay.sites).containsExactly("forward there SEND 0->3 #1");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void refusesMoreMessagesThanGranted(int destination) throws WireException {
        for (int sequence = 1; sequence <= 16; sequence++) {
            bad.sends(send(0, destination, sequence, 0));
        }
        bad.isRefused(send(0, destination, 17, 0), CloseReason.CREDIT_EXCEEDED);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void refusesMoreBytesThanGranted(int destination) throws WireException {
        int bytes = Wire.EAGER_BYTES_MAX;
        for (int sequence = 1; sequence <= 2; sequence++) {
            bad.sends(relay.frames.message(FrameType.EAGER, 0, 0, destination, 0, sequence, bytes));
        }
        assertThat(bad.rank.sends().creditBytesUsed()).isEqualTo(relay.config.creditBytes());
        bad.isRefused(relay.frames.message(FrameType.EAGER, 0, 0, destination, 0, 3, 1), CloseReason.CREDIT_EXCEEDED);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void refusesChunksThatNobodyWaitsFor(int destination) throws WireException {
        bad.isRefused(relay.frames.chunk(0, 0, destination, 1, 0, 8), CloseReason.NOT_EXPECTED);
        bad.sends(relay.frames.message(FrameType.EAGER, 0, 0, destination, 0, 1, 100));
        bad.sends(relay.frames.chunk(0, 0, destination, 1, 0, 100));
        bad.isRefused(relay.frames.chunk(0, 0, destination, 1, 100, 8), CloseReason.NOT_EXPECTED);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void refusesChunksThatAreNotCleared(int destination) throws WireException {
        int window = 2 * Wire.PAYLOAD_BYTES_MAX;
        bad.sends(relay.frames.message(FrameType.OFFER, 0, 0, destination, 0, 1, 3L * Wire.PAYLOAD_BYTES_MAX));
        bad.isRefused(relay.frames.chunk(0, 0, destination, 1, 0, Wire.PAYLOAD_BYTES_MAX), CloseReason.CREDIT_EXCEEDED);
        if (destination == 1) {
            good.sends(relay.frames.post(0, 0, 1, 0, 4, 0));
        } else {
            relay.fromSite("there", relay.frames.clear(0, 0, 3, 1, window));
        }
        assertThat(bad.take()).containsExactly("clear ->" + destination + " #1 up to " + window);
        good.reads = false;
        bad.sends(relay.frames.chunk(0, 0, destination, 1, 0, Wire.PAYLOAD_BYTES_MAX));
        bad.sends(relay.frames.chunk(0, 0, destination, 1, Wire.PAYLOAD_BYTES_MAX, Wire.PAYLOAD_BYTES_MAX));
        bad.isRefused(relay.frames.chunk(0, 0, destination, 1, window, Wire.PAYLOAD_BYTES_MAX), CloseReason.CREDIT_EXCEEDED);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void refusesChunksOfOtherShape(int destination) throws WireException {
        int bytes = Wire.PAYLOAD_BYTES_MAX + 100;
        bad.sends(relay.frames.message(FrameType.EAGER, 0, 0, destination, 0, 1, bytes));
        bad.isRefused(relay.frames.chunk(0, 0, destination, 1, 8, Wire.PAYLOAD_BYTES_MAX), CloseReason.MALFORMED_FRAME);
        bad.isRefused(relay.frames.chunk(0, 0, destination, 1, -1, Wire.PAYLOAD_BYTES_MAX), CloseReason.MALFORMED_FRAME);
        bad.isRefused(relay.frames.chunk(0, 0, destination, 1, 0, 1), CloseReason.MALFORMED_FRAME);
        bad.sends(relay.frames.chunk(0, 0, destination, 1, 0, Wire.PAYLOAD_BYTES_MAX));
        bad.isRefused(relay.frames.chunk(0, 0, destination, 1, Wire.PAYLOAD_BYTES_MAX, 101), CloseReason.MALFORMED_FRAME);
        bad.isRefused(relay.frames.chunk(0, 0, destination, 1, Wire.PAYLOAD_BYTES_MAX, 99), CloseReason.MALFORMED_FRAME);
        bad.sends(relay.frames.chunk(0, 0, destination, 1, Wire.PAYLOAD_BYTES_MAX, 100));
    }

    /** Of several pieces, all of them whole but the message's last. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void takesChunksOfSeveralPieces(int destination) throws WireException {
        int bytes = 6 * Wire.PAYLOAD_BYTES_MAX + 100;
        bad.sends(relay.frames.message(FrameType.EAGER, 0, 0, destination, 0, 1, bytes));
        bad.isRefused(relay.frames.chunk(0, 0, destination, 1, 0, 3 * Wire.PAYLOAD_BYTES_MAX - 1), CloseReason.MALFORMED_FRAME);
        bad.sends(relay.frames.chunk(0, 0, destination, 1, 0, 3 * Wire.PAYLOAD_BYTES_MAX));
        bad.isRefused(relay.frames.chunk(0, 0, destination, 1, 0, 3 * Wire.PAYLOAD_BYTES_MAX), CloseReason.MALFORMED_FRAME);
        bad.sends(relay.frames.chunk(0, 0, destination, 1, 3 * Wire.PAYLOAD_BYTES_MAX, Wire.PAYLOAD_BYTES_MAX));
        bad.isRefused(relay.frames.chunk(0, 0, destination, 1, 4 * Wire.PAYLOAD_BYTES_MAX, 2 * Wire.PAYLOAD_BYTES_MAX + 101), CloseReason.MALFORMED_FRAME);
        bad.sends(relay.frames.chunk(0, 0, destination, 1, 4 * Wire.PAYLOAD_BYTES_MAX, 2 * Wire.PAYLOAD_BYTES_MAX + 100));
    }

    /** Its log has a record for each frame. */
    @Test
    void ofALoggedJobAChunkIsOnePiece() throws Exception {
        OneRelay logged = OneRelay.logged();
        OneRelay.Rank rank = logged.connect(0);
        rank.sends(logged.frames.message(FrameType.EAGER, 0, 0, 1, 0, 1, 2 * Wire.PAYLOAD_BYTES_MAX));
        rank.isRefused(logged.frames.chunk(0, 0, 1, 1, 0, 2 * Wire.PAYLOAD_BYTES_MAX), CloseReason.FRAME_TOO_LONG);
        rank.sends(logged.frames.chunk(0, 0, 1, 1, 0, Wire.PAYLOAD_BYTES_MAX));
        logged.end();
    }

    @Test
    void boundsTheReceivesThatWait() throws WireException {
        for (int request = 0; request < Mailbox.RECEIVES_MAX; request++) {
            bad.sends(request % 2 == 0
                    ? relay.frames.post(0, 1, 0, 0, request, 0)
                    : relay.frames.probe(true, 0, 1, 0, 0, request, 0));
        }
        bad.isRefused(relay.frames.post(0, 1, 0, 0, 1, 0), CloseReason.LIMIT);
        bad.isRefused(relay.frames.probe(true, 0, 1, 0, 0, 2, 0), CloseReason.LIMIT);
        bad.sends(relay.frames.probe(false, 0, 1, 0, 0, 3, 0));
        assertThat(bad.take()).containsExactly("probe 3 nothing");
    }

    /** What a mailbox keeps of a context stays until the job ends, so a rank that names ever new ones would take the relay's memory. */
    @Test
    void boundsTheContextsThatAreEverUsed() throws WireException {
        for (int context = 0; context < Mailbox.CONTEXTS_MAX; context++) {
            bad.sends(relay.frames.post(context, 1, 0, 0, 1, 0));
            bad.sends(relay.frames.cancel(context, 1, 0, 0, 1, 0));
        }
        bad.isRefused(relay.frames.post(Mailbox.CONTEXTS_MAX, 1, 0, 0, 1, 0), CloseReason.LIMIT);
        bad.isRefused(relay.frames.probe(true, -1, Wire.ANY, 0, 0, 2, 0), CloseReason.LIMIT);
        good.isRefused(relay.frames.message(FrameType.SEND, -1, 1, 0, 0, 1, 0), CloseReason.LIMIT);
        bad.sends(relay.frames.post(7, 2, 0, 0, 3, 0));
    }

    @Test
    void droppedFramesAndAnsweredProbesUseNoContext() throws WireException {
        for (int context = 0; context < 2 * Mailbox.CONTEXTS_MAX; context++) {
            bad.sends(relay.frames.message(FrameType.SEND, context, 0, 1, 0, 0, 0));
            good.sends(relay.frames.probe(false, context, 0, 1, 0, 1, 0));
        }
        good.sends(relay.frames.post(-1, 0, 1, 0, 3, 0));
        assertThat(good.take()).hasSize(2 * Mailbox.CONTEXTS_MAX);
    }

    @Test
    void refusesEverythingAfterFinalize() throws WireException {
        bad.sends(relay.frames.finalizing(3));
        assertThat(bad.take()).containsExactly("finalized");
        bad.isRefused(send(0, 1, 1, 0), CloseReason.NOT_EXPECTED);
        bad.isRefused(relay.frames.finalizing(0), CloseReason.NOT_EXPECTED);
    }
}
