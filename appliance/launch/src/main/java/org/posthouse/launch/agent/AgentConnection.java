package org.posthouse.launch.agent;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.posthouse.keys.KeysException;
import org.posthouse.keys.NodeKeys;
import org.posthouse.launch.place.RelayProof;
import org.posthouse.mpj.channel.FrameChannel;
import org.posthouse.mpj.channel.RelayAuthentication;
import org.posthouse.mpj.channel.RelayTls;
import org.posthouse.mpj.channel.TlsRequiredException;
import org.posthouse.wire.Challenge;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Identify;
import org.posthouse.wire.Nonce;
import org.posthouse.wire.Token;
import org.posthouse.wire.WireException;

/**
 * An agent's connection to its relay. A virtual thread of its own reads; the agent's thread writes. It ends once, and
 * the agent then makes another.
 */
final class AgentConnection implements AutoCloseable {
    /** Called by the thread that reads. */
    interface Listener {
        /** @param frame a copy: position 0, limit at its end */
        void onFrame(AgentConnection from, FrameType type, ByteBuffer frame);

        /** @param notice the relay's reason if it has closed the connection; null if it broke */
        void onLost(AgentConnection from, String why, CloseNotice notice);
    }

    /** Longest silence of a relay, which answers a ping each 5 s; the relay allows its agents as much. */
    static final long SILENCE_MS_MAX = 30_000;

    private static final long LOOK_MS = 1_000;

    private final FrameChannel line;
    private final RelayProof proof;
    private final Listener listener;

    /** Written by the agent's thread, read by the one that reads. */
    private volatile boolean closing;

    /** Written by the thread that reads, read by the one that watches. */
    private volatile long heardNs = System.nanoTime();

    /** Written by the thread that watches, read by the one that reads. */
    private volatile boolean isSilent;

    /**
     * The end of a connection.
     *
     * @param why for people
     * @param notice with which the relay has closed it; null if there was none
     */
    record End(String why, CloseNotice notice) {}

    /** Null before it. Written by the thread that reads, read by the one that watches and the agent's. */
    private volatile End end;

    /** Confined to the thread that reads. */
    private CloseNotice notice;

    private AgentConnection(FrameChannel line, RelayProof proof, Listener listener) {
        this.line = line;
        this.proof = proof;
        this.listener = listener;
    }

    /**
     * Connects, has the relay prove who it is, does the same, and says HELLO. Blocks until the relay has proven itself.
     *
     * @throws IOException in one line that names the relay, if it cannot be reached or does not prove who it is
     */
    static AgentConnection connect(AgentSettings settings, Listener listener) throws IOException {
        if (settings.keys().isPresent()) {
            RelayTls tls = RelayTls.always(context(settings.keys().get()));
            return connect(settings.relay(), tls, Token.NONE, listener);
        }
        RelayTls tls = RelayTls.onDemand();
        try {
            return connect(settings.relay(), tls, settings.token(), listener);
        } catch (TlsRequiredException e) {
            tls.ask();
            return connect(settings.relay(), tls, settings.token(), listener);
        }
    }

    /** Reads the keys anew for each connection: they may have been renewed. */
    private static SSLContext context(Path keys) throws IOException {
        try {
            return NodeKeys.load(keys).context();
        } catch (KeysException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static AgentConnection connect(String relay, RelayTls tls, Token token, Listener listener) throws IOException {
        FrameChannel line = FrameChannel.connect(relay, tls);
        Identify identity = Identify.of(Hello.agent(), Nonce.random());
        RelayProof proof = new RelayProof(token, identity, tls.isAlways());
        AgentConnection connection = new AgentConnection(line, proof, listener);
        try {
            Optional<Challenge> challenge = RelayAuthentication.prove(line, token, identity, proof);
            if (challenge.isPresent()) {
                line.write(Hello.agent().encode());
            }
            Thread.ofVirtual().name("posthouse-agent-" + relay).start(connection::read);
            Thread.ofVirtual().name("posthouse-agent-watch-" + relay).start(connection::watch);
            return connection;
        } catch (WireException e) {
            line.close();
            throw new IOException("no relay greets agents at " + line.remote() + ": " + e.getMessage()
                    + "; give the address of a relay's --listen, which has another port than its --links and its --ops", e);
        } catch (IOException e) {
            line.close();
            throw e;
        }
    }

    private void read() {
        try {
            while (!closing) {
                line.read();
                heardNs = System.nanoTime();
                line.dispatch(this::onFrame);
            }
        } catch (EOFException e) {
            lost(notice == null ? "it has closed the connection" : notice.words() + "; " + notice.reason().advice());
        } catch (IOException | WireException e) {
            lost(e.getMessage());
        }
    }

    private void lost(String why) {
        String silent = "it has not answered for " + TimeUnit.MILLISECONDS.toSeconds(SILENCE_MS_MAX) + " s";
        end = new End(isSilent ? silent : why, notice);
        if (!closing) {
            listener.onLost(this, end.why(), notice);
        }
    }

    /** Its end, if it has ended other than by {@link #close}. */
    Optional<End> end() {
        return closing ? Optional.empty() : Optional.ofNullable(end);
    }

    /**
     * Breaks a connection whose relay is silent, as behind a cut, which the system notices after minutes only. The agent's
     * thread cannot do that: it may hang in a write.
     */
    private void watch() {
        try {
            while (!closing && end == null) {
                TimeUnit.MILLISECONDS.sleep(LOOK_MS);
                if (System.nanoTime() - heardNs > TimeUnit.MILLISECONDS.toNanos(SILENCE_MS_MAX)) {
                    isSilent = true;
                    line.close();
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void onFrame(ByteBuffer frame, FrameView view) throws WireException {
        if (view.type() == FrameType.CLOSE) {
            notice = CloseNotice.decode(frame);
        } else {
            ByteBuffer copy = ByteBuffer.allocate(frame.remaining()).put(frame).flip();
            listener.onFrame(this, view.type(), copy);
        }
    }

    /** Whether nothing stands between this host and the relay, as far as the relay has reported. */
    boolean isDirect() {
        return proof.isDirect();
    }

    /** Sends a frame. A broken connection takes nothing; its reader notices. @return whether it was taken */
    boolean send(ByteBuffer frame) {
        try {
            line.write(frame);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Says that the agent ends, and closes. */
    void leave() {
        send(CloseNotice.closing(0, CloseReason.NORMAL, "it has ended").encode(FrameType.CLOSE));
        close();
    }

    @Override
    public void close() {
        closing = true;
        try {
            line.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
