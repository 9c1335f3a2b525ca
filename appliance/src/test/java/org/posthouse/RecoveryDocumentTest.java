package org.posthouse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/recovery.md says of each statement which test fails without it: those tests are there. */
class RecoveryDocumentTest {
    private static final Path ROOT = Path.of(System.getProperty("basedir", ""), "..");
    private static final Pattern TEST = Pattern.compile("`(\\w+Test)(?:\\.(\\w+))?`");

    /** The test classes of every room by their simple names. */
    private static Map<String, Path> tests() throws IOException {
        List<String> rooms =
                List.of("appliance", "appliance/core", "appliance/lab", "appliance/launch", "logstore", "mpj-lite", "ops", "tunnel", "tunnel/testkit");
        try (Stream<Path> files = rooms.stream().map(room -> ROOT.resolve(room).resolve("src/test/java")).flatMap(RecoveryDocumentTest::walk)) {
            return files.filter(file -> file.toString().endsWith("Test.java"))
                    .collect(Collectors.toMap(RecoveryDocumentTest::name, file -> file, (one, other) -> one));
        }
    }

    private static Stream<Path> walk(Path folder) {
        try {
            return Files.walk(folder);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String name(Path file) {
        return file.getFileName().toString().replace(".java", "");
    }

    @Test
    void theTestsThatItNamesAreThere() throws IOException {
        Map<String, Path> tests = tests();
        List<MatchResult> named = TEST.matcher(Files.readString(ROOT.resolve("docs/recovery.md"))).results().toList();
        assertThat(named).hasSizeGreaterThan(50);
        for (MatchResult each : named) {
            assertThat(tests).as("the test that %s names", each.group()).containsKey(each.group(1));
            if (each.group(2) != null) {
                assertThat(tests.get(each.group(1))).content().as(each.group()).contains("void " + each.group(2) + "(");
            }
        }
    }
}
