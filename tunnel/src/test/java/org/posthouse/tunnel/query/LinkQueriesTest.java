package org.posthouse.tunnel.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.posthouse.tunnel.stream.StreamConfig;
import org.posthouse.tunnel.stream.StreamLinks;
import org.posthouse.tunnel.stream.Streams;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.WireException;

/** Two relays and the link between them, in memory and without a clock. */
class LinkQueriesTest {
    private final End here = new End("here");
    private final End there = new End("there");
    private final List<String> asked = new ArrayList<>();

    @BeforeEach
    void join() {
        here.other = there;
        there.other = here;
        up();
    }

    private void up() {
        here.streams.onUp("there");
        there.streams.onUp("here");
    }

    @Test
    void answersWithTheBytesOfTheResponder() throws Exception {
        byte[] answer = new byte[3_000_000];
        new Random(1).nextBytes(answer);
        there.queries.answerWith((relay, query) -> {
            asked.add(relay + " " + query);
            return Future.succeededFuture(answer);
        });
        Future<byte[]> first = here.queries.ask("there", "status");
        Future<byte[]> empty = here.queries.ask("there", "other");
        carry();
        assertThat(first.result()).isEqualTo(answer);
        assertThat(empty.succeeded()).isTrue();
        assertThat(asked).containsExactly("here status", "here other");
        assertThat(here.streams.statusOf("there").open()).as("no stream is left").isZero();
        assertThat(there.streams.statusOf("here").open()).isZero();
    }

    @Test
    void anEmptyAnswerIsAnAnswer() throws Exception {
        there.queries.answerWith((relay, query) -> Future.succeededFuture(new byte[0]));
        Future<byte[]> answer = here.queries.ask("there", "status");
        carry();
        assertThat(answer.result()).isEmpty();
    }

    @Test
    void aResponderMayAnswerLater() throws Exception {
        Promise<byte[]> later = Promise.promise();
        there.queries.answerWith((relay, query) -> later.future());
        Future<byte[]> answer = here.queries.ask("there", "status");
        carry();
        assertThat(answer.isComplete()).isFalse();
        later.complete(new byte[] {7});
        carry();
        assertThat(answer.result()).containsExactly(7);
    }

    @Test
    void failsWithTheRespondersReason() throws Exception {
        there.queries.answerWith((relay, query) -> Future.failedFuture(new IOException("no job 42 is known here")));
        Future<byte[]> answer = here.queries.ask("there", "matrix 42");
        carry();
        assertThat(answer.cause()).hasMessage("no job 42 is known here");
    }

    @Test
    void failsAtOnceWithoutALink() {
        here.streams.onDown("there");
        assertThat(here.queries.ask("there", "status").cause()).hasMessage("the link to relay there is not up");
    }

    @Test
    void failsWhenTheLinkBreaks() throws Exception {
        there.queries.answerWith((relay, query) -> Promise.<byte[]>promise().future());
        Future<byte[]> answer = here.queries.ask("there", "status");
        carry();
        here.streams.onDown("there");
        assertThat(answer.cause()).hasMessage("the link to relay there is down");
    }

    @Test
    void failsWhenTheOtherRelayIsSilent() throws Exception {
        there.queries.answerWith((relay, query) -> Promise.<byte[]>promise().future());
        Future<byte[]> answer = here.queries.ask("there", "status");
        carry();
        here.timers.forEach(Runnable::run);
        assertThat(answer.cause()).hasMessage("relay there has not answered for 10 s");
        carry();
        assertThat(there.streams.statusOf("here").open()).isZero();
    }

    @Test
    void refusesAnAnswerThatIsTooLong() throws Exception {
        there.queries.answerWith((relay, query) -> Future.succeededFuture(new byte[LinkQueries.ANSWER_BYTES_MAX + 1]));
        Future<byte[]> answer = here.queries.ask("there", "status");
        carry();
        assertThat(answer.cause()).hasMessage("the answer has 8388609 bytes, expected at most 8388608");
    }

    @Test
    void refusesQuestionsBeyondTheLimit() throws Exception {
        there.queries.answerWith((relay, query) -> Promise.<byte[]>promise().future());
        for (int question = 0; question < 16; question++) {
            here.queries.ask("there", "status");
        }
        Future<byte[]> more = here.queries.ask("there", "status");
        carry();
        assertThat(more.cause()).hasMessage("16 questions of other relays are being answered, the limit");
    }

    @Test
    void passesOtherStreamsOn() throws Exception {
        assertThatThrownBy(() -> {
            there.streams.open("here", "web", new ReceivedAnswer(Promise.promise()));
            carry();
        }).hasMessage("asked for door web");
    }

    /** Carries frames both ways until none is left. */
    private void carry() throws WireException {
        while (!here.wire.isEmpty() || !there.wire.isEmpty()) {
            here.deliver();
            there.deliver();
        }
    }

    /** One relay's end. */
    private static final class End implements StreamLinks {
        private final String own;
        private final Streams streams;
        private final LinkQueries queries;
        private final Queue<ByteBuf> wire = new ArrayDeque<>();
        private final List<Runnable> timers = new ArrayList<>();
        private End other;

        private End(String own) {
            this.own = own;
            streams = new Streams(own, this, StreamConfig.DEFAULT);
            queries = new LinkQueries(streams, this, (stream, door) -> {
                throw new AssertionError("asked for door " + door);
            });
            streams.lead(queries);
        }

        private void deliver() throws WireException {
            ByteBuf frame = wire.poll();
            if (frame != null) {
                FrameView view = new FrameView().wrap(frame.nioBuffer(), 0);
                view.checkHeader(frame.readableBytes());
                other.streams.onFrame(own, frame, frame.readerIndex(), frame.readableBytes(), view);
                frame.release();
                streams.onAcknowledged(other.own, 1);
            }
        }

        @Override
        public boolean send(String relay, ByteBuf frame) {
            return wire.add(frame);
        }

        @Override
        public boolean takesStreams(String relay) {
            return true;
        }

        @Override
        public ScheduledFuture<?> after(long ms, Runnable task) {
            if (ms > 1_000) { // Else it is the streams' own, for idle tokens.
                timers.add(task);
            }
            return new EmbeddedChannel().eventLoop().schedule(task, ms, TimeUnit.MILLISECONDS); // It never runs by itself.
        }
    }
}
