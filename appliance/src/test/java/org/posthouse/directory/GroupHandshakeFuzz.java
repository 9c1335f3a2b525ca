package org.posthouse.directory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.posthouse.keys.GridAuthority;
import org.posthouse.keys.SiteKeys;
import org.posthouse.keys.SiteProof;

/**
 * Fuzz target: the bytes that a stranger sends to a member, before Hazelcast reads any. A handshake admits or ends with
 * an IOException. It reads no more than one HELLO and one PROOF, and answers nobody with a PROOF who has not proven
 * anything. The first byte selects the situation ({@link #ACCEPTS} and the others).
 */
public final class GroupHandshakeFuzz {
    /** The member accepts the connection, and does not dial it. */
    static final int ACCEPTS = 1;

    /** The member has keys. */
    static final int KEYS = 2;

    /** The system says that the stranger is of this process's user. */
    static final int USER_KNOWN = 4;

    /** The stranger names the member's grid. */
    static final int SAME_GRID = 8;

    private static final String ADDRESS = "127.0.0.1:7413";
    private static final int READ_BYTES_MAX = GroupHandshake.HELLO_BYTES + 1 + Short.BYTES + GroupHandshake.PROOF_BYTES_MAX;
    private static final int GRID_AT = GroupHandshake.MAGIC.length + 1;
    private static final int REFUSAL_BYTES_MAX = 2 * Short.BYTES + 3 * GroupHandshake.REASON_CHARS_MAX;

    private static final Path FOLDER = folder();
    private static final SiteProof PROOF = proof();

    private GroupHandshakeFuzz() {}

    /** Jazzer's entry ({@code make fuzz}). */
    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length > 0) {
            handshake(input[0], Arrays.copyOfRange(input, 1, input.length));
        }
    }

    /** Whether the stranger was admitted. */
    static boolean handshake(int situation, byte[] bytes) {
        boolean accepts = (situation & ACCEPTS) != 0;
        boolean keys = (situation & KEYS) != 0;
        boolean known = (situation & USER_KNOWN) != 0;
        if (keys && (situation & SAME_GRID) != 0 && bytes.length >= GroupHandshake.HELLO_BYTES) {
            System.arraycopy(PROOF.grid(), 0, bytes, GRID_AT, SiteProof.GRID_BYTES);
        }
        GroupConfig self = new GroupConfig("fuzzed", "127.0.0.1", 7_413, List.of(ADDRESS), "a", Groups.QUICK, keys ? Optional.of(PROOF) : Optional.empty());
        Stranger stranger = new Stranger(bytes);
        GroupHandshake handshake = new GroupHandshake(self, new UserSecret(FOLDER.resolve("group.secret")), () -> known, stranger);
        boolean admitted = false;
        try {
            GroupHandshake.Peer peer = accepts ? handshake.accept() : handshake.dial(ADDRESS);
            assertThat(known && !keys).as("relay %s was admitted without a proof", peer.relay()).isTrue();
            admitted = true;
        } catch (IOException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
        assertThat(stranger.read).as("bytes read").isLessThanOrEqualTo(READ_BYTES_MAX);
        if (accepts && !admitted) {
            assertThat(stranger.written).as("bytes written").isLessThanOrEqualTo(GroupHandshake.HELLO_BYTES + REFUSAL_BYTES_MAX);
        }
        return admitted;
    }

    /** Sends its bytes and ends. */
    private static final class Stranger implements GroupHandshake.Wire {
        private final byte[] bytes;
        private int read;
        private int written;

        Stranger(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        public byte[] read(int count) throws IOException {
            assertThat(count).as("bytes to read").isBetween(0, READ_BYTES_MAX);
            if (count > bytes.length - read) {
                throw new EOFException("after " + read + " bytes");
            }
            read += count;
            return Arrays.copyOfRange(bytes, read - count, read);
        }

        @Override
        public void write(byte[] count) {
            written += count.length;
        }
    }

    private static Path folder() {
        try {
            Path folder = Files.createTempDirectory("fuzz");
            folder.toFile().deleteOnExit();
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static SiteProof proof() {
        try {
            GridAuthority authority = GridAuthority.init(FOLDER.resolve("authority"), 2);
            authority.issue("a", 2, FOLDER.resolve("a"));
            return SiteKeys.load(FOLDER.resolve("a")).proof();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
