package org.posthouse.cli.names;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.terminal.OneLine;
import org.posthouse.wire.NamedRecord;

/** Records as people write and read them. Stateless. */
final class NameText {
    /** How the parameters of a record are described. */
    static final String FIELDS = "The record's fields: each a name, '=', and its value.";

    private NameText() {}

    /** The fields that were given. @throws CommandFailure if one has no '=', or comes twice */
    static SortedMap<String, String> fields(Iterable<String> words) throws CommandFailure {
        SortedMap<String, String> fields = new TreeMap<>();
        for (String word : words) {
            int at = word.indexOf('=');
            if (at < 1) {
                throw new CommandFailure("\"" + OneLine.of(word) + "\" is no field: expected NAME=VALUE");
            }
            if (fields.put(word.substring(0, at), word.substring(at + 1)) != null) {
                throw new CommandFailure("the field " + OneLine.of(word.substring(0, at)) + " is given twice");
            }
        }
        return fields;
    }

    /** {@code a/b version 3 epoch 2 k=v}. */
    static String line(NamedRecord found) {
        return found.name() + " version " + found.version() + (found.epoch() > 0 ? " epoch " + found.epoch() : "") + " " + fields(found);
    }

    /** {@code k=v, k2=v2}. */
    static String fields(NamedRecord found) {
        return found.fields().entrySet().stream().map(field -> OneLine.of(field.getKey() + "=" + field.getValue())).collect(Collectors.joining(", "));
    }

    static ObjectNode json(NamedRecord found) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("name", found.name()).put("version", found.version()).put("epoch", found.epoch()).put("bound", found.present());
        ObjectNode fields = node.putObject("fields");
        for (Map.Entry<String, String> field : found.fields().entrySet()) {
            fields.put(field.getKey(), field.getValue());
        }
        return node;
    }
}
