package org.posthouse.keys;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509CRLEntry;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.Map;
import java.util.TreeMap;
import org.bouncycastle.asn1.ASN1Integer;
import org.bouncycastle.asn1.x509.CRLNumber;
import org.bouncycastle.asn1.x509.CRLReason;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.cert.jcajce.JcaX509CRLConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v2CRLBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.posthouse.causes.Causes;
import org.posthouse.wire.Wire;

/**
 * The revoked certificates of a grid: an X.509 list signed by its authority, with a number that grows by one with each
 * change. Immutable. Of two lists, the one with the higher number counts. Only the authority can create one, so a list
 * may be accepted from any source.
 */
public final class RevocationList {
    /**
     * Maximum size, so that the list fits into one frame: about 1,600 certificates. Expired certificates leave the
     * list.
     */
    static final int BYTES_MAX = Wire.FRAME_BYTES_MAX - Wire.HEADER_BYTES;

    /** The empty list before the first revocation. */
    static final RevocationList NONE = new RevocationList(0, Map.of(), new byte[0], null);

    private final long number;
    private final Map<BigInteger, Instant> revoked;
    private final byte[] encoded;

    /** Null for {@link #NONE}. */
    private final X509CRL signed;

    private RevocationList(long number, Map<BigInteger, Instant> revoked, byte[] encoded, X509CRL signed) {
        this.number = number;
        this.revoked = revoked;
        this.encoded = encoded;
        this.signed = signed;
    }

    /**
     * Reads a list in DER or PEM form.
     *
     * @param from its source, for messages
     * @throws KeysException if it is not a list, or not signed by {@code authority}
     */
    static RevocationList read(byte[] bytes, X509Certificate authority, String from) throws KeysException {
        RevocationList list = parse(bytes, from);
        if (!list.isOf(authority)) {
            throw new KeysException(from + " is a list of revoked certificates of another authority than the one beside it: take it away");
        }
        return list;
    }

    /**
     * As {@link #read}, without a check of the signature.
     *
     * @throws KeysException if it is not a list
     */
    static RevocationList parse(byte[] bytes, String from) throws KeysException {
        try {
            X509CRL list = (X509CRL) CertificateFactory.getInstance("X.509").generateCRL(new ByteArrayInputStream(bytes));
            if (list == null) {
                throw new KeysException(from + " holds no list of revoked certificates");
            }
            Map<BigInteger, Instant> revoked = new TreeMap<>();
            if (list.getRevokedCertificates() != null) {
                for (X509CRLEntry entry : list.getRevokedCertificates()) {
                    revoked.put(entry.getSerialNumber(), entry.getRevocationDate().toInstant());
                }
            }
            return new RevocationList(numberOf(list, from), revoked, list.getEncoded(), list);
        } catch (KeysException e) {
            throw e;
        } catch (GeneralSecurityException | IOException e) {
            throw new KeysException(from + " holds no list of revoked certificates: " + Causes.text(e), e);
        }
    }

    /** Whether {@code authority} has signed the list. {@link #NONE} is unsigned. */
    boolean isOf(X509Certificate authority) {
        try {
            if (signed != null) {
                signed.verify(authority.getPublicKey());
            }
            return signed != null;
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private static long numberOf(X509CRL list, String from) throws IOException {
        byte[] extension = list.getExtensionValue(Extension.cRLNumber.getId());
        if (extension == null) {
            throw new KeysException("the list of revoked certificates " + from + " has no number");
        }
        try {
            return ASN1Integer.getInstance(JcaX509ExtensionUtils.parseExtensionValue(extension)).longValueExact();
        } catch (ArithmeticException e) {
            throw new KeysException("the list of revoked certificates " + from + " has a number of more than 64 bits", e);
        }
    }

    /**
     * Creates the successor of this list.
     *
     * @param revoked all its entries: serial number and time of revocation
     * @throws KeysException if it would not fit into a frame
     */
    RevocationList next(Map<BigInteger, Instant> revoked, X509Certificate authority, PrivateKey key)
            throws KeysException {
        var builder = new JcaX509v2CRLBuilder(authority.getSubjectX500Principal(), Date.from(Instant.now()));
        revoked.forEach((serial, when) -> builder.addCRLEntry(serial, Date.from(when), CRLReason.unspecified));
        try {
            builder.addExtension(Extension.cRLNumber, false, new CRLNumber(BigInteger.valueOf(number + 1)));
            builder.addExtension(
                    Extension.authorityKeyIdentifier,
                    false,
                    new JcaX509ExtensionUtils().createAuthorityKeyIdentifier(authority));
            X509CRL list = new JcaX509CRLConverter()
                    .getCRL(builder.build(new JcaContentSignerBuilder(Certificates.SIGNATURE).build(key)));
            byte[] bytes = list.getEncoded();
            if (bytes.length > BYTES_MAX) {
                throw new KeysException("a list of " + revoked.size() + " revoked certificates takes " + bytes.length
                        + " bytes, the most is " + BYTES_MAX + ": begin a new grid, whose authority has revoked none");
            }
            return new RevocationList(number + 1, Map.copyOf(revoked), bytes, list);
        } catch (KeysException e) {
            throw e;
        } catch (IOException | GeneralSecurityException | OperatorCreationException e) {
            throw new KeysException("cannot sign the list of revoked certificates: " + Causes.text(e), e);
        }
    }

    /** The list's number; 0 if there is none yet. */
    public long number() {
        return number;
    }

    int size() {
        return revoked.size();
    }

    public boolean holds(SiteCertificate certificate) {
        return !revoked.isEmpty()
                && !certificate.serial().isEmpty()
                && revoked.containsKey(new BigInteger(certificate.serial(), 16));
    }

    /** Serial numbers, with the time when each was revoked. */
    Map<BigInteger, Instant> revoked() {
        return revoked;
    }

    boolean isNewerThan(RevocationList other) {
        return number > other.number;
    }

    boolean isSame(RevocationList other) {
        return Arrays.equals(encoded, other.encoded);
    }

    /** The list in DER form; callers must not change it. */
    public byte[] encoded() {
        return encoded;
    }

    void write(Path file) throws KeysException {
        KeyFiles.replaceRevocations(file, encoded);
    }
}
