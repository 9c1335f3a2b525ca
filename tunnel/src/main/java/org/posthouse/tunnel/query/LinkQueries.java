package org.posthouse.tunnel.query;

import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import org.posthouse.causes.Causes;
import org.posthouse.tunnel.stream.LinkStream;
import org.posthouse.tunnel.stream.StreamAcceptor;
import org.posthouse.tunnel.stream.StreamLinks;
import org.posthouse.tunnel.stream.Streams;
import org.posthouse.wire.CloseReason;

/**
 * Asks other relays, and answers them. Confined to the relay's context.
 *
 * <p>A question takes no more of the link than the first tokens of a stream: an answer waits for messages, and messages
 * never wait for an answer.
 */
public final class LinkQueries implements StreamAcceptor {
    /** Longest answer, in bytes: the status of 16,384 ranks is 4 MiB. */
    public static final int ANSWER_BYTES_MAX = 8 << 20;

    /** Longest question, in bytes of UTF-8. */
    public static final int QUERY_BYTES_MAX = 512;

    /** Longest wait for an answer. */
    private static final long ANSWER_MS_MAX = 10_000;

    /** Questions that are answered at a time; more are refused, so that forwarded ports keep their streams. */
    private static final int ANSWERS_MAX = 16;

    /** Begins the doors that are questions; no name of a forwarded port has a space. */
    private static final String DOOR = "query ";

    private final Streams streams;
    private final StreamLinks links;
    private final StreamAcceptor others;
    private QueryResponder responder = (relay, query) -> Future.failedFuture(new IOException("no console runs at this relay"));
    private int answering;

    /** @param others takes the streams that are no questions */
    public LinkQueries(Streams streams, StreamLinks links, StreamAcceptor others) {
        this.streams = streams;
        this.links = links;
        this.others = others;
    }

    /** Answers with {@code next} from now on. */
    public void answerWith(QueryResponder next) {
        responder = next;
    }

    /**
     * Asks another relay.
     *
     * @param query at most {@value #QUERY_BYTES_MAX} bytes
     * @return its answer, at most {@value #ANSWER_BYTES_MAX} bytes; fails with one line if the link is down, breaks or is
     *     silent for 10 s, or if the relay has no answer
     */
    public Future<byte[]> ask(String relay, String query) {
        Promise<byte[]> promise = Promise.promise();
        if (!streams.isUp(relay)) {
            promise.fail(new IOException("the link to relay " + relay + " is not up"));
            return promise.future();
        }
        ReceivedAnswer receiver = new ReceivedAnswer(promise);
        LinkStream stream = streams.open(relay, DOOR + query, receiver);
        if (stream != null) {
            receiver.join(stream);
            ScheduledFuture<?> timeout = links.after(ANSWER_MS_MAX, () -> receiver.giveUp("relay " + relay + " has not answered for 10 s"));
            promise.future().onComplete(done -> timeout.cancel(false));
        }
        return promise.future();
    }

    @Override
    public void onAsked(LinkStream stream, String door) {
        if (!door.startsWith(DOOR)) {
            others.onAsked(stream, door);
        } else if (answering == ANSWERS_MAX) {
            stream.end(CloseReason.LIMIT, ANSWERS_MAX + " questions of other relays are being answered, the limit");
        } else {
            answering++;
            responder.answer(stream.relay(), door.substring(DOOR.length())).onComplete(answer -> {
                answering--;
                respond(stream, answer.result(), answer.cause());
            });
        }
    }

    private static void respond(LinkStream stream, byte[] answer, Throwable cause) {
        if (cause != null) {
            stream.end(CloseReason.SITE_UNREACHABLE, Causes.text(cause));
        } else if (answer.length > ANSWER_BYTES_MAX) {
            stream.end(CloseReason.LIMIT, "the answer has " + answer.length + " bytes, expected at most " + ANSWER_BYTES_MAX);
        } else if (stream.state() == LinkStream.State.ASKED) {
            SentAnswer sender = new SentAnswer(stream, Unpooled.wrappedBuffer(answer));
            stream.accept(sender);
            sender.onWritable();
        }
    }
}
