package org.posthouse.names.raft;

import java.util.Optional;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameException;
import org.posthouse.names.NameRecord;
import org.posthouse.names.NameService;
import org.posthouse.names.NameTable;

/**
 * A change of one name, as it stands in the judges' log. Immutable.
 *
 * @param expected the version of SWAP and UNBIND; 0 of the others
 * @param record empty of UNBIND only
 */
record NameCommand(Kind kind, Name name, long expected, Optional<NameRecord> record) {
    /** In the order of their numbers in the log: a new one comes last. */
    enum Kind {
        BIND,
        REBIND,
        SWAP,
        UNBIND
    }

    /** The first byte of an answer: done. Another value is one more than the position of a {@link NameException.Kind}. */
    private static final int DONE = 0;

    static NameCommand bind(Name name, NameRecord record) {
        return new NameCommand(Kind.BIND, name, 0, Optional.of(record));
    }

    static NameCommand rebind(Name name, NameRecord record) {
        return new NameCommand(Kind.REBIND, name, 0, Optional.of(record));
    }

    static NameCommand swap(Name name, long expected, NameRecord record) {
        return new NameCommand(Kind.SWAP, name, expected, Optional.of(record));
    }

    static NameCommand unbind(Name name, long expected) {
        return new NameCommand(Kind.UNBIND, name, expected, Optional.empty());
    }

    void write(ByteWriter out) {
        out.u8(kind.ordinal()).name(name).i64(expected);
        record.ifPresent(out::record);
    }

    static NameCommand read(ByteReader in) throws MalformedException {
        int kind = in.u8("a command");
        if (kind >= Kind.values().length) {
            throw new MalformedException("command " + kind + ", expected 0 to " + (Kind.values().length - 1));
        }
        Name name = in.name();
        long expected = in.i64("the expected version", NameService.ANY_VERSION);
        Optional<NameRecord> record = kind == Kind.UNBIND.ordinal() ? Optional.empty() : Optional.of(in.record());
        in.end();
        return new NameCommand(Kind.values()[kind], name, expected, record);
    }

    /** Applies it, and encodes the answer: a version (of UNBIND 1 or 0), or a refusal. The record that was given is not sent back. */
    byte[] applyTo(NameTable table) {
        ByteWriter answer = new ByteWriter();
        try {
            return answer.u8(DONE).i64(change(table)).toBytes();
        } catch (NameException e) {
            return new ByteWriter().u8(1 + e.kind().ordinal()).text(e.getMessage()).bound(e.found()).toBytes();
        }
    }

    private long change(NameTable table) {
        return switch (kind) {
            case BIND -> table.bind(name, record.orElseThrow()).version();
            case REBIND -> table.rebind(name, record.orElseThrow()).version();
            case SWAP -> table.swap(name, expected, record.orElseThrow()).version();
            case UNBIND -> table.unbind(name, expected) ? 1 : 0;
        };
    }

    /**
     * Decodes what {@link #applyTo} has answered.
     *
     * @throws NameException the refusal
     */
    static long answer(byte[] bytes) throws MalformedException {
        ByteReader in = new ByteReader(bytes);
        int status = in.u8("an answer");
        if (status == DONE) {
            long version = in.i64("a version", 0);
            in.end();
            return version;
        }
        if (status > NameException.Kind.values().length) {
            throw new MalformedException("answer " + status + ", expected 0 to " + NameException.Kind.values().length);
        }
        String message = in.text("a refusal");
        Optional<BoundName> found = in.optionalBound();
        in.end();
        throw NameException.refused(NameException.Kind.values()[status - 1], message, found);
    }
}
