package org.posthouse.directory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.posthouse.keys.SiteProof;
import org.posthouse.testkit.FuzzRuns;

/** The build's short run of {@link GroupHandshakeFuzz}. */
final class GroupHandshakeFuzzTest {
    private static final int ROUNDS = Boolean.getBoolean("posthouse.long") ? 50_000 : 1_500;
    private static final int SITUATIONS = 16;
    private static final byte HAS_KEYS = 1;
    private static final long ALLOCATED_BYTES_MAX = 1L << 20;

    @Test
    void onlyAProofOrAKnownUserIsAdmitted() throws IOException {
        List<byte[]> samples = new ArrayList<>();
        int admitted = 0;
        for (int situation = 0; situation < SITUATIONS; situation++) {
            byte[] sample = stranger(situation);
            samples.add(sample);
            admitted += GroupHandshakeFuzz.handshake(situation, Arrays.copyOfRange(sample, 1, sample.length)) ? 1 : 0;
        }
        assertThat(admitted).as("strangers of this user, where nobody has keys").isEqualTo(SITUATIONS / 4);
        FuzzRuns.each(ROUNDS, samples, ALLOCATED_BYTES_MAX, GroupHandshakeFuzz::fuzzerTestOneInput);
    }

    /** A HELLO and a PROOF of the right form. */
    private static byte[] stranger(int situation) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.write(situation);
            out.write(GroupHandshake.MAGIC);
            out.write((situation & GroupHandshakeFuzz.KEYS) != 0 ? HAS_KEYS : 0);
            out.write(new byte[SiteProof.GRID_BYTES + GroupHandshake.NONCE_BYTES]);
            if ((situation & GroupHandshakeFuzz.ACCEPTS) != 0) {
                out.write(0);
            }
            byte[] relay = "b".getBytes(StandardCharsets.UTF_8);
            byte[] evidence = new byte[UserSecret.MAC_BYTES];
            out.writeShort(3 * Short.BYTES + relay.length + evidence.length);
            for (byte[] part : List.of(relay, new byte[0], evidence)) {
                out.writeShort(part.length);
                out.write(part);
            }
        }
        return bytes.toByteArray();
    }
}
