package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;

/** Puts the pages of one body together. For one connection and one direction; not thread-safe. */
public final class NameAssembly {
    private final int bytesMax;
    private byte[] body = {};
    private long id;
    private int expected = -1;

    /** @param bytesMax longest body in bytes */
    public NameAssembly(int bytesMax) {
        this.bytesMax = bytesMax;
    }

    /**
     * Takes the next page.
     *
     * @return the body, behind its last page
     * @throws WireException if it is not the next page, or the body is too long
     */
    public Optional<ByteBuffer> add(NamePage page) throws WireException {
        if (expected >= 0 && (page.id() != id || page.left() != expected)) {
            throw new WireException(
                    CloseReason.NOT_EXPECTED,
                    "a name page of question " + page.id() + " with " + page.left() + " pages left, expected question " + id + " with " + expected);
        }
        if (body.length + page.bytes().remaining() > bytesMax) {
            throw new WireException(CloseReason.LIMIT, "a body about names of more than " + bytesMax + " bytes");
        }
        int before = body.length;
        body = Arrays.copyOf(body, before + page.bytes().remaining());
        page.bytes().duplicate().get(body, before, body.length - before);
        id = page.id();
        expected = page.left() - 1;
        if (page.left() > 0) {
            return Optional.empty();
        }
        ByteBuffer all = ByteBuffer.wrap(body);
        body = new byte[0];
        return Optional.of(all);
    }
}
