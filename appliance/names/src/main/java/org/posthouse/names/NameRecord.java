package org.posthouse.names;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a name is bound to. Immutable.
 *
 * @param fields at most 64, together at most 64 KiB in UTF-8
 * @param epoch the count of the election that its writer has won, 0 without one. A record with a lower epoch never replaces one with a higher, so a leader that
 *     has lost changes nothing
 */
public record NameRecord(SortedMap<String, String> fields, long epoch) {
    /** Most fields of a record. */
    public static final int FIELDS_MAX = 64;

    /** Most bytes of a record's fields, names and values together, in UTF-8. */
    public static final int BYTES_MAX = 64 * 1024;

    /** Refuses what is too large with {@link NameException.Kind#TOO_LARGE}. */
    public NameRecord {
        fields = Collections.unmodifiableSortedMap(new TreeMap<>(fields));
        if (fields.size() > FIELDS_MAX) {
            throw new NameException(NameException.Kind.TOO_LARGE, "a record has " + fields.size() + " fields, expected at most " + FIELDS_MAX);
        }
        long bytes = bytes(fields);
        if (bytes > BYTES_MAX) {
            throw new NameException(NameException.Kind.TOO_LARGE, "a record has " + bytes + " bytes, expected at most " + BYTES_MAX);
        }
        if (epoch < 0) {
            throw new IllegalArgumentException("epoch " + epoch + ", expected 0 or more");
        }
    }

    /** A record of no election. */
    public static NameRecord of(Map<String, String> fields) {
        return new NameRecord(new TreeMap<>(fields), 0);
    }

    /** A record of an election's winner. */
    public static NameRecord of(Map<String, String> fields, long epoch) {
        return new NameRecord(new TreeMap<>(fields), epoch);
    }

    /** The field's value; empty if there is none. */
    public String field(String name) {
        return fields.getOrDefault(name, "");
    }

    /** Bytes of its fields, names and values together, in UTF-8. */
    long bytes() {
        return bytes(fields);
    }

    private static long bytes(SortedMap<String, String> fields) {
        return fields.entrySet().stream().mapToLong(field -> bytes(field.getKey()) + bytes(field.getValue())).sum();
    }

    private static long bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
