package org.posthouse.names.ldap;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.SocketFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Sockets that trust the authorities of one file. Public and with a static method, as JNDI is given its class's name; the authorities of the connection that is
 * being made are in a scoped value. JNDI itself asks for the server's name in the certificate.
 */
public final class TrustedSockets extends SocketFactory {
    private static final ScopedValue<SocketFactory> TRUSTED = ScopedValue.newInstance();

    private final SocketFactory factory;

    private TrustedSockets(SocketFactory factory) {
        this.factory = factory;
    }

    /** JNDI asks for it, on the thread that connects. */
    public static SocketFactory getDefault() {
        return new TrustedSockets(TRUSTED.get());
    }

    /** Runs what connects, with the authorities of a file. */
    static <T, X extends Exception> T with(Path ca, ScopedValue.CallableOp<T, X> connect) throws X, IOException {
        return ScopedValue.where(TRUSTED, factory(ca)).call(connect);
    }

    private static SocketFactory factory(Path ca) throws IOException {
        try (InputStream file = Files.newInputStream(ca)) {
            Collection<? extends Certificate> certificates = CertificateFactory.getInstance("X.509").generateCertificates(file);
            if (certificates.isEmpty()) {
                throw new IOException("ca=" + ca + " has no certificate in PEM");
            }
            KeyStore authorities = KeyStore.getInstance(KeyStore.getDefaultType());
            authorities.load(null, null);
            int number = 0;
            for (Certificate each : certificates) {
                authorities.setCertificateEntry("ca-" + number++, each);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(authorities);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context.getSocketFactory();
        } catch (GeneralSecurityException e) {
            throw new IOException("ca=" + ca + " has no certificates in PEM: " + e.getMessage(), e);
        }
    }

    @Override
    public Socket createSocket() throws IOException {
        return factory.createSocket();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return factory.createSocket(host, port);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) throws IOException {
        return factory.createSocket(host, port, local, localPort);
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return factory.createSocket(host, port);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) throws IOException {
        return factory.createSocket(host, port, local, localPort);
    }
}
