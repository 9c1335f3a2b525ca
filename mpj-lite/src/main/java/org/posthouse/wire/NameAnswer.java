package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The body of NAME_ANSWER, and of NAME_CHANGED.
 *
 * @param status what came of it
 * @param text for people, one line: why it was not done; else empty
 * @param retryMs of UNAVAILABLE: milliseconds after which another try makes sense; else 0
 * @param found what is bound; of ALREADY_BOUND and CONFLICT, what is bound instead
 * @param isMore of LIST: whether there are more names behind the last one
 */
public record NameAnswer(Status status, String text, int retryMs, List<NamedRecord> found, boolean isMore) {
    /** Longest body in bytes. A LIST ends before it: the answer says that there is more. */
    public static final int BYTES_MAX = 1024 * 1024;

    private static final int TEXT_BYTES_MAX = 4_096;

    /** Results; codes are never reused. */
    public enum Status {
        DONE,
        ALREADY_BOUND,
        NOT_BOUND,
        CONFLICT,
        TOO_LARGE,
        BAD_NAME,
        UNAVAILABLE,
        DENIED;

        private static final Status[] ALL = values();
    }

    public NameAnswer {
        found = List.copyOf(found);
    }

    /** What was asked for is done. */
    public static NameAnswer done(List<NamedRecord> found, boolean isMore) {
        return new NameAnswer(Status.DONE, "", 0, found, isMore);
    }

    /** The body. */
    public ByteBuffer encode() {
        FrameWriter out = new FrameWriter("NAME_ANSWER", BYTES_MAX).u8(status.ordinal()).text(text, TEXT_BYTES_MAX).i32(retryMs).flag(isMore).i32(found.size());
        found.forEach(each -> each.write(out));
        return out.finishPart();
    }

    /** @throws WireException if a field is out of range */
    public static NameAnswer decode(ByteBuffer body) throws WireException {
        FrameReader in = new FrameReader("NAME_ANSWER", body);
        int code = in.u8("status");
        if (code >= Status.ALL.length) {
            throw new WireException(CloseReason.MALFORMED_FRAME, "NAME_ANSWER with status " + code + ", expected 0 to " + (Status.ALL.length - 1));
        }
        String text = in.text("text");
        int retryMs = in.i32("milliseconds", 0, Integer.MAX_VALUE);
        boolean isMore = in.flag("whether there is more");
        List<NamedRecord> found = new ArrayList<>();
        for (int left = in.count(NamedRecord.bytesMin(), "names"); left > 0; left--) {
            found.add(NamedRecord.read(in));
        }
        in.end();
        return new NameAnswer(Status.ALL[code], text, retryMs, found, isMore);
    }
}
