package org.posthouse.directory.names;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameException;
import org.posthouse.names.NameRecord;

/**
 * What the map holds for a name: its record, or the last one of a name that was unbound, so that versions go on. Immutable; its text form is JSON, of which
 * unknown fields are skipped.
 *
 * @param version of the record
 * @param epoch of the record
 * @param term the number of the member list under which it was written; it decides a merge
 * @param bound whether the name has the record now
 * @param change the id of the change that wrote it; a change that arrives twice is recognised by it
 * @param fields of the record
 */
record StoredName(long version, long epoch, long term, boolean bound, String change, Map<String, String> fields) {
    private static final int EXCERPT_CHARS_MAX = 120;
    private static final ObjectWriter WRITER = JsonMapper.builder().build().writerFor(StoredName.class);
    private static final ObjectReader READER = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build()
            .readerFor(StoredName.class);

    StoredName {
        Objects.requireNonNull(change, "change");
        fields = Map.copyOf(fields);
        if (version < 1 || epoch < 0 || term < 0) {
            throw new IllegalArgumentException(
                    "version " + version + ", epoch " + epoch + ", term " + term + "; expected at least 1, 0 and 0");
        }
    }

    static StoredName of(NameRecord record, long version, long term, String change) {
        return new StoredName(version, record.epoch(), term, true, change, record.fields());
    }

    NameRecord record() {
        return new NameRecord(new TreeMap<>(fields), epoch);
    }

    BoundName at(Name name) {
        return new BoundName(name, record(), version);
    }

    /** The same record of a name that is unbound now. */
    StoredName unbound(long now, String by) {
        return new StoredName(version, epoch, Math.max(term, now), false, by, fields);
    }

    /** The same at another version. */
    StoredName at(long otherVersion) {
        return new StoredName(otherVersion, epoch, term, bound, change, fields);
    }

    String text() {
        try {
            return WRITER.writeValueAsString(this);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a record of the name service has no JSON form", e);
        }
    }

    /**
     * Parses the output of {@link #text}.
     *
     * @throws IllegalArgumentException if the text is none, or its record is larger than records are
     */
    static StoredName parse(String text) {
        try {
            StoredName stored = Objects.requireNonNull(READER.readValue(text), "a record, not null");
            stored.record();
            return stored;
        } catch (JsonProcessingException | NameException | NullPointerException e) {
            String excerpt = text.substring(0, Math.min(text.length(), EXCERPT_CHARS_MAX));
            throw new IllegalArgumentException("not a record of the name service: " + excerpt, e);
        }
    }
}
