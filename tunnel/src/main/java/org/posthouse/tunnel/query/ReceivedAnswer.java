package org.posthouse.tunnel.query;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.vertx.core.Promise;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.posthouse.tunnel.stream.LinkStream;
import org.posthouse.wire.CloseReason;

/** The asking end of a question's stream. Confined to the relay's context. */
final class ReceivedAnswer implements LinkStream.Listener {
    private final Promise<byte[]> promise;
    private final ByteArrayOutputStream answer = new ByteArrayOutputStream();
    private LinkStream stream;

    ReceivedAnswer(Promise<byte[]> promise) {
        this.promise = promise;
    }

    /** The question is the stream's door, so this end has nothing to send. */
    void join(LinkStream opened) {
        stream = opened;
        opened.finish();
    }

    void giveUp(String why) {
        if (promise.tryFail(new IOException(why))) {
            stream.end(CloseReason.TIMEOUT, why);
        }
    }

    @Override
    public void onBytes(ByteBuf bytes, boolean last) {
        int more = bytes.readableBytes();
        byte[] part = ByteBufUtil.getBytes(bytes);
        bytes.release();
        if (answer.size() + more > LinkQueries.ANSWER_BYTES_MAX) {
            giveUp("relay " + stream.relay() + " answers with more than " + LinkQueries.ANSWER_BYTES_MAX + " bytes");
        } else {
            answer.writeBytes(part);
            stream.left();
        }
    }

    @Override
    public void onWritable() {
        // Nothing is sent.
    }

    @Override
    public void onDone() {
        promise.tryComplete(answer.toByteArray());
    }

    @Override
    public void onEnded(CloseReason closeReason, String text) {
        promise.tryFail(new IOException(text));
    }

    @Override
    public void onLinkDown() {
        giveUp("the link to relay " + stream.relay() + " is down");
    }
}
