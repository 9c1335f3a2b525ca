package mpi;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import java.util.zip.CRC32;
import org.posthouse.mpj.Endpoint;

/**
 * A text that another process might not have, as recorded values: a process that is started in this one's place gets the same from the same calls. Each call
 * is recorded for itself, so that it needs no place in an image.
 */
final class RecordedText {
    private RecordedText() {}

    /**
     * The text that was recorded, or else that of {@code now}, which is asked at most once a recording. A process may have died between two values; what is
     * put together of two texts is noticed, and recorded again.
     */
    static synchronized String of(Endpoint endpoint, Supplier<String> now) {
        while (true) {
            Source mine = new Source(now);
            long head = endpoint.value(() -> head(mine.bytes()));
            byte[] text = new byte[(int) (head >>> Integer.SIZE)];
            for (int at = 0; at < text.length; at += Long.BYTES) {
                int from = at;
                byte[] part = ByteBuffer.allocate(Long.BYTES).putLong(endpoint.value(() -> part(mine.bytes(), from))).array();
                System.arraycopy(part, 0, text, at, Math.min(part.length, text.length - at));
            }
            if (head(text) == head) {
                return new String(text, StandardCharsets.UTF_8);
            }
        }
    }

    /** What is recorded now, asked when it is needed. */
    private static final class Source {
        private final Supplier<String> text;
        private byte[] bytes;

        Source(Supplier<String> text) {
            this.text = text;
        }

        byte[] bytes() {
            if (bytes == null) {
                bytes = text.get().getBytes(StandardCharsets.UTF_8);
            }
            return bytes;
        }
    }

    /** Its length and checksum. */
    private static long head(byte[] text) {
        CRC32 crc = new CRC32();
        crc.update(text);
        return (long) text.length << Integer.SIZE | crc.getValue();
    }

    /** Eight bytes of it; 0 behind its end. */
    private static long part(byte[] text, int from) {
        ByteBuffer part = ByteBuffer.allocate(Long.BYTES);
        if (from < text.length) {
            part.put(text, from, Math.min(Long.BYTES, text.length - from));
        }
        return part.getLong(0);
    }
}
