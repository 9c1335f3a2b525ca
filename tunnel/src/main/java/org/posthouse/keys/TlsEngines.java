package org.posthouse.keys;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Creates the engines of TLS connections with a site's keys: TLS 1.3 only, and both ends show a certificate of the
 * authority. No relay resumes a session. If another client does, {@link RelayKeys#peer} checks it like a new one.
 * Immutable. Constructing this object blocks; creating an engine does not.
 *
 * <p>AES-128-GCM is preferred. Keys are on P-256, which is as strong, and it is cheaper than AES-256. BoringSSL prefers
 * it by itself where the processor has AES.
 */
final class TlsEngines {
    private static final String PROTOCOL = "TLSv1.3";
    private static final String[] CIPHERS = {"TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"};
    private static final char[] NO_PASSWORD = new char[0];
    /** Shortest validity of session tickets. The JDK cannot turn them off, and no relay uses one. */
    private static final int SESSION_SECONDS = 1;

    private static final Cleaner CLEANER = Cleaner.create();

    private final SSLContext context;

    /** Null where there is no native TLS. */
    private final NativeContexts natives;

    /** The native contexts. Each engine holds its own reference to the context that it was created with. */
    private record NativeContexts(SslContext dialling, SslContext accepting, SslContext forRanks) implements Runnable {
        @Override
        public void run() {
            ReferenceCountUtil.release(dialling);
            ReferenceCountUtil.release(accepting);
            ReferenceCountUtil.release(forRanks);
        }
    }

    TlsEngines(X509Certificate authority, X509Certificate own, PrivateKey key) throws GeneralSecurityException, IOException {
        X509ExtendedTrustManager trust = trust(authority);
        context = context(new AuthorityCheck(trust, authority, false), own, key);
        natives = OpenSsl.isAvailable() ? natives(new AuthorityCheck(trust, authority, true), own, key) : null;
        if (natives != null) {
            CLEANER.register(this, natives);
        }
    }

    /** @param dialled whether this end has dialled */
    SSLEngine engine(boolean natively, boolean dialled, ByteBufAllocator allocator) {
        if (natively) {
            return (dialled ? natives.dialling : natives.accepting).newEngine(allocator);
        }
        SSLEngine engine = context.createSSLEngine();
        SSLParameters parameters = parameters(engine);
        parameters.setNeedClientAuth(!dialled);
        engine.setSSLParameters(parameters);
        engine.setUseClientMode(dialled);
        return engine;
    }

    /** For an accepted connection of a rank, launcher or agent, which need not show a certificate. */
    SSLEngine engineForRanks(boolean natively, ByteBufAllocator allocator) {
        if (natively) {
            return natives.forRanks.newEngine(allocator);
        }
        SSLEngine engine = context.createSSLEngine();
        SSLParameters parameters = parameters(engine);
        parameters.setWantClientAuth(true);
        engine.setSSLParameters(parameters);
        engine.setUseClientMode(false);
        return engine;
    }

    /** TLS over a connected socket, as an end that has dialled. The handshake is the caller's. */
    SSLSocket socket(Socket connected) throws IOException {
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(connected, null, connected.getPort(), false);
        socket.setEnabledProtocols(new String[] {PROTOCOL});
        socket.setEnabledCipherSuites(CIPHERS);
        return socket;
    }

    private static SSLParameters parameters(SSLEngine engine) {
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setProtocols(new String[] {PROTOCOL});
        parameters.setCipherSuites(CIPHERS);
        return parameters;
    }

    private static NativeContexts natives(TrustManager trust, X509Certificate own, PrivateKey key) throws IOException {
        List<SslContext> made = new ArrayList<>();
        try {
            made.add(natively(SslContextBuilder.forClient().keyManager(key, own), trust));
            for (ClientAuth shown : List.of(ClientAuth.REQUIRE, ClientAuth.OPTIONAL)) {
                made.add(natively(SslContextBuilder.forServer(key, own).clientAuth(shown), trust));
            }
            return new NativeContexts(made.get(0), made.get(1), made.get(2));
        } catch (IOException | RuntimeException e) {
            made.forEach(ReferenceCountUtil::release);
            throw e;
        }
    }

    /** Certificates contain no host name; the links check which site a certificate is for. */
    private static SslContext natively(SslContextBuilder builder, TrustManager trust) throws IOException {
        return builder.sslProvider(SslProvider.OPENSSL_REFCNT)
                .trustManager(trust)
                .endpointIdentificationAlgorithm(null)
                .protocols(PROTOCOL)
                .build();
    }

    static X509ExtendedTrustManager trust(X509Certificate authority) throws GeneralSecurityException, IOException {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, NO_PASSWORD);
        trusted.setCertificateEntry("authority", authority);
        TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
        trust.init(trusted);
        return (X509ExtendedTrustManager) trust.getTrustManagers()[0];
    }

    static SSLContext context(TrustManager trust, X509Certificate own, PrivateKey key)
            throws GeneralSecurityException, IOException {
        KeyStore mine = KeyStore.getInstance("PKCS12");
        mine.load(null, NO_PASSWORD);
        mine.setKeyEntry("site", key, NO_PASSWORD, new X509Certificate[] {own});
        KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
        keys.init(mine, NO_PASSWORD);
        SSLContext context = SSLContext.getInstance(PROTOCOL);
        context.init(keys.getKeyManagers(), new TrustManager[] {trust}, null);
        context.getServerSessionContext().setSessionTimeout(SESSION_SECONDS);
        return context;
    }
}
