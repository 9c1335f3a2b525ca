package org.posthouse.keys;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.util.Date;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.posthouse.causes.Causes;

/**
 * Builds and checks the kinds of X.509 certificates of a grid: its authority's, its sites' and its nodes'. Stateless.
 *
 * <p>Keys are ECDSA on P-256. The JDK has intrinsics for this curve, so a handshake blocks an event loop least.
 */
final class Certificates {
    private static final String CURVE = "secp256r1";
    static final String SIGNATURE = "SHA256withECDSA";
    private static final X500Principal AUTHORITY = new X500Principal("CN=Posthouse grid authority");

    /** Serial numbers are random, so that no counter can be lost or used twice. */
    private static final int SERIAL_BITS = 127;

    private static final SecureRandom RANDOM = new SecureRandom();

    private Certificates() {}

    static KeyPair newKeyPair() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec(CURVE));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK has no " + CURVE, e);
        }
    }

    static X509Certificate authority(KeyPair pair, Instant notBefore, Instant notAfter) throws KeysException {
        var builder = new JcaX509v3CertificateBuilder(
                AUTHORITY, serial(), Date.from(notBefore), Date.from(notAfter), AUTHORITY, pair.getPublic());
        try {
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
            builder.addExtension(
                    Extension.subjectKeyIdentifier,
                    false,
                    new JcaX509ExtensionUtils().createSubjectKeyIdentifier(pair.getPublic()));
            return sign(builder, pair.getPrivate());
        } catch (IOException | GeneralSecurityException | OperatorCreationException e) {
            throw new KeysException("cannot build the authority's certificate: " + Causes.text(e), e);
        }
    }

    static X509Certificate site(
            String site,
            PublicKey siteKey,
            X509Certificate authority,
            PrivateKey authorityKey,
            Instant notBefore,
            Instant notAfter)
            throws KeysException {
        KeyPurposeId[] purposes = {KeyPurposeId.id_kp_serverAuth, KeyPurposeId.id_kp_clientAuth};
        return issue(site, SiteCertificate.URI_PREFIX + site, purposes, siteKey, authority, authorityKey, notBefore, notAfter);
    }

    /** A node's, which is valid for a client only. @param node as SITE/NAME */
    static X509Certificate node(
            String node, PublicKey nodeKey, X509Certificate authority, PrivateKey authorityKey, Instant notBefore, Instant notAfter)
            throws KeysException {
        KeyPurposeId[] purposes = {KeyPurposeId.id_kp_clientAuth};
        return issue(node, SiteCertificate.NODE_PREFIX + node, purposes, nodeKey, authority, authorityKey, notBefore, notAfter);
    }

    private static X509Certificate issue(
            String subject,
            String uri,
            KeyPurposeId[] purposes,
            PublicKey subjectKey,
            X509Certificate authority,
            PrivateKey authorityKey,
            Instant notBefore,
            Instant notAfter)
            throws KeysException {
        var builder = new JcaX509v3CertificateBuilder(
                authority.getSubjectX500Principal(),
                serial(),
                Date.from(notBefore),
                Date.from(notAfter),
                new X500Principal("CN=" + subject),
                subjectKey);
        GeneralName name = new GeneralName(GeneralName.uniformResourceIdentifier, uri);
        try {
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
            builder.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(purposes));
            builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(name));
            builder.addExtension(
                    Extension.authorityKeyIdentifier,
                    false,
                    new JcaX509ExtensionUtils().createAuthorityKeyIdentifier(authority));
            return sign(builder, authorityKey);
        } catch (IOException | GeneralSecurityException | OperatorCreationException e) {
            throw new KeysException("cannot build the certificate for " + subject + ": " + Causes.text(e), e);
        }
    }

    /** Whether {@code authority} has signed {@code certificate}, valid now or not. */
    static boolean isSigned(X509Certificate certificate, X509Certificate authority) {
        try {
            certificate.verify(authority.getPublicKey());
            return true;
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    /** @throws KeysException if {@code certificate}, read from {@code file}, is expired or not valid yet */
    static void requireValidNow(X509Certificate certificate, Path file) throws KeysException {
        Instant now = Instant.now();
        Instant notBefore = certificate.getNotBefore().toInstant();
        Instant notAfter = certificate.getNotAfter().toInstant();
        if (now.isAfter(notAfter)) {
            throw new KeysException("the certificate " + file + " expired " + notAfter + ", now is " + now
                    + ": renew it with posthouse keys renew; if it is the authority's, begin a new grid with posthouse keys init");
        }
        if (now.isBefore(notBefore)) {
            throw new KeysException("the certificate " + file + " is valid from " + notBefore + ", now is " + now
                    + ": check this machine's clock");
        }
    }

    /** @throws KeysException if {@code key}, read from {@code file}, is not the certificate's */
    static void requireMatch(X509Certificate certificate, PrivateKey key, Path file) throws KeysException {
        byte[] probe = new byte[32];
        RANDOM.nextBytes(probe);
        boolean match;
        try {
            Signature signature = Signature.getInstance(SIGNATURE);
            signature.initSign(key);
            signature.update(probe);
            byte[] signed = signature.sign();
            signature.initVerify(certificate.getPublicKey());
            signature.update(probe);
            match = signature.verify(signed);
        } catch (GeneralSecurityException e) {
            throw new KeysException("the private key " + file + " cannot sign: " + Causes.text(e), e);
        }
        if (!match) {
            throw new KeysException("the private key " + file + " does not belong to the certificate beside it"
                    + " (serial " + certificate.getSerialNumber().toString(16)
                    + "): restore the pair, or issue a new one");
        }
    }

    private static BigInteger serial() {
        return new BigInteger(SERIAL_BITS, RANDOM).setBit(SERIAL_BITS - 1);
    }

    private static X509Certificate sign(X509v3CertificateBuilder builder, PrivateKey key)
            throws GeneralSecurityException, OperatorCreationException {
        return new JcaX509CertificateConverter()
                .getCertificate(builder.build(new JcaContentSignerBuilder(SIGNATURE).build(key)));
    }
}
