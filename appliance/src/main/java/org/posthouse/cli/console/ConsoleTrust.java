package org.posthouse.cli.console;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.posthouse.causes.Causes;
import org.posthouse.cli.option.CommandFailure;

/** Whose certificates a command accepts of a console: those of issuers in a file, or of the issuers that this Java knows. Stateless. */
final class ConsoleTrust {
    private ConsoleTrust() {}

    /** @param file PEM; null for the issuers that this Java knows */
    static SSLSocketFactory of(Path file) throws CommandFailure {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(file == null ? null : store(file));
            context.init(null, trust.getTrustManagers(), null);
            return context.getSocketFactory();
        } catch (IOException | GeneralSecurityException e) {
            throw new CommandFailure("--ops-ca " + file + " cannot be used: " + Causes.text(e) + "; expected certificates in PEM", e);
        }
    }

    private static KeyStore store(Path file) throws IOException, GeneralSecurityException {
        Collection<? extends Certificate> certificates =
                CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(Files.readAllBytes(file)));
        if (certificates.isEmpty()) {
            throw new IOException("it has no certificate");
        }
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        for (Certificate certificate : certificates) {
            store.setCertificateEntry("issuer-" + store.size(), certificate);
        }
        return store;
    }
}
