package org.posthouse.cli.option;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataFolderTest {
    @Test
    void aFolderThatCanBeMadeHasNoFaultAndIsNotMade(@TempDir Path folder) throws IOException {
        assertThat(DataFolder.fault(folder.resolve("a/b"))).isEmpty();
        assertThat(folder).isEmptyDirectory();
        assertThat(DataFolder.nearest(folder.resolve("a/b"))).isEqualTo(folder);
    }

    @Test
    void aFileIsNoFolderNorHasOneBelowIt(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("f"), "x");
        assertThat(DataFolder.fault(file)).contains(file + " is a file, expected a folder");
        assertThat(DataFolder.fault(file.resolve("log"))).contains(file + " is a file, expected a folder");
    }

    /** As of root, who passes every check of rights. */
    @Test
    void aFileSystemThatTakesNoFilesIsNamed() {
        assertThat(DataFolder.fault(Path.of("/proc/posthouse/data"))).get().asString().startsWith("it cannot be made: this user cannot write to /proc;");
    }
}
