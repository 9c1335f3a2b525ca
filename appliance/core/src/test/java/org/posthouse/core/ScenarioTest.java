package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The scenario files: what the core does in answer to each step is what stands below the step. */
final class ScenarioTest {
    private static final Path FILES = Path.of("src/test/resources/org/posthouse/core/scenarios");

    static Stream<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(FILES)) {
            return all.sorted().toList().stream();
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("files")
    void theCoreAnswersAsWritten(Path file) throws Exception {
        String text = Files.readString(file);
        assertThat(Scenario.run(text)).as(text.lines().findFirst().orElseThrow()).isEqualTo(text);
    }

    @Test
    void eachFileBeginsWithASentence() throws IOException {
        assertThat(files()).hasSizeGreaterThan(5).allSatisfy(file -> assertThat(firstLine(file)).matches("[A-Z].{20,}\\."));
    }

    private static String firstLine(Path file) {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.findFirst().orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
