package org.posthouse.names.raft;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameChange;
import org.posthouse.names.NameException;
import org.posthouse.names.NameRecord;

/** Reads what {@link ByteWriter} wrote, and refuses everything else with a {@link MalformedException} before it reserves memory. Confined to one thread. */
final class ByteReader {
    /** Fewest bytes of a change: a flag, a name of one character, a version, and a record without fields. */
    private static final int CHANGE_BYTES_MIN = 1 + Integer.BYTES + 1 + Long.BYTES + Long.BYTES + 1;

    private final ByteBuffer in;

    ByteReader(byte[] bytes) {
        this(ByteBuffer.wrap(bytes));
    }

    ByteReader(ByteBuffer in) {
        this.in = in;
    }

    int u8(String what) throws MalformedException {
        need(1, what);
        return in.get() & 0xff;
    }

    boolean flag(String what) throws MalformedException {
        int value = u8(what);
        if (value > 1) {
            throw new MalformedException(what + " is " + value + ", expected 0 or 1");
        }
        return value == 1;
    }

    long i64(String what, long min) throws MalformedException {
        need(Long.BYTES, what);
        long value = in.getLong();
        if (value < min) {
            throw new MalformedException(what + " is " + value + ", expected at least " + min);
        }
        return value;
    }

    int count(String what, int max) throws MalformedException {
        need(Integer.BYTES, what);
        int value = in.getInt();
        if (value < 0 || value > max) {
            throw new MalformedException(what + " are " + value + ", expected 0 to " + max);
        }
        return value;
    }

    byte[] bytes(int count, String what) throws MalformedException {
        need(count, what);
        byte[] bytes = new byte[count];
        in.get(bytes);
        return bytes;
    }

    byte[] rest() {
        byte[] bytes = new byte[in.remaining()];
        in.get(bytes);
        return bytes;
    }

    String text(String what) throws MalformedException {
        byte[] utf8 = bytes(count("bytes of " + what, in.remaining() - Integer.BYTES), what);
        try {
            CharBuffer chars = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8));
            return chars.toString();
        } catch (CharacterCodingException e) {
            throw new MalformedException(what + " is not UTF-8", e);
        }
    }

    Name name() throws MalformedException {
        Name name = prefix();
        if (name.equals(Name.ROOT)) {
            throw new MalformedException("a name is empty");
        }
        return name;
    }

    /** A name, or the root. */
    Name prefix() throws MalformedException {
        try {
            return Name.parsePrefix(text("a name"));
        } catch (NameException e) {
            throw new MalformedException(e.getMessage(), e);
        }
    }

    Optional<Name> optionalName() throws MalformedException {
        return flag("whether there is a name") ? Optional.of(name()) : Optional.empty();
    }

    NameRecord record() throws MalformedException {
        long epoch = i64("an epoch", 0);
        SortedMap<String, String> fields = new TreeMap<>();
        for (int left = u8("fields"); left > 0; left--) {
            String field = text("a field");
            if (fields.put(field, text("a value")) != null) {
                throw new MalformedException("field \"" + field + "\" comes twice");
            }
        }
        try {
            return new NameRecord(fields, epoch);
        } catch (NameException e) {
            throw new MalformedException(e.getMessage(), e);
        }
    }

    BoundName bound() throws MalformedException {
        Name name = name();
        long version = i64("a version", 1);
        return new BoundName(name, record(), version);
    }

    Optional<BoundName> optionalBound() throws MalformedException {
        return flag("whether a name is bound") ? Optional.of(bound()) : Optional.empty();
    }

    NameChange change() throws MalformedException {
        boolean present = flag("whether a name is bound");
        return new NameChange(bound(), present);
    }

    List<NameChange> changes() throws MalformedException {
        List<NameChange> changes = new ArrayList<>();
        for (int left = count("changes", (in.remaining() - Integer.BYTES) / CHANGE_BYTES_MIN); left > 0; left--) {
            changes.add(change());
        }
        return changes;
    }

    void end() throws MalformedException {
        if (in.hasRemaining()) {
            throw new MalformedException(in.remaining() + " bytes are left over, expected none");
        }
    }

    private void need(int bytes, String what) throws MalformedException {
        if (in.remaining() < bytes) {
            throw new MalformedException(what + " has " + in.remaining() + " bytes left, expected " + bytes);
        }
    }
}
