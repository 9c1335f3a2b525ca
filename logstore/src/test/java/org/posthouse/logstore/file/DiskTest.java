package org.posthouse.logstore.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which names are forced to the disk when folders are made. */
final class DiskTest {
    @TempDir
    private Path folder;

    private final List<Path> forced = new ArrayList<>();

    @Test
    void eachFolderThatIsMadeHasItsNameForcedInTheOneAbove() throws IOException {
        Path image = folder.resolve("images/job/rank");
        Disk.makeFolder(image, forced::add);
        assertThat(image).isDirectory();
        assertThat(forced).containsExactly(folder, folder.resolve("images"), folder.resolve("images/job"));
    }

    @Test
    void folderThatIsThereCostsNoDisk() throws IOException {
        Disk.makeFolder(folder, forced::add);
        assertThat(forced).isEmpty();
    }

    @Test
    void fileInItsPlaceIsNamed() throws IOException {
        Path file = Files.createFile(folder.resolve("images"));
        assertThatThrownBy(() -> Disk.makeFolder(file.resolve("job"), forced::add))
                .isInstanceOf(FileAlreadyExistsException.class)
                .hasMessage(file.toString());
    }
}
