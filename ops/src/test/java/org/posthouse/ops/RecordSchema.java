package org.posthouse.ops;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.posthouse.status.FollowerStatus;
import org.posthouse.status.JobStatus;
import org.posthouse.status.KeysStatus;
import org.posthouse.status.LinkStatus;
import org.posthouse.status.NodeStatus;
import org.posthouse.status.RankActivity;
import org.posthouse.status.RankStatus;
import org.posthouse.status.RelayStatus;
import org.posthouse.status.StreamStatus;
import org.posthouse.status.Traffic;

/** The schema of a record, generated from its components, and the one in openapi.json: a line for each property. */
final class RecordSchema {
    /** Components that the API does not show, or shows elsewhere. */
    private static final Set<String> HIDDEN = Set.of("RelayStatus.jobs", "LinkStatus.lastReason");

    /** States that openapi.json describes in words, so that others may be added. */
    private static final Set<Class<?>> IN_WORDS = Set.of(StreamStatus.Forward.State.class);

    private static final Map<Class<?>, String> NAMES = Map.of(
            RelayStatus.class, "Relay",
            LinkStatus.class, "Link",
            LinkStatus.Streams.class, "LinkStreams",
            NodeStatus.class, "Node",
            StreamStatus.class, "Streams",
            JobStatus.class, "Job",
            RankStatus.class, "Rank",
            FollowerStatus.class, "Follower",
            RankActivity.Span.class, "WaitSpan",
            KeysStatus.class, "Keys");

    private RecordSchema() {}

    /** The properties of a record, in the order of its components. */
    static List<String> of(Class<?> record) {
        List<String> lines = new ArrayList<>();
        for (RecordComponent component : record.getRecordComponents()) {
            if (component.getType() == Traffic.class) {
                lines.addAll(of(Traffic.class));
            } else if (!HIDDEN.contains(record.getSimpleName() + "." + component.getName())) {
                lines.add(component.getName() + " " + type(component.getGenericType()));
            }
        }
        return lines;
    }

    private static String type(Type type) {
        if (type instanceof ParameterizedType generic) {
            String inner = type(generic.getActualTypeArguments()[0]);
            return generic.getRawType() == Optional.class ? inner + " or null" : "[" + inner + "]";
        }
        Class<?> plain = (Class<?>) type;
        if (plain == String.class || IN_WORDS.contains(plain)) {
            return "string";
        } else if (plain.isEnum()) {
            return Arrays.stream(plain.getEnumConstants()).map(Object::toString).sorted().collect(Collectors.joining("|"));
        }
        return switch (plain.getName()) {
            case "boolean" -> "boolean";
            case "int", "java.lang.Integer" -> "int32";
            case "long", "java.lang.Long" -> "int64";
            default -> NAMES.getOrDefault(plain, plain.getSimpleName());
        };
    }

    /** The properties that a schema of the document has. */
    static List<String> described(JsonNode schema) {
        List<String> lines = new ArrayList<>();
        schema.path("properties").properties().forEach(property -> lines.add(property.getKey() + " " + type(property.getValue())));
        return lines;
    }

    /** The names that a schema of the document requires. */
    static List<String> required(JsonNode schema) {
        return words(schema.path("required")).toList();
    }

    private static Stream<String> words(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false).map(JsonNode::asText);
    }

    private static String type(JsonNode schema) {
        if (schema.has("$ref")) {
            return schema.path("$ref").asText().replaceFirst(".*/", "");
        } else if (schema.has("oneOf")) {
            return type(schema.path("oneOf").path(0)) + " or " + type(schema.path("oneOf").path(1));
        } else if (schema.has("enum")) {
            return words(schema.path("enum")).sorted().collect(Collectors.joining("|"));
        } else if (schema.has("items")) {
            return "[" + type(schema.path("items")) + "]";
        }
        return schema.path("format").asText(schema.path("type").asText());
    }
}
