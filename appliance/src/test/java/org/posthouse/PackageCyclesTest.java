package org.posthouse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * No two packages of the sources import each other, directly or through others. {@link ArchitectureTest} checks the same
 * on class files, where a constant of another package is only its value and leaves no trace. Imports for javadoc count:
 * a link to a package above names its type in full.
 */
class PackageCyclesTest {
    private static final Path ROOT = Path.of(System.getProperty("basedir", ""), "..");
    private static final Pattern PACKAGE = Pattern.compile("^package ([\\w.]+);", Pattern.MULTILINE);
    private static final Pattern IMPORT = Pattern.compile("^import (?:static )?([a-z][a-z0-9_.]*)\\.[A-Z*]", Pattern.MULTILINE);

    /** Cycles that cannot be untied today, each as "one.package, other.package", with the reason. None at present. */
    private static final Map<String, String> EXCEPTIONS = Map.of();

    @Test
    void noPackagesImportEachOther() throws IOException {
        assertThat(cycles(arrows())).as("packages that import each other, which are not listed as exceptions")
                .filteredOn(cycle -> !EXCEPTIONS.containsKey(String.join(", ", cycle.keySet())))
                .isEmpty();
    }

    @Test
    void eachExceptionIsStillOne() throws IOException {
        assertThat(cycles(arrows()).stream().map(cycle -> String.join(", ", cycle.keySet()))).as("cycles").containsAll(EXCEPTIONS.keySet());
    }

    /** For each package the packages that its sources import, each with one file that does so. */
    private static Map<String, Map<String, String>> arrows() throws IOException {
        Map<String, Map<String, String>> arrows = new TreeMap<>();
        for (Path file : sources()) {
            String text = Files.readString(file);
            String from = PACKAGE.matcher(text).results().findFirst().orElseThrow().group(1);
            Map<String, String> to = arrows.computeIfAbsent(from, name -> new TreeMap<>());
            IMPORT.matcher(text).results().filter(each -> !each.group(1).equals(from)).forEach(each -> to.put(each.group(1), "" + file.getFileName()));
        }
        assertThat(arrows).as("packages").hasSizeGreaterThan(20);
        arrows.values().forEach(to -> to.keySet().retainAll(arrows.keySet()));
        return arrows;
    }

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (String room : List.of("appliance", "appliance/core", "appliance/lab", "appliance/lab/jmh", "appliance/launch", "logstore", "mpj-lite",
                "ops", "tunnel", "tunnel/testkit")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(room).resolve("src/main/java"))) {
                files.filter(file -> file.toString().endsWith(".java") && !file.endsWith("module-info.java")).sorted().forEach(sources::add);
            }
        }
        return sources;
    }

    /** The groups of packages that reach each other, each with its members' arrows inside the group. */
    private static List<Map<String, Map<String, String>>> cycles(Map<String, Map<String, String>> arrows) {
        Map<String, Set<String>> reached = new TreeMap<>();
        arrows.keySet().forEach(name -> reach(name, arrows, reached.computeIfAbsent(name, each -> new TreeSet<>())));
        Set<Set<String>> groups = new LinkedHashSet<>();
        for (String name : arrows.keySet()) {
            Set<String> group = new TreeSet<>(reached.get(name));
            group.removeIf(other -> !reached.get(other).contains(name));
            groups.add(group);
        }
        groups.removeIf(Set::isEmpty);
        return groups.stream().map(group -> within(group, arrows)).toList();
    }

    private static void reach(String from, Map<String, Map<String, String>> arrows, Set<String> reached) {
        for (String to : arrows.get(from).keySet()) {
            if (reached.add(to)) {
                reach(to, arrows, reached);
            }
        }
    }

    private static Map<String, Map<String, String>> within(Set<String> group, Map<String, Map<String, String>> arrows) {
        Map<String, Map<String, String>> inside = new TreeMap<>();
        for (String name : group) {
            Map<String, String> to = new TreeMap<>(arrows.get(name));
            to.keySet().retainAll(group);
            inside.put(name, to);
        }
        return inside;
    }
}
