package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.posthouse.mpj.ScriptedRelay.clear;
import static org.posthouse.mpj.ScriptedRelay.delivered;
import static org.posthouse.mpj.ScriptedRelay.view;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Plain;
import org.posthouse.mpj.match.Inbox;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.SendMode;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.mpj.send.SendBacklog;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Hello;

/** Of more than a relay takes at once the rest waits in its rank, and goes on in its order. */
@Timeout(600)
final class BacklogTest extends OneRank {
    private static final int CONTEXT = 0;
    private static final int OFFERS = SendBacklog.OFFERS_SHARED;
    private static final int MORE = 1_000;

    BacklogTest() throws Exception {}

    private void connect(boolean logged) throws Exception {
        connect(Hello.firstStart(ScriptedRelay.JOB, 0), Settings.DEFAULT, ScriptedRelay.welcome(1, logged, 0, 0));
    }

    private Operation offer(int destination) {
        return endpoint.send(CONTEXT, destination, TAG, Plain.content(Base.BYTE, new byte[0], 0, 0), SendMode.SYNCHRONOUS);
    }

    private List<Operation> offers(int count) {
        List<Operation> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(offer(2));
        }
        return all;
    }

    private ByteBuffer hearOffer(int destination, long sequence) throws Exception {
        ByteBuffer offer = hearNext();
        assertThat(view(offer).type()).isEqualTo(FrameType.OFFER);
        assertThat(view(offer).destination()).isEqualTo(destination);
        assertThat(view(offer).sequence()).isEqualTo(sequence);
        return offer;
    }

    private List<ByteBuffer> hearOffers() throws Exception {
        List<ByteBuffer> heard = new ArrayList<>();
        for (int i = 1; i <= OFFERS; i++) {
            heard.add(hearOffer(2, i));
        }
        return heard;
    }

    /** And keeps nobody else waiting: another channel has a place of its own. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sendsWaitInTheirRankWhileTheRelayHasManyOffersOfIt(boolean logged) throws Exception {
        connect(logged);
        CompletableFuture<Void> all = start(() -> {
            List<Operation> sends = offers(OFFERS + MORE);
            sends.add(offer(1));
            endpoint.awaitAll(sends.toArray(new Operation[0]), "Waitall");
            return null;
        });
        List<ByteBuffer> heard = hearOffers();
        ByteBuffer other = hearOffer(1, 1);
        if (logged) {
            line.say(ScriptedRelay.ack(OFFERS + 1, OFFERS + 1));
        }
        line.say(clear(other, 0));
        for (ByteBuffer offer : heard) {
            line.say(clear(offer, 0));
        }
        for (int i = 1; i <= MORE; i++) {
            line.say(clear(hearOffer(2, OFFERS + i), 0));
        }
        all.get();
    }

    /** A program that only sends reads nothing else. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void creditThatHasComeIsReadBeforeAMessageIsOffered(boolean logged) throws Exception {
        connect(logged);
        message();
        message();
        assertThat(view(hearNext()).type()).isEqualTo(FrameType.SEND);
        assertThat(view(hearNext()).type()).isEqualTo(FrameType.SEND);
        line.say(ScriptedRelay.credit(1 << 10, 1));
        assertThat(message().isDone()).isTrue();
        assertThat(view(hearNext()).type()).isEqualTo(FrameType.SEND);
        assertThat(message().isDone()).isFalse();
        hearOffer(2, 4);
    }

    private Operation message() {
        return endpoint.send(CONTEXT, 2, TAG, Plain.content(Base.BYTE, new byte[1], 0, 1), SendMode.STANDARD);
    }

    /** What has not begun leaves no gap among the numbers; another process of a logged rank might have begun it, and would not know. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSendThatWaitsIsTakenBackWhereNobodyHasItsNumber(boolean logged) throws Exception {
        connect(logged);
        CompletableFuture<Boolean> cancelled = start(() -> {
            List<Operation> sends = offers(OFFERS + 2);
            boolean gone = endpoint.cancel(sends.get(OFFERS));
            endpoint.await(sends.get(OFFERS + 1), "Wait");
            return gone;
        });
        List<ByteBuffer> heard = hearOffers();
        line.say(clear(heard.get(0), 0), clear(heard.get(1), 0));
        if (logged) {
            line.hear(FrameType.EVENTS);
            line.say(clear(hearOffer(2, OFFERS + 1), 0), clear(hearOffer(2, OFFERS + 2), 0));
        } else {
            line.say(clear(hearOffer(2, OFFERS + 1), 0));
        }
        assertThat(cancelled.get()).isEqualTo(!logged);
    }

    @Test
    @Tag("long")
    void receivesWaitInTheirRankWhileManyArePosted() throws Exception {
        connect(false);
        CompletableFuture<Void> all = start(() -> {
            List<Operation> receives = new ArrayList<>();
            for (int i = 0; i < Inbox.POSTED_SHARED + MORE; i++) {
                receives.add(receive(CONTEXT));
            }
            receives.add(receive(CONTEXT + 1));
            assertThat(endpoint.tryProbe(CONTEXT, 1, TAG)).as("what a receive before it may get").isNull();
            endpoint.awaitAll(receives.toArray(new Operation[0]), "Waitall");
            return null;
        });
        List<ByteBuffer> posts = new ArrayList<>();
        for (int i = 0; i < Inbox.POSTED_SHARED; i++) {
            posts.add(hearNext());
        }
        ByteBuffer other = hearNext();
        assertThat(view(other).context()).isEqualTo(CONTEXT + 1);
        line.say(delivered(other, 1, new byte[0], 0));
        long sequence = 0;
        for (ByteBuffer post : posts) {
            line.say(delivered(post, ++sequence, new byte[0], 0));
        }
        for (int i = 0; i < MORE; i++) {
            ByteBuffer post = hearNext();
            assertThat(view(post).ordinal()).isEqualTo(sequence + 1);
            line.say(delivered(post, ++sequence, new byte[0], 0));
        }
        all.get();
    }

    /** On a busy machine the rank says meanwhile where it waits. */
    private ByteBuffer hearNext() throws Exception {
        ByteBuffer frame = line.hearAny();
        return view(frame).type() == FrameType.BLOCKED ? hearNext() : frame;
    }

    private Operation receive(int context) {
        return endpoint.receive(context, 1, TAG, Plain.sink(Base.BYTE, new byte[0], 0, 0));
    }
}
