package org.posthouse.launch.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The names that may stand in a job's folder. */
class JobPathsTest {
    @ParameterizedTest
    @ValueSource(strings = {"a", "a/b.txt", "..a/b..", "a b", ".hidden", "…/ä", "ab:c", "classes/0-app.jar", "-rf"})
    void relativeNamesStandInTheFolder(String name) throws Exception {
        assertThat(JobPaths.resolve(Path.of("/job"), name)).isEqualTo(Path.of("/job/" + name));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\'', value = {
        "''          | is empty",
        "/etc/passwd | is absolute",
        "C:/x        | is absolute",
        "..          | has the part \"..\"",
        "../x        | has the part \"..\"",
        "a/../../x   | has the part \"..\"",
        "a/./b       | has the part \".\"",
        "a/..        | has the part \"..\"",
        "a//b        | has an empty part",
        "a/          | has an empty part",
        "..\\x       | has a backslash",
        "a\\..\\b    | has a backslash",
    })
    void otherNamesAreRefusedInOneLine(String name, String fault) {
        assertThatThrownBy(() -> JobPaths.resolve(Path.of("/job"), name)).isInstanceOf(StageException.class)
                .hasMessage("the name \"" + name + "\" of a job's file " + fault);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, '\n', '\r', '\t', 27, 127, 0x85, 0x202e, 0x2028, 0xd800})
    void charactersThatDoNotPrintAreRefusedAndNotPrinted(int character) {
        assertThatThrownBy(() -> JobPaths.checked("a" + (char) character + "b"))
                .hasMessage("the name \"a?b\" of a job's file has a control character");
    }

    @Test
    void lengthIsThatOfFileSystems() throws Exception {
        assertThat(JobPaths.checked("ä".repeat(127) + "/x")).endsWith("/x");
        assertThatThrownBy(() -> JobPaths.checked("ä".repeat(128))).hasMessageEndingWith("has a part of more than 255 bytes");
        assertThatThrownBy(() -> JobPaths.checked("abc/".repeat(300) + "x")).hasMessageEndingWith("has more than 1024 bytes");
    }
}
