package org.posthouse.keys;

import io.netty.buffer.ByteBufAllocator;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Map;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.posthouse.audit.Audit;
import org.posthouse.status.KeysStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of one relay, as its links use them. They change while the relay runs, by changed files or lists from peers.
 * Confined to the relay's context.
 */
public final class RelayKeys {
    private static final Logger LOG = LoggerFactory.getLogger(RelayKeys.class);

    private final String relay;
    private final Consumer<RevocationList> onRevocations;
    private final LinkKeys keys;
    private final SiteProof proof;
    private final KeyWatch watch;

    /**
     * @param context the relay's
     *
     * @param loaded the keys in force at first
     * @param onRevocations receives each revocation list that comes into force from now on
     */
    public RelayKeys(ContextInternal context, String relay, SiteKeys loaded, Consumer<RevocationList> onRevocations) {
        this.relay = relay;
        this.onRevocations = onRevocations;
        this.keys = new LinkKeys(loaded);
        this.proof = loaded.proof();
        this.watch = new KeyWatch(context, loaded, this::onKeys, this::onProblem);
    }

    /** Begins to watch the files for changes. */
    public void start() {
        watch.start();
    }

    /** Stops watching. Completes when no file is read or written any more. */
    public Future<Void> stop() {
        return watch.stop();
    }

    /**
     * Creates an engine for a new TLS connection, with the keys in force.
     *
     * @param dialled whether this end has dialled
     */
    public SSLEngine engine(boolean natively, boolean dialled, ByteBufAllocator allocator) {
        return keys.inForce().engines().engine(natively, dialled, allocator);
    }

    /**
     * The certificate that the other end has shown in a completed handshake; it may name no site.
     *
     * @throws CertificateException if it is not valid now; a resumed session presents its first certificate, whose
     *         validity nobody has checked since
     */
    public static SiteCertificate peer(SSLEngine engine) throws CertificateException {
        X509Certificate certificate;
        try {
            certificate = (X509Certificate) engine.getSession().getPeerCertificates()[0];
        } catch (SSLPeerUnverifiedException e) {
            return SiteCertificate.NOBODY;
        }
        try {
            certificate.checkValidity();
        } catch (CertificateException e) {
            throw new NotValidException(certificate, e);
        }
        return SiteCertificate.of(certificate);
    }

    /** The site's keys in force. */
    public SiteKeys inForce() {
        return keys.inForce();
    }

    public boolean isRevoked(SiteCertificate certificate) {
        return keys.isRevoked(certificate);
    }

    /** The revocation list in force. */
    public RevocationList revocations() {
        return keys.revocations();
    }

    /**
     * Status of the keys in force, with the actions due on them.
     *
     * @param peers the certificates of the linked relays, by relay
     */
    public KeysStatus status(Map<String, SiteCertificate> peers) {
        return keys.status(peers, Instant.now());
    }

    /**
     * Handles a list that a peer sent. A newer one takes effect and is stored for the next start; one of another
     * authority is not.
     *
     * @throws KeysException if it is not a list
     */
    public void take(byte[] encoded, String from) throws KeysException {
        if (keys.take(encoded, from)) {
            proof.use(keys.inForce(), keys.revocations());
            watch.keep(keys.revocations(), keys.inForce().authority());
            honour(keys.revocations());
        }
    }

    private void onKeys(SiteKeys newer) {
        String site = keys.inForce().site();
        if (!newer.site().equals(site)) {
            onProblem(KeyWatch.unused("the certificate " + newer.certificate().file() + " is for site " + newer.site() + ", this is site " + site));
            return;
        }
        boolean changed = keys.replace(newer);
        proof.use(keys.inForce(), keys.revocations());
        if (changed) {
            honour(keys.revocations());
        }
        if ((changed || newer.revocations().number() > 0) && keys.revocations().isNewerThan(newer.revocations())) {
            // A list of the same number is not overwritten. Another relay with the same folder may have it in force,
            // and each would overwrite the other's forever.
            watch.keep(keys.revocations(), newer.authority());
        }
    }

    private void onProblem(String what) {
        LOG.warn("relay {}: {}", relay, what);
        keys.onProblem(what);
    }

    private void honour(RevocationList list) {
        LOG.info("relay {}: list {} of revoked certificates, with {} of them, is in force", relay, list.number(), list.size());
        Audit.changed(relay, "list " + list.number() + " of revoked certificates, with " + list.size() + " of them, is in force");
        onRevocations.accept(list);
    }
}
