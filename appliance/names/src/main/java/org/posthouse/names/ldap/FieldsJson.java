package org.posthouse.names.ldap;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.posthouse.names.NameRecord;

/** A record's fields as one JSON object of strings, in ASCII, so that any text comes back as it was. Stateless. */
final class FieldsJson {
    /** Most characters of the JSON: each of a record may be escaped by six, and has some quotes and commas. */
    private static final int CHARS_MAX = 6 * NameRecord.BYTES_MAX + 8 * NameRecord.FIELDS_MAX;

    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(1).maxStringLength(CHARS_MAX).maxNameLength(CHARS_MAX).build())
            .build();

    private FieldsJson() {}

    static String write(Map<String, String> fields) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            for (Map.Entry<String, String> field : fields.entrySet()) {
                json.writeStringField(field.getKey(), field.getValue());
            }
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e); // A StringWriter has no such.
        }
        return text.toString();
    }

    /** @throws IOException if it is not one object of strings */
    static SortedMap<String, String> read(String text) throws IOException {
        SortedMap<String, String> fields = new TreeMap<>();
        try (JsonParser json = JSON.createParser(text)) {
            expect(json, json.nextToken(), JsonToken.START_OBJECT);
            for (JsonToken next = json.nextToken(); next != JsonToken.END_OBJECT; next = json.nextToken()) {
                expect(json, next, JsonToken.FIELD_NAME);
                String name = json.currentName();
                expect(json, json.nextToken(), JsonToken.VALUE_STRING);
                fields.put(name, json.getText());
            }
        }
        return fields;
    }

    private static void expect(JsonParser json, JsonToken found, JsonToken expected) throws IOException {
        if (found != expected) {
            throw new IOException("expected " + expected + " and found " + found + " at character " + json.currentTokenLocation().getCharOffset());
        }
    }
}
