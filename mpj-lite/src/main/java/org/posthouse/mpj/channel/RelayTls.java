package org.posthouse.mpj.channel;

import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Whether a client's next connection to its relay is TLS, and whom it then trusts (docs/security.md, TLS). A client
 * without keys dials plainly first, and again with TLS if the relay asks for it. It accepts any certificate, because the
 * proof of the token that follows covers the certificate. A client with keys of the grid always dials with TLS, and accepts
 * certificates of the grid's authority only. For one thread at a time.
 *
 * <p>Nobody in between can turn TLS off: the proofs of both ends say whether they speak TLS, and with which certificate.
 */
public final class RelayTls {
    private static final String PROTOCOL = "TLSv1.3";

    /** AES-128-GCM first: it is as strong as the keys, which are on P-256. */
    private static final String[] CIPHERS = {"TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"};

    private final boolean always;

    /** Null until it is needed. */
    private SSLContext context;

    private boolean asked;

    private RelayTls(SSLContext context) {
        this.always = context != null;
        this.context = context;
    }

    /** TLS if the relay asks for it. */
    public static RelayTls onDemand() {
        return new RelayTls(null);
    }

    /** TLS, always. @param context says which certificates are accepted, and which one is shown */
    public static RelayTls always(SSLContext context) {
        return new RelayTls(context);
    }

    /**
     * The relay has asked for TLS. Prepares it, which loads some hundred classes: better now than while the relay waits.
     *
     * @return whether to dial again: the last connection was not TLS
     */
    public boolean ask() {
        boolean fresh = !asked;
        asked = true;
        if (context == null) {
            context = anyCertificate();
        }
        return fresh;
    }

    /** The relay does not speak TLS: it was started again without keys. The next connection is plain if it may be. */
    void notSpoken() {
        asked = false;
    }

    /** Whether TLS says by itself who the relay is. */
    public boolean isAlways() {
        return always;
    }

    boolean isWanted() {
        return asked || always;
    }

    /** Whether a connection with these ends does not leave its host. */
    public static boolean isWithinHost(SocketAddress local, SocketAddress remote) {
        return !(remote instanceof InetSocketAddress there)
                || there.getAddress().isLoopbackAddress()
                || local instanceof InetSocketAddress here && here.getAddress().equals(there.getAddress());
    }

    SSLEngine engine() {
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setProtocols(new String[] {PROTOCOL});
        parameters.setCipherSuites(CIPHERS);
        engine.setSSLParameters(parameters);
        return engine;
    }

    private static SSLContext anyCertificate() {
        try {
            SSLContext context = SSLContext.getInstance(PROTOCOL);
            context.init(null, new TrustManager[] {new AnyCertificate()}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no " + PROTOCOL, e);
        }
    }

    /** Accepts every certificate. Who has its key is proven by the handshake, and that it is the relay's by the token. */
    private static final class AnyCertificate extends X509ExtendedTrustManager {
        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
