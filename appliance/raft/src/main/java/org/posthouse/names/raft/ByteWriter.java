package org.posthouse.names.raft;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Optional;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameChange;
import org.posthouse.names.NameRecord;

/** Writes what {@link ByteReader} reads: numbers in network order, and texts with their length before them. Confined to one thread. */
final class ByteWriter {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    ByteWriter u8(int value) {
        out.write(value);
        return this;
    }

    ByteWriter flag(boolean value) {
        return u8(value ? 1 : 0);
    }

    ByteWriter i32(int value) {
        return bytes(ByteBuffer.allocate(Integer.BYTES).putInt(value).array());
    }

    ByteWriter i64(long value) {
        return bytes(ByteBuffer.allocate(Long.BYTES).putLong(value).array());
    }

    ByteWriter bytes(byte[] value) {
        out.writeBytes(value);
        return this;
    }

    ByteWriter text(String value) {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        return i32(utf8.length).bytes(utf8);
    }

    ByteWriter name(Name name) {
        return text(name.toString());
    }

    ByteWriter record(NameRecord record) {
        i64(record.epoch()).u8(record.fields().size());
        record.fields().forEach((field, value) -> text(field).text(value));
        return this;
    }

    ByteWriter bound(BoundName bound) {
        return name(bound.name()).i64(bound.version()).record(bound.record());
    }

    ByteWriter bound(Optional<BoundName> bound) {
        flag(bound.isPresent());
        bound.ifPresent(this::bound);
        return this;
    }

    ByteWriter change(NameChange change) {
        return flag(change.present()).bound(change.bound());
    }

    ByteWriter changes(Collection<NameChange> changes) {
        i32(changes.size());
        changes.forEach(this::change);
        return this;
    }

    int size() {
        return out.size();
    }

    byte[] toBytes() {
        return out.toByteArray();
    }
}
