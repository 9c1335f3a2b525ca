package org.posthouse.keys;

import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.posthouse.causes.Causes;

/**
 * Signs as this relay's site, and verifies signatures of other sites of the grid, with the keys and revocation list in
 * force. For communication outside of links, which TLS does not protect.
 *
 * <p>Thread-safe; {@link RelayKeys} sets the keys in force, from the relay's context. A signature or a verification
 * takes some 0.1 to 0.4 ms of a processor.
 */
public final class SiteProof {
    /** Maximum length of an accepted certificate, bytes; ours have some 500. */
    public static final int CERTIFICATE_BYTES_MAX = 4_096;

    /** Maximum length of a signature, bytes; one on P-256 has at most 72. */
    public static final int SIGNATURE_BYTES_MAX = 512;

    /** Length of {@link #grid}, bytes. */
    public static final int GRID_BYTES = 16;

    /** Number of cached certificates whose authority was checked before, some 2 KB each. */
    private static final int CERTIFICATES_MAX = 256;

    private record InForce(SiteKeys keys, RevocationList revocations) {}

    /** A certificate that the authority has signed. */
    private record Known(X509Certificate certificate, X509Certificate authority, SiteCertificate site) {}

    /** Written when the keys or their revocations are renewed, read by all threads that sign and verify. */
    private volatile InForce inForce;

    /** The most recently used certificates by encoding. Guarded by itself. */
    private final Map<ByteBuffer, Known> known = new LinkedHashMap<>(16, 0.75F, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<ByteBuffer, Known> eldest) {
            return size() > CERTIFICATES_MAX;
        }
    };

    SiteProof(SiteKeys keys) {
        inForce = new InForce(keys, keys.revocations());
    }

    void use(SiteKeys keys, RevocationList revocations) {
        inForce = new InForce(keys, revocations);
    }

    /** The site of the keys. */
    public String site() {
        return inForce.keys().site();
    }

    /**
     * The beginning of the SHA-256 of the authority's certificate. It is the same for all relays of a grid, and public.
     */
    public byte[] grid() {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(inForce.keys().authority().getEncoded());
            return Arrays.copyOf(hash, GRID_BYTES);
        } catch (NoSuchAlgorithmException | CertificateException e) {
            throw new IllegalStateException("the authority's certificate has no fingerprint", e);
        }
    }

    /** The certificate of the key in force, in DER. */
    public byte[] certificate() {
        return encoded(inForce.keys());
    }

    private static byte[] encoded(SiteKeys keys) {
        try {
            return keys.own().getEncoded();
        } catch (CertificateException e) {
            throw new IllegalStateException("the certificate of site " + keys.site() + " has no encoding", e);
        }
    }

    /**
     * Signs {@code content} with the site's key, and returns the signature with the key's certificate.
     *
     * @param content begins with its purpose, so that a signature is invalid in any other context
     */
    public Signed sign(byte[] content) {
        SiteKeys keys = inForce.keys();
        try {
            Signature signature = Signature.getInstance(Certificates.SIGNATURE);
            signature.initSign(keys.key());
            signature.update(content);
            return new Signed(encoded(keys), signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the key of site " + keys.site() + " does not sign", e);
        }
    }

    /** A signature made with the key of {@code certificate}, which is in DER. */
    public record Signed(byte[] certificate, byte[] signature) {}

    /**
     * Verifies a signature of {@code content} and returns the signer's certificate.
     *
     * @throws KeysException if the signature or its certificate is invalid. The certificate must be of the grid's
     *         authority, name a site, be valid now and not be revoked
     */
    public SiteCertificate verify(Signed signed, byte[] content) throws KeysException {
        InForce now = inForce;
        Known signer = known(signed.certificate(), now.keys().authority());
        try {
            signer.certificate().checkValidity();
            Signature signature = Signature.getInstance(Certificates.SIGNATURE);
            signature.initVerify(signer.certificate().getPublicKey());
            signature.update(content);
            if (!signature.verify(signed.signature())) {
                throw new KeysException("the signature is not that of the certificate of site " + signer.site().site());
            }
        } catch (GeneralSecurityException e) {
            throw new KeysException("the certificate of site " + signer.site().site() + " proves nothing: " + Causes.text(e), e);
        }
        if (now.revocations().holds(signer.site())) {
            throw new KeysException("the certificate of site " + signer.site().site() + ", serial " + signer.site().serial() + ", was revoked");
        }
        return signer.site();
    }

    /** Whether proofs by this certificate no longer count, because it was revoked or the grid has another authority. */
    public boolean isOver(byte[] certificate) {
        InForce now = inForce;
        try {
            return now.revocations().holds(known(certificate, now.keys().authority()).site());
        } catch (KeysException e) {
            return true;
        }
    }

    /**
     * Whether this certificate, which has proven something before, was revoked since. False if its authority was
     * replaced by another, as with links.
     */
    public boolean isRevoked(byte[] certificate) {
        InForce now = inForce;
        try {
            return now.revocations().holds(known(certificate, now.keys().authority()).site());
        } catch (KeysException e) {
            return false;
        }
    }

    private Known known(byte[] encoded, X509Certificate authority) throws KeysException {
        ByteBuffer key = ByteBuffer.wrap(encoded.clone());
        synchronized (known) {
            Known found = known.get(key);
            if (found != null && found.authority().equals(authority)) {
                return found;
            }
        }
        Known looked = look(encoded, authority);
        synchronized (known) {
            known.put(key, looked);
        }
        return looked;
    }

    private static Known look(byte[] encoded, X509Certificate authority) throws KeysException {
        if (encoded.length == 0 || encoded.length > CERTIFICATE_BYTES_MAX) {
            throw new KeysException("a certificate of " + encoded.length + " bytes, expected 1 to " + CERTIFICATE_BYTES_MAX);
        }
        X509Certificate certificate;
        try {
            certificate = (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(encoded));
        } catch (CertificateException e) {
            throw new KeysException("no certificate: " + Causes.text(e), e);
        }
        if (!Certificates.isSigned(certificate, authority)) {
            throw new KeysException("a certificate of another authority than this grid's");
        }
        SiteCertificate site = SiteCertificate.of(certificate);
        if (site.site().isEmpty()) {
            throw new KeysException("a certificate that names no site");
        }
        return new Known(certificate, authority, site);
    }
}
