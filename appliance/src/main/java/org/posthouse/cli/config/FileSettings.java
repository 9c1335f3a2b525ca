package org.posthouse.cli.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.posthouse.causes.Causes;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * A YAML file with a section for each command, whose keys are the command's options without their dashes. A value is a
 * word, a number, true or false; of an option that may be repeated also a list, or of NAME=VALUE a mapping. Stateless.
 */
final class FileSettings {
    private static final long BYTES_MAX = 1 << 20;

    private FileSettings() {}

    /**
     * Reads the section of a command.
     *
     * @param problems are added to
     */
    static List<Setting> read(CommandSpec command, Path file, Collection<String> problems) {
        JsonNode root = parse(file, problems);
        if (root == null || root.isNull() || root.isMissingNode()) {
            return List.of();
        }
        if (!root.isObject()) {
            problems.add(file + " is no mapping; expected a section for each command, such as \"relay:\"");
            return List.of();
        }
        root.fieldNames().forEachRemaining(section -> {
            if (!Configuration.COMMANDS.contains(section)) {
                problems.add(file + ": there is no section \"" + section + "\"; the nearest is " + Nearest.of(section, Configuration.COMMANDS));
            }
        });
        JsonNode section = root.path(command.name());
        if (!section.isMissingNode() && !section.isObject() && !section.isNull()) {
            problems.add(file + ": section \"" + command.name() + "\" is no mapping of options");
        }
        return section(command, file, section, problems);
    }

    private static List<Setting> section(CommandSpec command, Path file, JsonNode section, Collection<String> problems) {
        Map<String, OptionSpec> known = new TreeMap<>();
        Options.settable(command).forEach(option -> known.put(Options.key(option), option));
        List<Setting> settings = new ArrayList<>();
        section.fields().forEachRemaining(entry -> {
            String key = entry.getKey();
            String place = file + ": " + command.name() + "." + key;
            if (known.containsKey(key)) {
                settings.addAll(Options.settings(known.get(key), values(entry.getValue(), place, problems), place, problems));
            } else {
                problems.add(place + ": posthouse " + command.name() + " has no such option; the nearest is \"" + Nearest.of(key, known.keySet()) + "\"");
            }
        });
        return settings;
    }

    private static JsonNode parse(Path file, Collection<String> problems) {
        try {
            if (Files.size(file) > BYTES_MAX) {
                problems.add(file + " has " + Files.size(file) + " bytes, expected at most " + BYTES_MAX);
                return null;
            }
            YAMLFactory yaml = YAMLFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();
            return new ObjectMapper(yaml).readTree(Files.readAllBytes(file));
        } catch (JsonProcessingException e) {
            problems.add(file + ", line " + (e.getLocation() == null ? "?" : e.getLocation().getLineNr()) + ": "
                    + e.getOriginalMessage().lines().findFirst().orElse("no YAML"));
        } catch (IOException e) {
            problems.add("the configuration " + file + " cannot be read: " + Causes.text(e));
        }
        return null;
    }

    private static List<String> values(JsonNode value, String place, Collection<String> problems) {
        List<String> values = new ArrayList<>();
        if (value.isArray()) {
            value.forEach(each -> values.add(scalar(each, place, problems)));
        } else if (value.isObject()) {
            value.fields().forEachRemaining(each -> values.add(each.getKey() + "=" + scalar(each.getValue(), place, problems)));
        } else if (!value.isNull()) {
            values.add(scalar(value, place, problems));
        }
        return values;
    }

    private static String scalar(JsonNode value, String place, Collection<String> problems) {
        if (!value.isValueNode() || value.isNull()) {
            problems.add(place + ": " + value.getNodeType().name().toLowerCase(Locale.ROOT) + " in a list or mapping, expected a word or a number");
            return "";
        }
        return value.asText();
    }
}
