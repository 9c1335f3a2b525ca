package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.Future;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.posthouse.core.RankHome;
import org.posthouse.core.Refusal;
import org.posthouse.keys.SiteCertificate;
import org.posthouse.peer.PeerUser;
import org.posthouse.relay.io.ArrivedFrame;
import org.posthouse.relay.io.BufferParcel;
import org.posthouse.relay.io.ByteSink;
import org.posthouse.relay.io.ConnectionAddresses;
import org.posthouse.relay.io.OutboundChannel;
import org.posthouse.relay.shard.Placement;
import org.posthouse.relay.shard.Shard;
import org.posthouse.relay.threads.FatalErrorExit;
import org.posthouse.relay.threads.Strand;
import org.posthouse.relay.threads.StrandExecutor;
import org.posthouse.tunnel.socket.FrameDecoder;
import org.posthouse.wire.ChannelBinding;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Identify;
import org.posthouse.wire.Token;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One accepted connection of the ranks' port. The other end must prove its identity and send HELLO within a time limit;
 * then the connection serves a rank, a launcher or an agent. A fault here closes this connection, with a reason, and no other.
 *
 * <p>The thread that reads the connection calls {@link #onBytes} and {@link #onEnded}. Frames are handled inside the
 * strand of the session, by the reading thread if it can enter. Any thread may call {@link #close}.
 */
public final class Connection implements FrameDecoder.Sink, UnprovenConnections.Newcomer {
    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

    /** Reasons to close that are not faults. A client that has no keys dials plainly first, and then as it is told. */
    private static final Set<CloseReason> EXPECTED =
            EnumSet.of(CloseReason.NORMAL, CloseReason.TLS_REQUIRED, CloseReason.JOB_ABORTED, CloseReason.RELAY_STOPPING, CloseReason.RELAY_STARTING,
                    CloseReason.MOVED);

    /** Milliseconds that the peer has to read a CLOSE frame and close its end, before the relay cuts the connection. */
    private static final int CLOSE_MS_MAX = 1_000;

    /**
     * Limit of frames, or pieces of long ones, that wait for the strand; at the limit, reading pauses. The last read
     * may add 192 KiB of frames of at least 16 bytes. All together take at most about 3 MiB if the frames are short,
     * and 64 MiB if they are long.
     */
    private static final int HELD_MAX = 1_024;

    private final Relay relay;
    private final ByteSink byteSink;
    private final OutboundChannel outboundChannel;
    private final FrameDecoder decoder = new FrameDecoder(ByteBufAllocator.DEFAULT, true, this);
    private final ScheduledFuture<?> helloTimer;
    private final AtomicBoolean ended = new AtomicBoolean();
    private final AtomicInteger piecesHeld = new AtomicInteger();

    /** The certificate that the other end has shown; null if none. Written by the thread that reads, read by any. */
    private volatile SiteCertificate certificate;

    /**
     * The strand that handles the frames; set by HELLO, and by IDENTIFY of a process that is passed on. Written by the thread that reads, or
     * once by the strand of a shard while the process waits for its answer; read by any.
     */
    private volatile Strand strand;

    /** Written in the relay's control strand, read where the rank is admitted. */
    private volatile ModeSwitch movedBy;

    private final ClientProof proof = new ClientProof();

    // Confined to the thread that reads; the role is written before the strand.
    private boolean inside;
    private ChannelBinding channel = ChannelBinding.PLAIN;
    private int role;
    private Future<PeerUser> user;

    /** Whether another relay passes the connection on. */
    private boolean isPassedOn;

    // Written by the thread that reads, read by any.
    private volatile long framesIn;

    /** Confined to {@link #strand}. */
    private Session session;

    /** Frames that wait for room in the log; no more than the last reads brought. Confined to the strand. */
    private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>();

    /** Whether frames wait for room. Written in the strand, read by the thread that reads. */
    private volatile boolean stopped;

    Connection(Relay relay, ByteSink byteSink, StrandExecutor emission) {
        this.relay = relay;
        this.byteSink = byteSink;
        this.outboundChannel = new OutboundChannel(byteSink, emission, this::onWritable);
        decoder.limit(ClientProof.BYTES_MAX);
        this.helloTimer = relay.loop()
                .schedule(
                        () -> close(CloseNotice.closing(
                                0, CloseReason.TIMEOUT, "no HELLO within " + relay.settings().door().helloTimeoutMs() + " ms")),
                        relay.settings().door().helloTimeoutMs(),
                        TimeUnit.MILLISECONDS);
    }

    Relay relay() {
        return relay;
    }

    /** The last change of mode since the connection was accepted. */
    Optional<ModeSwitch> movedBy() {
        return Optional.ofNullable(movedBy);
    }

    /**
     * Asks the rank of this connection to reconnect. If no rank is served yet, the next one is asked when it is
     * admitted.
     */
    void askMove(ModeSwitch change) {
        movedBy = change;
        Strand served = strand;
        if (served != null) {
            served.submit(() -> {
                if (session instanceof RankSession rank && outboundChannel.closing() == null) {
                    rank.askMove(change);
                }
                change.considered();
            });
        } else {
            change.considered();
        }
    }

    OutboundChannel line() {
        return outboundChannel;
    }

    long framesIn() {
        return framesIn;
    }

    // ---- what the reading thread calls

    /** The connection is TLS from its first byte on. @param binding names the certificate that this end has shown */
    void secured(ChannelBinding binding) {
        channel = binding;
        decoder.readsElsewhere();
    }

    /** Another relay passes the connection on, of a process that has reached that relay over this channel. */
    void passedOn(ChannelBinding binding) {
        isPassedOn = true;
        channel = binding;
        decoder.readsElsewhere();
    }

    /** The other end has shown this certificate of the grid, or none. */
    void certified(SiteCertificate shown) {
        certificate = shown;
    }

    /** The name of the node whose certificate the agent has shown; empty if it has proven the token. */
    Optional<String> node() {
        SiteCertificate shown = certificate;
        return isNode(shown) ? Optional.of(shown.node().substring(shown.siteOfNode().length() + 1)) : Optional.empty();
    }

    private static boolean isNode(SiteCertificate shown) {
        return shown != null && !shown.node().isEmpty();
    }

    /** TLS has failed. Its handler tells the other end why, and closes; this is for the case that it cannot. */
    void onTlsRefused(String detail) {
        relay.refusals().refused(CloseReason.WRONG_TOKEN, "closed a connection from " + outboundChannel.remote() + ": TLS: " + detail);
        CloseNotice why = CloseNotice.closing(0, CloseReason.NORMAL, "TLS has failed");
        relay.loop().schedule(() -> outboundChannel.cut(why), CLOSE_MS_MAX, TimeUnit.MILLISECONDS);
    }

    /** The decoder that receives the bytes of {@link #onBytes}; it says where the next bytes are to be read to. */
    FrameDecoder frames() {
        return decoder;
    }

    /** Handles bytes that were read; the caller keeps the buffer. */
    void onBytes(ByteBuf in) {
        if (outboundChannel.closing() != null) {
            decoder.release(); // Frees a partly read frame; the next read must not continue to fill it.
            return;
        }
        try {
            decoder.feed(in);
        } catch (WireException e) {
            close(CloseNotice.closing(0, e.reason(), e.getMessage()));
        } catch (RuntimeException e) {
            onFault(e);
        } catch (VirtualMachineError e) {
            FatalErrorExit.report(e);
            throw e;
        } finally {
            if (inside) {
                inside = false;
                strand.leave();
            }
        }
    }

    @Override
    public boolean onFrame(ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        long before = framesIn;
        framesIn = before + 1;
        if (strand == null) {
            onIntroduction(ArrivedFrame.copy(buffer, index, length), view.type());
        } else {
            requireSender(view.type());
            if (inside || (inside = strand.tryEnter())) {
                handle(buffer, index, length, view);
            } else {
                hold(BufferParcel.keep(buffer, index, length));
            }
        }
        return outboundChannel.closing() == null;
    }

    private void requireSender(FrameType type) throws WireException {
        if (!type.sentBy(role)) {
            throw new WireException(CloseReason.NOT_EXPECTED, type + " from " + roleName());
        }
        if (type == FrameType.PROOF) {
            decoder.limit(Wire.CHUNK_FRAME_BYTES_MAX); // The connection is passed on: the rank's home checks the proof, and limits what comes before it.
        }
    }

    /** Submits a frame to the strand, and pauses reading while many frames wait there. */
    private void hold(ByteBuf held) {
        int pieces = 1 + held.readableBytes() / (Wire.FRAME_BYTES_MAX + 1);
        if (piecesHeld.addAndGet(pieces) >= HELD_MAX) {
            byteSink.pauseReading(true);
            if (piecesHeld.get() < HELD_MAX && !stopped) {
                // The strand was faster and found nothing to resume.
                byteSink.pauseReading(false);
            }
        }
        strand.submit(() -> {
            handle(held, false);
            int left = piecesHeld.addAndGet(-pieces);
            if (left < HELD_MAX && left + pieces >= HELD_MAX && !stopped) {
                byteSink.pauseReading(false);
            }
        });
    }

    private String roleName() {
        return switch (role) {
            case FrameType.Role.RANK -> "a rank";
            case FrameType.Role.LAUNCHER -> "a launcher";
            default -> "an agent";
        };
    }

    /** Handles a frame before HELLO has been accepted. */
    private void onIntroduction(ByteBuffer frame, FrameType type) throws WireException {
        switch (type) {
            case IDENTIFY -> onIdentify(proof.identify(frame));
            case PROOF -> onProof(frame);
            case HELLO -> onHello(Hello.decode(frame));
            default -> throw new WireException(CloseReason.NOT_EXPECTED, type + " from one who has not proven who he is");
        }
    }

    private void onIdentify(Identify client) throws WireException {
        if (relay.settings().needsTls() && !channel.isTls() && !byteSink.ends().isWithinHost()) {
            throw new WireException(
                    CloseReason.TLS_REQUIRED, "relay " + relay.id() + " has the grid's keys and takes frames from other hosts over TLS only");
        }
        if (isPassedOn && !client.isOfRank()) {
            throw new WireException(CloseReason.NOT_EXPECTED, "a launcher or an agent over another relay, which passes on processes of ranks only");
        }
        if (client.kind() == Hello.AGENT && isNode(certificate)) {
            relay.control().submit(() -> admitNode(client, certificate));
            return;
        }
        if (!client.isOfRank()) {
            relay.launchers().tokenFor(this::user).onSuccess(token -> challenge(client, token)).onFailure(this::refuse);
            return;
        }
        Shard shard = relay.shards().of(client.job(), client.rank());
        boolean isFirst = !isPassedOn;
        ChannelBinding below = channel;
        shard.strand().submit(() -> {
            try {
                Optional<RankHome> elsewhere = shard.core().homeOf(client).filter(home -> isFirst && !home.relay().equals(relay.id()));
                if (elsewhere.isPresent()) {
                    passOn(elsewhere.get(), client, below);
                } else {
                    challenge(client, shard.core().tokenOf(client));
                }
            } catch (Refusal e) {
                refuse(e);
            }
        });
    }

    /** The rank's home asks the process for its proof; until its answer comes, the process sends nothing. */
    private void passOn(RankHome home, Identify client, ChannelBinding below) {
        role = FrameType.Role.RANK;
        open(relay.control(), () -> new PassedSession(relay, this, home, client, below));
    }

    /** A node's certificate takes the token's place; the handshake has checked its authority and its dates. */
    private void admitNode(Identify client, SiteCertificate shown) {
        if (!shown.siteOfNode().equals(relay.settings().site())) {
            refuse(new Refusal(
                    CloseReason.WRONG_SITE,
                    "the certificate of node " + shown.node() + " is not for site " + relay.settings().site() + " of relay " + relay.id()));
        } else if (relay.links().isRevoked(shown)) {
            refuse(new Refusal(CloseReason.REVOKED, "the certificate of node " + shown.node() + ", serial " + shown.serial()));
        } else {
            challenge(client, Token.NONE);
        }
    }

    /**
     * The user of the process at the other end. The lookup takes some milliseconds, so it runs once, and for launchers
     * and agents only.
     */
    private Future<PeerUser> user() {
        if (user == null) {
            user = relay.launchers().user(byteSink.ends());
        }
        return user;
    }

    private void challenge(Identify client, Token token) {
        boolean needsTls = relay.settings().needsTls() && !channel.isTls();
        outboundChannel.write(proof.challenge(client, token, byteSink.ends().reached(), needsTls, channel));
        outboundChannel.flush();
    }

    private void onProof(ByteBuffer frame) throws WireException {
        if (proof.isProvenBy(frame)) {
            decoder.limit(Wire.CHUNK_FRAME_BYTES_MAX);
            return;
        }
        Identify client = proof.client();
        if (!client.isOfRank()) {
            String who = client.kind() == Hello.AGENT ? "the agent's" : "the launcher's";
            throw new WireException(CloseReason.WRONG_TOKEN, who + " token is not that of relay " + relay.id() + "; see --token-file");
        }
        Shard shard = relay.shards().of(client.job(), client.rank());
        shard.strand().submit(() -> refuse(shard.core().unproven(client)));
    }

    private void refuse(Throwable cause) {
        CloseReason closeReason = cause instanceof Refusal refusal ? refusal.reason() : CloseReason.INTERNAL;
        close(CloseNotice.closing(0, closeReason, cause.getMessage()));
    }

    private void onHello(Hello hello) throws WireException {
        proof.require(hello);
        if (hello.kind() == Hello.RANK) {
            role = FrameType.Role.RANK;
            readWithNeighbours(hello);
            Shard shard = relay.shards().of(hello.job(), hello.rank());
            open(shard.strand(), () -> new RankSession(shard, this, hello));
        } else if (hello.kind() == Hello.FOLLOWER) {
            role = FrameType.Role.RANK;
            readWithNeighbours(hello);
            Shard shard = relay.shards().of(hello.job(), hello.rank());
            open(shard.strand(), () -> new FollowerSession(shard, this, hello));
        } else if (hello.kind() == Hello.AGENT) {
            role = FrameType.Role.AGENT;
            greeted();
            open(relay.control(), () -> new AgentSession(relay, this));
        } else {
            role = FrameType.Role.LAUNCHER;
            greeted();
            Future<String> owner = user().map(byteSink.ends()::owner);
            open(relay.control(), () -> new LauncherSession(relay, this, owner, proof::unsealed));
        }
    }

    /** Moves reading to the loop of the rank's shard. The loop that accepted the connection did not know the rank. */
    private void readWithNeighbours(Hello hello) {
        Placement placement = relay.placement();
        if (byteSink.changesLoop() && !placement.blocks()) {
            EventLoop reader = placement.receptionOf(relay.shards().seat(hello.job(), hello.rank()));
            outboundChannel.readBy(reader, placement.emission(reader), this::onEnded);
        }
    }

    /** Cancels the time limit: a launcher has sent HELLO, or a rank has sent HELLO and all its pages of state. */
    void greeted() {
        helloTimer.cancel(false);
    }

    /**
     * Admits the other end, which has proven its identity.
     *
     * @return false if the connection has just been closed to make room for another; the client may then connect again
     */
    boolean tryAdmit() {
        return relay.newcomers().remove(this);
    }

    @Override
    public ConnectionAddresses ends() {
        return byteSink.ends();
    }

    /** Cuts this connection in favour of another, without a CLOSE frame: a rank then reconnects. */
    @Override
    public void makeRoom(String why) {
        outboundChannel.cut(CloseNotice.closing(0, CloseReason.TIMEOUT, why));
    }

    private interface Opening {
        Session open() throws WireException, Refusal;
    }

    private void open(Strand strand, Opening opening) {
        this.strand = strand;
        strand.submit(() -> {
            try {
                session = opening.open();
                session.begin();
            } catch (WireException e) {
                close(CloseNotice.closing(0, e.reason(), e.getMessage()));
            } catch (Refusal e) {
                close(CloseNotice.closing(0, e.reason(), e.getMessage()));
            } catch (RuntimeException e) {
                onFault(e);
            }
        });
    }

    /** Called when the other end has closed, or the connection broke. */
    void onEnded() {
        if (!ended.compareAndSet(false, true)) {
            return;
        }
        helloTimer.cancel(false);
        decoder.release();
        outboundChannel.cut(CloseNotice.closing(0, CloseReason.NORMAL, "the other end has closed the connection"));
        relay.connections().remove(this);
        relay.newcomers().remove(this);
        if (relay.isOver()) {
            outboundChannel.giveUp(); // The loop that reads this connection is ending; loops of its strands may have ended before.
            dropWaiting();
            return;
        }
        outboundChannel.ended();
        if (strand == null) {
            tell(null);
        } else {
            strand.submit(() -> {
                dropWaiting();
                tell(session);
                if (session != null) {
                    session.onClosed(outboundChannel.closing());
                }
            });
        }
    }

    /** Whether a close for this reason is somebody's fault. */
    static boolean isFault(CloseReason closeReason) {
        return !EXPECTED.contains(closeReason);
    }

    private void tell(Session served) {
        CloseNotice why = outboundChannel.closing();
        if (isFault(why.reason())) {
            relay.refusals()
                    .refused(
                            why.reason(),
                            "closed " + (served == null ? "a connection" : served) + " from " + outboundChannel.remote() + ": " + why.reason()
                                    + ": " + why.text());
        }
    }

    // ---- inside the session's strand

    private void handle(ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        assert strand.isInside();
        if (session == null || outboundChannel.closing() != null) {
            return;
        }
        if (stopped || session.mustWait(view)) {
            stop(BufferParcel.keep(buffer, index, length));
        } else {
            session.onFrame(buffer, index, length, view);
        }
    }

    /** Holds a frame and all that follow it, and pauses reading. */
    private void stop(ByteBuf frame) {
        if (!stopped) {
            stopped = true;
            session.whenRoom(this::goOn);
        }
        waiting.add(frame);
        byteSink.pauseReading(true);
    }

    /** Handles the frames that waited, once the log has room again. */
    private void goOn() {
        assert strand.isInside();
        FrameView view = new FrameView();
        while (!waiting.isEmpty() && outboundChannel.closing() == null) {
            if (session.mustWait(view.wrap(waiting.element().nioBuffer(), 0))) {
                session.whenRoom(this::goOn);
                return;
            }
            handle(waiting.remove(), true);
        }
        dropWaiting();
        stopped = false;
        if (piecesHeld.get() < HELD_MAX) {
            byteSink.pauseReading(false);
        }
    }

    /** Drops the frames that waited. A rank whose connection ends sends again what was not handled. */
    private void dropWaiting() {
        waiting.forEach(ByteBuf::release);
        waiting.clear();
    }

    /**
     * Handles a frame that waited, in a buffer of its own.
     *
     * @param hasRoom whether it has waited for room in the log, which it has now; otherwise it waited only for the
     *         strand
     */
    private void handle(ByteBuf held, boolean hasRoom) {
        try {
            FrameView view = new FrameView().wrap(held.nioBuffer(), 0);
            if (hasRoom) {
                session.onFrame(held, held.readerIndex(), held.readableBytes(), view);
            } else {
                handle(held, held.readerIndex(), held.readableBytes(), view);
            }
        } catch (WireException e) {
            close(CloseNotice.closing(0, e.reason(), e.getMessage()));
        } catch (RuntimeException e) {
            onFault(e);
        } finally {
            held.release();
        }
    }

    // ---- any thread

    /**
     * Disconnects because the relay is stopping. If a rank will reconnect afterwards, the connection is cut without a
     * CLOSE frame, as by a crash, after all frames read so far have been handled. Other clients get the CLOSE frame.
     */
    void stopServing(CloseNotice why) {
        Strand served = strand;
        if (served == null) {
            close(why);
            return;
        }
        served.submit(() -> {
            if (session != null && session.comesAgain()) {
                outboundChannel.cut(why);
            } else {
                close(why);
            }
        });
    }

    private void onFault(RuntimeException fault) {
        LOG.error("{}: a frame from {} cannot be handled", relay.id(), outboundChannel.remote(), fault);
        close(CloseNotice.closing(0, CloseReason.INTERNAL, fault.toString()));
    }

    private void onWritable() {
        Strand served = strand;
        if (served != null) {
            served.submit(() -> {
                if (session != null && outboundChannel.closing() == null) {
                    session.onWritable();
                }
            });
        }
    }

    /**
     * Sends the reason in a CLOSE frame and ignores what arrives afterwards. The peer closes when it has read the
     * frame. If it does not within {@link #CLOSE_MS_MAX}, the relay cuts the connection. Later calls do nothing.
     *
     * <p>Closing at once would lose the frame. TCP answers bytes that arrive at a closed socket with a reset, and a
     * reset discards what the peer has not read yet.
     */
    void close(CloseNotice why) {
        if (outboundChannel.close(why)) {
            relay.loop().schedule(() -> outboundChannel.cut(why), CLOSE_MS_MAX, TimeUnit.MILLISECONDS);
        }
    }
}
