package org.posthouse.tunnel.socket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertificateException;
import javax.net.ssl.SSLEngine;
import org.posthouse.causes.Causes;
import org.posthouse.keys.NotValidException;
import org.posthouse.keys.RelayKeys;
import org.posthouse.keys.SiteCertificate;

/**
 * TLS 1.3 on a link's connection; both ends show a certificate of the grid's authority. Used on the event loop of the
 * connection; holds no state of one.
 *
 * <p>It adds the TLS handler to the pipeline itself when a connection exists, instead of requesting TLS from Vert.x.
 * The listener thus counts connections before their handshake, a refusal names the refused peer, and the outcome
 * precedes the first byte.
 *
 * <p>Neither engine reliably refuses to resume a session. The validity dates of the peer's certificate are therefore
 * checked after each handshake. {@link org.posthouse.tunnel.Links} checks whether it was revoked.
 */
public final class LinkTls {
    private static final String TLS = "posthouse-tls";
    private static final String HANDSHAKE = "posthouse-handshake";

    /**
     * The result of a handshake. Exactly one of the two methods is called, once, on the event loop. On the connection of
     * a rank, a refusal may follow later.
     */
    public interface Outcome {
        /** @param peer the peer's certificate, which may name no site */
        void onSecured(SiteCertificate peer);

        void onRefused(LinkRefusal kind, String detail);
    }

    private static final String FIRST_BYTES = "posthouse-first-bytes";
    private static final String RECORDS = "posthouse-tls-records";
    private static final String DATA = "posthouse-tls-data";

    private final RelayKeys keys;
    private final TlsKind kind;
    private final ClientHellos begun = new ClientHellos();
    private final int handshakeMs;

    public LinkTls(RelayKeys keys, TlsKind kind, int handshakeMs) {
        this.keys = keys;
        this.kind = kind;
        this.handshakeMs = handshakeMs;
    }

    /**
     * Begins the handshake on a fresh connection. If it fails, the connection is closed.
     *
     * @param end the last handler of its pipeline
     */
    public void secure(ChannelHandlerContext end, boolean dialled, Outcome outcome) {
        FrameSocket.prepare(end.channel());
        SSLEngine engine = keys.engine(kind.isNative(), dialled, end.alloc());
        Handshake handshake = new Handshake(engine, outcome, false);
        secure(end.pipeline(), engine, handshakeMs, handshake);
        if (!dialled) {
            end.pipeline().addFirst(FIRST_BYTES, new FirstBytes(begun, handshake));
        }
    }

    /**
     * Begins the handshake on the connection of a rank, launcher or agent, with an engine of
     * {@link org.posthouse.keys.SiteKeys#engineForRanks}. If it fails, or if the other end sends records with next to no
     * data later, the connection is closed.
     */
    public static void secureRank(ChannelPipeline pipeline, SSLEngine engine, int handshakeMs, Outcome outcome) {
        secure(pipeline, engine, handshakeMs, new Handshake(engine, outcome, true));
    }

    private static void secure(ChannelPipeline pipeline, SSLEngine engine, int handshakeMs, Handshake handshake) {
        SslHandler tls = new SslHandler(engine);
        tls.setHandshakeTimeoutMillis(handshakeMs);
        RecordAudit audit = new RecordAudit();
        pipeline.addFirst(HANDSHAKE, handshake);
        pipeline.addFirst(DATA, audit.data());
        pipeline.addFirst(TLS, tls);
        pipeline.addFirst(RECORDS, audit);
    }

    /** Inspects the first bytes of a connection before TLS does, then leaves the pipeline. */
    private static final class FirstBytes extends ChannelInboundHandlerAdapter {
        private final ClientHellos begun;
        private final Handshake handshake;

        /** The first bytes, while too few to classify; null before the first. */
        private ByteBuf start;

        FirstBytes(ClientHellos begun, Handshake handshake) {
            this.begun = begun;
            this.handshake = handshake;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf more = (ByteBuf) message;
            start = start == null ? more : Unpooled.wrappedBuffer(start, more);
            if (ClientHellos.needsMore(start)) {
                return;
            }
            ByteBuf all = start;
            start = null;
            if (begun.isReplay(all)) {
                all.release();
                handshake.refuse(LinkRefusal.REPLAYED, "its ClientHello has the random number of an earlier one");
                context.close();
            } else {
                context.fireChannelRead(all);
                context.pipeline().remove(this);
            }
        }

        @Override
        public void handlerRemoved(ChannelHandlerContext context) {
            if (start != null) {
                start.release();
                start = null;
            }
        }
    }

    private static final class Handshake extends ChannelInboundHandlerAdapter {
        /** Netty's message for every failure of native TLS that is not the peer's alert. */
        private static final String NATIVE_SAYS_NOTHING = "General OpenSslEngine problem";

        private final SSLEngine engine;
        private final Outcome outcome;

        /** Whether to watch the records after the handshake too, as nobody else does. */
        private final boolean stays;
        private boolean told;

        Handshake(SSLEngine engine, Outcome outcome, boolean stays) {
            this.engine = engine;
            this.outcome = outcome;
            this.stays = stays;
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof RecordAudit.Flood flood) {
                refuse(LinkRefusal.RECORD_FLOOD, flood.detail());
                context.close();
                return;
            }
            if (!(event instanceof SslHandshakeCompletionEvent done)) {
                context.fireUserEventTriggered(event);
                return;
            }
            if (done.isSuccess()) {
                onSuccess(context);
            } else {
                // The handler stays in the pipeline: the exception that follows was reported here.
                refuse(LinkRefusal.of(done.cause()), describe(done.cause()));
            }
        }

        private void onSuccess(ChannelHandlerContext context) {
            try {
                SiteCertificate peer = RelayKeys.peer(engine);
                if (!stays) {
                    context.pipeline().remove(this);
                }
                outcome.onSecured(peer);
            } catch (CertificateException e) {
                refuse(LinkRefusal.of(e), "a session was resumed: " + describe(e));
                context.close();
            }
        }

        /** Reports only the first reason; later failures are its consequences. */
        void refuse(LinkRefusal kind, String detail) {
            if (!told) {
                told = true;
                outcome.onRefused(kind, detail);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }

        private static String describe(Throwable failure) {
            if (failure instanceof ClosedChannelException) {
                return "the connection was closed during the TLS handshake";
            }
            Throwable root = failure;
            while (root.getCause() != null && !(root instanceof NotValidException)) {
                root = root.getCause();
            }
            if (root instanceof NotValidException) {
                return root.getMessage();
            }
            String told = Causes.text(failure);
            String why = Causes.text(root);
            if (told.contains(why)) {
                return told;
            }
            return told.equals(NATIVE_SAYS_NOTHING) ? why : told + ": " + why;
        }
    }
}
