package org.posthouse.wire;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A name with its record, in an answer about names.
 *
 * @param version 1 or more
 * @param epoch 0 or more
 * @param present whether the name is bound; if not, this was its last record
 */
public record NamedRecord(String name, long version, long epoch, boolean present, SortedMap<String, String> fields) {
    static final SortedMap<String, String> NO_FIELDS = Collections.emptySortedMap();

    /** Bytes of a record with an empty name and no field. */
    private static final int BYTES_MIN = 2 * Long.BYTES + 2 * Integer.BYTES + Short.BYTES;

    static int bytesMin() {
        return BYTES_MIN;
    }

    void write(FrameWriter out) {
        out.longText(name).i64(version).i64(epoch).flag(present);
        write(fields, out);
    }

    static NamedRecord read(FrameReader in) throws WireException {
        return new NamedRecord(
                in.longText("name"), in.i64("version", 1, Long.MAX_VALUE), in.i64("epoch", 0, Long.MAX_VALUE), in.flag("whether it is bound"), readFields(in));
    }

    static void write(SortedMap<String, String> fields, FrameWriter out) {
        out.i32(fields.size());
        fields.forEach((key, value) -> out.longText(key).longText(value));
    }

    static SortedMap<String, String> readFields(FrameReader in) throws WireException {
        SortedMap<String, String> fields = new TreeMap<>();
        for (int left = in.count(2 * Integer.BYTES, "fields"); left > 0; left--) {
            fields.put(in.longText("field"), in.longText("value"));
        }
        return Collections.unmodifiableSortedMap(fields);
    }
}
