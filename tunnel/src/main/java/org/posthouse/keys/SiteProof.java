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
 * Signs as this relay's site, and verifies what other sites of the grid have signed, with the keys and the list of revoked certificates that are in force
 * now. For what is not said over a link, which TLS protects.
 *
 * <p>Thread-safe; {@link RelayKeys} writes what is in force, from the relay's context. A signature or a check takes some 0.1 to 0.4 ms of a processor.
 */
public final class SiteProof {
    /** The longest certificate that is looked at: one of ours has some 500 bytes. */
    public static final int CERTIFICATE_BYTES_MAX = 4_096;

    /** The longest signature: one on P-256 has at most 72 bytes. */
    public static final int SIGNATURE_BYTES_MAX = 512;

    /** Of {@link #grid}. */
    public static final int GRID_BYTES = 16;

    /** Certificates whose authority was looked at before, some 2 KB each. */
    private static final int CERTIFICATES_MAX = 256;

    private record InForce(SiteKeys keys, RevocationList revocations) {}

    /** A certificate that the authority has signed. */
    private record Known(X509Certificate certificate, X509Certificate authority, SiteCertificate site) {}

    /** Written by whoever renews the keys or their revocations, read by all that sign and verify. */
    private volatile InForce inForce;

    /** By encoding, the latest. Guarded by itself. */
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

    /** The beginning of the SHA-256 of the authority's certificate: what relays of one grid have in common, and can tell anybody. */
    public byte[] grid() {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(inForce.keys().authority().getEncoded());
            return Arrays.copyOf(hash, GRID_BYTES);
        } catch (NoSuchAlgorithmException | CertificateException e) {
            throw new IllegalStateException("the authority's certificate has no fingerprint", e);
        }
    }

    /** That of the key in force, in DER. */
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
     * Signs {@code content} with the site's key, and gives the certificate of the same key.
     *
     * @param content begins with what it is for, so that no signature means anything elsewhere
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

    /** What was signed with the key of {@code certificate}, which is in DER. */
    public record Signed(byte[] certificate, byte[] signature) {}

    /**
     * Whose signature of {@code content} this is.
     *
     * @throws KeysException if it is none by a certificate of the grid's authority that names a site, is valid now and is not revoked
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

    /** Whether what this certificate has proven counts no more: it was revoked, or the grid has another authority. */
    public boolean isOver(byte[] certificate) {
        InForce now = inForce;
        try {
            return now.revocations().holds(known(certificate, now.keys().authority()).site());
        } catch (KeysException e) {
            return true;
        }
    }

    /** Whether this certificate, which has proven something before, was revoked since. Not so if it is of an authority that has another in its place: as with links. */
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
