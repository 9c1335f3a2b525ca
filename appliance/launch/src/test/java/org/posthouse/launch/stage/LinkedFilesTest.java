package org.posthouse.launch.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files in the folder of ranks on this host. */
class LinkedFilesTest {
    @TempDir
    private Path folder;

    private Path own;
    private Path data;

    @BeforeEach
    void write() throws IOException {
        own = Files.createDirectory(folder.resolve("own"));
        data = Files.writeString(folder.resolve("data"), "text");
    }

    @Test
    void linksExistAsLongAsTheJob() throws IOException {
        try (LinkedFiles links = LinkedFiles.in(own, List.of(data))) {
            assertThat(own.resolve("data")).hasContent("text").isSymbolicLink();
        }
        assertThat(own).isEmptyDirectory();
        assertThat(data).exists();
    }

    @Test
    void aFileThatIsThereStays() throws IOException {
        try (LinkedFiles links = LinkedFiles.in(folder, List.of(data))) {
            assertThat(data).isRegularFile();
        }
        assertThat(data).hasContent("text");
    }

    @Test
    void anotherFileOfThatNameIsRefusedAndNoLinkStays() throws IOException {
        Path first = Files.writeString(folder.resolve("first"), "1");
        Files.writeString(own.resolve("data"), "another");
        assertThatThrownBy(() -> LinkedFiles.in(own, List.of(first, data)))
                .isInstanceOf(StageException.class)
                .hasMessage("--file " + data + ": the ranks' folder " + own + " has another file data");
        assertThat(own.resolve("first")).doesNotExist();
        assertThat(own.resolve("data")).hasContent("another");
    }

    @Test
    void aProgramThatReplacesTheLinkKeepsItsFile() throws IOException {
        try (LinkedFiles links = LinkedFiles.in(own, List.of(data))) {
            Files.delete(own.resolve("data"));
            Files.writeString(own.resolve("data"), "result");
        }
        assertThat(own.resolve("data")).hasContent("result");
    }
}
