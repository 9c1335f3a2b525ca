package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.util.SortedMap;

/**
 * A question to a relay's name service: the body of NAME_ASK. One that is repeated on another connection is done again, which
 * changes nothing more.
 *
 * @param operation what is asked
 * @param name the name, or the prefix of LIST and LISTEN, or the token of ELECT; empty of STOP, and of LIST for all names
 * @param version of SWAP and UNBIND: the expected version; else 0
 * @param epoch of BIND, REBIND and SWAP: the record's epoch; else 0
 * @param limit of LIST: most names of the answer, 1 to 1,000; of STOP: 0; else 0
 * @param after of LIST: the last name of the page before; else empty
 * @param fields of BIND, REBIND and SWAP: the record; of ELECT: the contender in the field {@link #CONTENDER}
 */
public record NameAsk(Operation operation, String name, long version, long epoch, int limit, String after, SortedMap<String, String> fields) {
    /** Longest body in bytes: a name, and a record of 64 KiB with the lengths of its fields. */
    public static final int BYTES_MAX = 70 * 1024;

    /** The field of an ELECT that says who contends. */
    public static final String CONTENDER = "contender";

    /** What may be asked; codes are never reused. */
    public enum Operation {
        BIND,
        REBIND,
        SWAP,
        LOOKUP,
        UNBIND,
        LIST,
        /** Changes at and below a prefix are told by NAME_CHANGED with this question's id, until STOP. */
        LISTEN,
        /** Ends the LISTEN of the same id. */
        STOP,
        /** An election of a token: DONE with the token's record, which names who has won. */
        ELECT;

        private static final Operation[] ALL = values();

        int code() {
            return ordinal() + 1;
        }

        static Operation of(int code) throws WireException {
            if (code < 1 || code > ALL.length) {
                throw new WireException(CloseReason.UNKNOWN_TYPE, "NAME_ASK with operation " + code + ", expected 1 to " + ALL.length);
            }
            return ALL[code - 1];
        }
    }

    /** A question without a record. */
    public static NameAsk of(Operation operation, String name) {
        return new NameAsk(operation, name, 0, 0, 0, "", NamedRecord.NO_FIELDS);
    }

    /** @throws IllegalArgumentException if it is longer than {@link #BYTES_MAX} */
    public ByteBuffer encode() {
        FrameWriter out = new FrameWriter("NAME_ASK", BYTES_MAX).u8(operation.code()).longText(name).i64(version).i64(epoch).i32(limit).longText(after);
        NamedRecord.write(fields, out);
        return out.finishPart();
    }

    /** @throws WireException if a field is out of range */
    public static NameAsk decode(ByteBuffer body) throws WireException {
        FrameReader in = new FrameReader("NAME_ASK", body);
        NameAsk ask = new NameAsk(
                Operation.of(in.u8("operation")), in.longText("name"), in.i64("version", -1, Long.MAX_VALUE), in.i64("epoch", 0, Long.MAX_VALUE),
                in.i32("limit", 0, 1_000), in.longText("last name"), NamedRecord.readFields(in));
        in.end();
        return ask;
    }
}
