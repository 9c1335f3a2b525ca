package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.cli.Posthouse;
import picocli.CommandLine;

/** ops/systemd with the settings of its examples: what systemd says about the units, and whether the command knows their options. */
class SystemdUnitsTest {
    private static final Path UNITS = Path.of(System.getProperty("basedir", ""), "../ops/systemd");

    @TempDir
    private Path folder;

    private static String start(String unit) throws IOException {
        return Files.readAllLines(UNITS.resolve(unit)).stream()
                .filter(line -> line.startsWith("ExecStart=")).map(line -> line.substring("ExecStart=".length())).findFirst().orElseThrow();
    }

    private static Map<String, String> settings(String example) throws IOException {
        Map<String, String> settings = new HashMap<>(Map.of("STATE_DIRECTORY", "/var/lib/state"));
        Files.readAllLines(UNITS.resolve(example)).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .map(line -> line.split("=", 2))
                .forEach(pair -> settings.put(pair[0], pair[1]));
        return settings;
    }

    @ParameterizedTest
    @ValueSource(strings = {"relay", "agent"})
    void theUnitsCommandLineIsOne(String kind) throws IOException {
        Map<String, String> settings = settings(kind + ".env.example");
        List<String> words = Arrays.stream(start("posthouse-" + kind + ".service").split(" ")).skip(1).flatMap(word -> words(word, settings)).toList();
        CommandLine command = Posthouse.commandLine();
        assertThatCode(() -> command.parseArgs(words.toArray(String[]::new))).as("%s", words).doesNotThrowAnyException();
        assertThat(words).first().isEqualTo(kind);
    }

    /** As systemd does it: a variable in braces is one word, one without is divided at blanks. */
    private static Stream<String> words(String word, Map<String, String> settings) {
        if (!word.startsWith("$")) {
            return Stream.of(word);
        }
        boolean whole = word.startsWith("${");
        String value = settings.get(whole ? word.substring(2, word.length() - 1) : word.substring(1));
        assertThat(value).as("the example sets %s", word).isNotNull();
        return whole ? Stream.of(value) : Stream.of(value.split(" "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"posthouse-relay.service", "posthouse-agent.service"})
    void systemdFindsNothingWrong(String unit) throws Exception {
        assumeTrue(Stream.of(System.getenv("PATH").split(":")).anyMatch(bin -> Files.isExecutable(Path.of(bin, "systemd-analyze"))),
                "no systemd-analyze here: it does not check ops/systemd");
        // The program's and the settings' places are those of an installation.
        Path program = Files.createFile(folder.resolve("posthouse"), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        Path copy = Files.writeString(folder.resolve(unit), Files.readString(UNITS.resolve(unit)).replace("/opt/posthouse/posthouse", program.toString()));
        Process verify = new ProcessBuilder("systemd-analyze", "verify", "--man=no", copy.toString()).redirectErrorStream(true).start();
        String told = new String(verify.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(verify.waitFor()).as(told).isZero();
        assertThat(told.lines().filter(line -> line.contains(unit))).isEmpty();
    }
}
