package org.posthouse.cli.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.cli.option.CommandFailure;

/** The console's secret: made once, for its owner alone. */
class OpsSecretTest {
    @TempDir
    private Path data;

    @Test
    void secretIsMadeOnceForItsOwnerAlone() throws Exception {
        Path folder = data.resolve("new").resolve("data");
        Optional<String> made = OpsSecret.readOrMake(folder);
        assertThat(made).hasValueSatisfying(secret -> assertThat(secret).matches("[0-9a-f]{32}"));
        assertThat(OpsSecret.readOrMake(folder)).isEqualTo(made);
        assertThat(OpsSecret.read(folder.resolve(OpsSecret.FILE))).isEqualTo(made);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve(OpsSecret.FILE)))).isEqualTo("rw-------");
        try (var files = Files.list(folder)) {
            assertThat(files).as("nothing of its making is left").hasSize(1);
        }
    }

    @Test
    void secretReadableByOthersIsRefused() throws Exception {
        OpsSecret.readOrMake(data);
        Files.setPosixFilePermissions(data.resolve(OpsSecret.FILE), PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> OpsSecret.readOrMake(data)).isInstanceOf(CommandFailure.class).hasMessageContaining("can be read or written by others");
    }

    @Test
    void reportsDataFolderThatCannotBeWritten() throws Exception {
        Path file = Files.createFile(data.resolve("file"));
        assertThatThrownBy(() -> OpsSecret.readOrMake(file)).isInstanceOf(CommandFailure.class).hasMessageContaining("cannot be written");
    }
}
