package org.posthouse.directory;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import org.posthouse.keys.KeysException;
import org.posthouse.keys.RelayId;
import org.posthouse.keys.SiteCertificate;
import org.posthouse.keys.SiteProof;

/**
 * The handshake of two members before Hazelcast receives a byte: each proves that it is a relay of the grid. Confined
 * to the thread that runs it, once.
 *
 * <p>Both send HELLO (magic, flags, the grid's fingerprint, a nonce), the dialling end first. Then both send PROOF, in
 * the same order. With keys, a PROOF is a signature by the site's certificate. It covers both nonces, the signer's role
 * and name, and the address that was dialled, so it is valid once, towards one member.
 *
 * <p>Without keys, a PROOF is a MAC by the user's secret. It is sent only if the other end requests it, because that
 * end cannot determine the user. The length of each message is known or checked before it is read. docs/directory.md
 * has the bytes.
 */
final class GroupHandshake {
    static final byte[] MAGIC = "PHGROUP1".getBytes(StandardCharsets.US_ASCII);
    static final int NONCE_BYTES = 32;
    static final int HELLO_BYTES = MAGIC.length + 1 + SiteProof.GRID_BYTES + NONCE_BYTES;

    /** A name of 127 characters, a certificate, a signature or a MAC, and their lengths. */
    static final int PROOF_BYTES_MAX = 3 * 2 + 127 + SiteProof.CERTIFICATE_BYTES_MAX + SiteProof.SIGNATURE_BYTES_MAX;

    /** Stands in place of a PROOF's length if there is none; the reason follows. */
    static final int REFUSED = 0xFFFF;

    static final int REASON_CHARS_MAX = 300;
    private static final int KEYS = 1;
    private static final int SECRET_WANTED = 2;
    private static final String CONTEXT = "posthouse group member 1";
    private static final SecureRandom RANDOM = new SecureRandom();

    /** The bytes of a connection; each call fails when its time is over. */
    interface Wire {
        /** Reads bytes; fails with {@link EOFException} if the connection ends before. */
        byte[] read(int bytes) throws IOException;

        void write(byte[] bytes) throws IOException;
    }

    /**
     * Returns true if the other end's user is known to be that of this process, or root. Throws for another user.
     * Called when the other end has sent something.
     */
    interface UserCheck {
        boolean isKnown() throws IOException;
    }

    /**
     * The proven identity of the other end.
     *
     * @param certificate in DER; empty without keys
     */
    record Peer(String relay, byte[] certificate) {}

    private record Hello(int flags, byte[] grid, byte[] nonce) {
        boolean keys() {
            return (flags & KEYS) != 0;
        }

        boolean secretWanted() {
            return (flags & SECRET_WANTED) != 0;
        }
    }

    private record Proof(String relay, byte[] certificate, byte[] evidence) {}

    private final GroupConfig self;
    private final UserSecret secret;
    private final UserCheck user;
    private final Wire wire;
    private final byte[] grid;
    private final byte[] nonce = new byte[NONCE_BYTES];

    GroupHandshake(GroupConfig self, UserSecret secret, UserCheck user, Wire wire) {
        this.self = self;
        this.secret = secret;
        this.user = user;
        this.wire = wire;
        this.grid = self.proof().map(SiteProof::grid).orElse(new byte[SiteProof.GRID_BYTES]);
        RANDOM.nextBytes(nonce);
    }

    /**
     * Runs the handshake at the member that was dialled.
     *
     * @throws GroupRefusedException if the other end is refused; it has been told why, if it speaks this protocol
     */
    Peer accept() throws IOException {
        boolean known = user.isKnown();
        Hello dialler = readHello();
        int flags = flags() | (known ? 0 : SECRET_WANTED);
        writeHello(flags);
        try {
            checkGrid(dialler);
            // The dialling end learns only now who has accepted, so the byte that requests the secret precedes its
            // PROOF.
            boolean wanted = wire.read(1)[0] != 0;
            Proof proof = readProof();
            verify(proof, signed('D', dialler.nonce, nonce, self.endpoint(), proof.relay), known);
            writeProof(signed('A', dialler.nonce, nonce, self.endpoint(), self.relay()), wanted);
            return new Peer(proof.relay, proof.certificate);
        } catch (GroupRefusedException e) {
            writeRefusal(e.getMessage());
            throw e;
        }
    }

    /**
     * Runs the handshake at the member that has dialled.
     *
     * @param address the address that was dialled, as host:port
     * @throws GroupRefusedException if this end refuses the other, or is refused by it
     */
    Peer dial(String address) throws IOException {
        writeHello(flags());
        Hello acceptor = readHello();
        boolean known = user.isKnown();
        checkGrid(acceptor);
        wire.write(new byte[] {(byte) (known ? 0 : 1)});
        writeProof(signed('D', nonce, acceptor.nonce, address, self.relay()), acceptor.secretWanted());
        Proof proof = readProof();
        verify(proof, signed('A', nonce, acceptor.nonce, address, proof.relay), known);
        return new Peer(proof.relay, proof.certificate);
    }

    private int flags() {
        return self.proof().isPresent() ? KEYS : 0;
    }

    private void writeHello(int flags) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(MAGIC);
        bytes.write(flags);
        bytes.writeBytes(grid);
        bytes.writeBytes(nonce);
        wire.write(bytes.toByteArray());
    }

    private Hello readHello() throws IOException {
        for (byte expected : MAGIC) {
            if (wire.read(1)[0] != expected) {
                throw new GroupRefusedException(GroupRefusal.NO_HANDSHAKE, "the first bytes are not those of a member's handshake");
            }
        }
        byte[] rest = wire.read(HELLO_BYTES - MAGIC.length);
        int nonceAt = 1 + SiteProof.GRID_BYTES;
        return new Hello(rest[0], Arrays.copyOfRange(rest, 1, nonceAt), Arrays.copyOfRange(rest, nonceAt, rest.length));
    }

    private void checkGrid(Hello other) throws GroupRefusedException {
        boolean keys = self.proof().isPresent();
        if (other.keys() && !keys) {
            throw new KeysRequiredException(self.relay());
        }
        if (keys && !other.keys()) {
            throw new GroupRefusedException(GroupRefusal.NOT_PROVEN, "the other end has no keys, relay " + self.relay() + " has");
        }
        if (!Arrays.equals(other.grid, grid)) {
            throw new GroupRefusedException(GroupRefusal.NOT_PROVEN, "the other end's keys are of another authority than those of relay " + self.relay());
        }
    }

    /** The content that a PROOF signs: never the same twice, and invalid in any other handshake. */
    private byte[] signed(char role, byte[] diallersNonce, byte[] acceptorsNonce, String address, String relay) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeUTF(CONTEXT);
            out.writeByte(role);
            out.write(grid);
            out.write(diallersNonce);
            out.write(acceptorsNonce);
            out.writeUTF(address);
            out.writeUTF(relay);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private void writeProof(byte[] content, boolean secretWanted) throws IOException {
        byte[] certificate = {};
        byte[] evidence = {};
        if (self.proof().isPresent()) {
            SiteProof.Signed signed = self.proof().get().sign(content);
            certificate = signed.certificate();
            evidence = signed.signature();
        } else if (secretWanted) {
            evidence = secret.mac(content);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            byte[] relay = self.relay().getBytes(StandardCharsets.UTF_8);
            out.writeShort(3 * 2 + relay.length + certificate.length + evidence.length);
            for (byte[] part : new byte[][] {relay, certificate, evidence}) {
                out.writeShort(part.length);
                out.write(part);
            }
        }
        wire.write(bytes.toByteArray());
    }

    private Proof readProof() throws IOException {
        int length = readShort();
        if (length == REFUSED) {
            byte[] reason = wire.read(Math.min(readShort(), REASON_CHARS_MAX));
            throw new GroupRefusedException(GroupRefusal.NOT_PROVEN, "the other end refuses: " + printable(reason));
        }
        if (length > PROOF_BYTES_MAX) {
            throw new GroupRefusedException(GroupRefusal.NO_HANDSHAKE, "a proof of " + length + " bytes, expected at most " + PROOF_BYTES_MAX);
        }
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(wire.read(length)))) {
            String relay = printable(part(in));
            return new Proof(relay, part(in), part(in));
        } catch (EOFException e) {
            throw new GroupRefusedException(GroupRefusal.NO_HANDSHAKE, "a proof whose parts are longer than its " + length + " bytes");
        }
    }

    /** Reads one part of a PROOF, at most {@link #PROOF_BYTES_MAX} bytes. */
    private static byte[] part(DataInputStream in) throws IOException {
        byte[] part = new byte[Math.min(in.readUnsignedShort(), PROOF_BYTES_MAX)];
        in.readFully(part);
        return part;
    }

    private int readShort() throws IOException {
        byte[] bytes = wire.read(2);
        return (bytes[0] & 0xFF) << 8 | bytes[1] & 0xFF;
    }

    private static String printable(byte[] text) {
        return new String(text, StandardCharsets.UTF_8).replaceAll("\\p{C}", "?");
    }

    private void verify(Proof proof, byte[] content, boolean userKnown) throws IOException {
        if (self.proof().isPresent()) {
            verifySite(proof, content);
        } else if (!userKnown && !MessageDigest.isEqual(proof.evidence, secret.mac(content))) {
            throw new GroupRefusedException(GroupRefusal.NOT_PROVEN, "relay " + proof.relay + " has not shown the secret in " + secret.file()
                    + ", and the system does not say of which user it is");
        }
    }

    private void verifySite(Proof proof, byte[] content) throws GroupRefusedException {
        SiteCertificate signer;
        try {
            signer = self.proof().orElseThrow().verify(new SiteProof.Signed(proof.certificate, proof.evidence), content);
        } catch (KeysException e) {
            throw new GroupRefusedException(GroupRefusal.NOT_PROVEN, "relay " + proof.relay + ": " + e.getMessage());
        }
        if (!RelayId.isOf(signer.site(), proof.relay)) {
            throw new GroupRefusedException(GroupRefusal.NOT_PROVEN,
                    "relay " + proof.relay + " is none of site " + signer.site() + ", whose certificate it has shown");
        }
    }

    private void writeRefusal(String why) throws IOException {
        byte[] reason = why.substring(0, Math.min(why.length(), REASON_CHARS_MAX)).getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeShort(REFUSED);
            out.writeShort(reason.length);
            out.write(reason);
        }
        wire.write(bytes.toByteArray());
    }
}
