package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import org.posthouse.core.Job;
import org.posthouse.core.RankHome;
import org.posthouse.relay.io.ArrivedFrame;
import org.posthouse.relay.io.BufferParcel;
import org.posthouse.tunnel.socket.FrameDecoder;
import org.posthouse.tunnel.stream.LinkStream;
import org.posthouse.wire.ChannelBinding;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Identify;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * The session of a process whose rank is at home at another relay: passes all frames from IDENTIFY on to that relay, over a stream, and back
 * what it answers. The process and its rank's home prove themselves to each other; this relay learns no token. Confined to the relay's
 * control strand, whose loop is that of the links.
 *
 * <p>Nothing is read from the process while {@link #BYTES_HIGH} wait for the stream, and the home gets no token back while too much waits for
 * the process. While the link is down all of it waits. If the stream ends, so does the connection, without a CLOSE that the home has not
 * sent: the process connects again.
 */
final class PassedSession implements Session, LinkStream.Listener {
    /** Bytes that may wait for the stream; reading pauses then, until they have fallen to {@code BYTES_LOW}. */
    private static final int BYTES_HIGH = 256 * 1024;

    private static final int BYTES_LOW = 64 * 1024;

    private final Relay relay;
    private final Connection connection;
    private final RankHome home;
    private final Identify client;
    private final ChannelBinding channel;
    private final FrameDecoder answers = new FrameDecoder(ByteBufAllocator.DEFAULT, false, this::onAnswer);

    /** Frames of the process that have not been sent, and their bytes. */
    private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>();

    private int waitingBytes;

    /** Null before it is opened, and after its end. */
    private LinkStream stream;

    private boolean isCounted;
    private boolean sendsSoon;

    /** Whether the process has closed its connection, or it broke: what has come is still sent. */
    private boolean leaves;

    /** Frames of the stream whose bytes the process has not taken. */
    private int untaken;

    /** Whom to call when there is room; null if nobody waits. */
    private Runnable room;

    PassedSession(Relay relay, Connection connection, RankHome home, Identify client, ChannelBinding channel) {
        this.relay = relay;
        this.connection = connection;
        this.home = home;
        this.client = client;
        this.channel = channel;
    }

    @Override
    public void begin() {
        if (connection.line().closing() != null) {
            return; // It has ended meanwhile.
        }
        isCounted = relay.rankStreams().tryBegin();
        if (!isCounted) {
            refuse(CloseReason.TIMEOUT, RankStreams.UNPROVEN_MAX + " others are being passed on to their ranks' homes and have proven nothing yet");
            return;
        }
        add(Unpooled.wrappedBuffer(client.encode()));
        stream = relay.links().open(home.relay(), RankStreams.door(channel), this);
    }

    /** After TIMEOUT the process tries again, a little later each time. */
    private void refuse(CloseReason reason, String why) {
        connection.close(CloseNotice.closing(client.job(), reason, this + " cannot be passed on to its home, relay " + home.relay() + ": " + why));
    }

    @Override
    public boolean comesAgain() {
        return home.isInLog();
    }

    // ---- from the process to the home

    @Override
    public void onFrame(ByteBuf buffer, int index, int length, FrameView view) {
        if (view.type() == FrameType.HELLO) {
            connection.greeted(); // From now on the home waits.
        }
        add(BufferParcel.keep(buffer, index, length));
        if (!sendsSoon) {
            sendsSoon = true;
            relay.loop().execute(this::send); // With what comes in the same read.
        }
    }

    private void add(ByteBuf frame) {
        waiting.add(frame);
        waitingBytes += frame.readableBytes();
    }

    private void send() {
        assert relay.inLoop();
        sendsSoon = false;
        while (stream != null && !waiting.isEmpty() && stream.writable()) {
            stream.write(piece());
        }
        if (leaves && waiting.isEmpty()) {
            endStream("the process has closed its connection");
        }
        if (room != null && waitingBytes <= BYTES_LOW) {
            Runnable next = room;
            room = null;
            relay.control().submit(next);
        }
    }

    /** As many bytes as one token permits. */
    private ByteBuf piece() {
        int bytes = Math.min(waitingBytes, Wire.PAYLOAD_BYTES_MAX);
        ByteBuf piece = ByteBufAllocator.DEFAULT.directBuffer(bytes, bytes);
        while (piece.isWritable()) {
            ByteBuf next = waiting.element();
            piece.writeBytes(next, Math.min(next.readableBytes(), piece.writableBytes()));
            if (!next.isReadable()) {
                waiting.remove().release();
            }
        }
        waitingBytes -= bytes;
        return piece;
    }

    @Override
    public boolean mustWait(FrameView view) {
        return waitingBytes >= BYTES_HIGH;
    }

    @Override
    public void whenRoom(Runnable goOn) {
        room = goOn;
    }

    // ---- from the home to the process

    @Override
    public void onBytes(ByteBuf bytes, boolean last) {
        assert relay.inLoop();
        untaken++;
        try {
            if (!leaves) {
                answers.feed(bytes);
                connection.line().flush();
            }
        } catch (WireException e) {
            connection.close(CloseNotice.closing(client.job(), e.reason(), "relay " + home.relay() + " has answered " + this + ": " + e.getMessage()));
        } finally {
            bytes.release();
        }
        take();
    }

    private boolean onAnswer(ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        if (view.type() == FrameType.CLOSE) {
            connection.close(CloseNotice.decode(ArrivedFrame.copy(buffer, index, length)));
            return false;
        }
        if (view.type() == FrameType.WELCOME) {
            welcomed();
            connection.tryAdmit();
        }
        connection.line().write(BufferParcel.keep(buffer, index, length));
        return true;
    }

    private void welcomed() {
        if (isCounted) {
            isCounted = false;
            relay.rankStreams().welcomed();
        }
    }

    /** Gives tokens back, unless too much waits for the process. */
    private void take() {
        while (stream != null && untaken > 0 && (leaves || connection.line().writable())) {
            untaken--;
            stream.left();
        }
    }

    /** The stream takes bytes again, or the process. */
    @Override
    public void onWritable() {
        assert relay.inLoop();
        take();
        send();
    }

    // ---- the end

    @Override
    public void onDone() {
        onEnded(CloseReason.NORMAL, "both ends have finished");
    }

    /** Opening the stream may end it at once. A process that was not welcomed is told to try again. */
    @Override
    public void onEnded(CloseReason reason, String text) {
        assert relay.inLoop();
        stream = null;
        release();
        if (isCounted) {
            refuse(reason == CloseReason.LIMIT ? reason : CloseReason.TIMEOUT, text);
        } else if (connection.line().closing() == null) {
            connection.line().cut(CloseNotice.closing(client.job(), CloseReason.NORMAL, "relay " + home.relay() + " has ended the stream: " + text));
        }
    }

    @Override
    public void onClosed(CloseNotice why) {
        leaves = true;
        welcomed();
        take();
        send();
        if (stream != null && stream.state() == LinkStream.State.OPENING) {
            endStream("the process has closed its connection");
        }
    }

    private void endStream(String why) {
        LinkStream over = stream;
        stream = null;
        release();
        if (over != null) {
            over.end(CloseReason.NORMAL, why);
        }
    }

    private void release() {
        waiting.forEach(ByteBuf::release);
        waiting.clear();
        waitingBytes = 0;
        answers.release();
    }

    @Override
    public String toString() {
        return "rank " + client.rank() + " of job " + Job.hexId(client.job());
    }
}
