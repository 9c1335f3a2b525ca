package org.posthouse.launch.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ids of files, and how often a file is read for its id. */
class ContentHasherTest {
    /** Of FIPS 180-4. */
    private static final String ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    @TempDir
    private Path folder;

    private final ContentHasher hasher = new ContentHasher();

    private Path file(String text, String changed) throws Exception {
        Path file = Files.writeString(folder.resolve("file"), text);
        return Files.setLastModifiedTime(file, FileTime.from(Instant.parse(changed)));
    }

    @Test
    void idIsDigestAndLength() throws Exception {
        ContentId id = hasher.idOf(file("abc", "2026-01-01T00:00:00Z"));
        assertThat(id).isEqualTo(new ContentId(ABC, 3)).isEqualTo(ContentId.of(id.digest(), 3));
        assertThat(ContentId.ofFileName(id.fileName())).contains(id);
        assertThat(ContentId.ofFileName("../" + id.fileName())).isEmpty();
        assertThat(id).hasToString("ba7816bf8f01… of 3 bytes");
    }

    @Test
    void readsAnUnchangedFileOnce() throws Exception {
        Path file = file("abc", "2026-01-01T00:00:00Z");
        assertThat(hasher.idOf(file)).isEqualTo(hasher.idOf(file.resolveSibling("./file")));
        assertThat(hasher.filesRead()).isEqualTo(1);
    }

    @Test
    void readsAChangedFileAgain() throws Exception {
        ContentId first = hasher.idOf(file("abc", "2026-01-01T00:00:00Z"));
        assertThat(hasher.idOf(file("abd", "2026-01-01T00:00:01Z"))).as("another time").isNotEqualTo(first);
        assertThat(hasher.idOf(file("abcd", "2026-01-01T00:00:01Z"))).as("another size").isNotEqualTo(first);
        assertThat(hasher.filesRead()).isEqualTo(3);
    }

    /** Its next change might get the same time. */
    @Test
    void doesNotKeepTheIdOfAFileThatWasJustChanged() throws Exception {
        ContentHasher now = new ContentHasher(() -> Instant.parse("2026-01-01T00:00:01Z"));
        ContentId first = now.idOf(file("abc", "2026-01-01T00:00:00Z"));
        assertThat(now.idOf(file("abd", "2026-01-01T00:00:00Z"))).isNotEqualTo(first);
    }

    @Test
    void missingFileIsNamedInOneLine() {
        assertThatThrownBy(() -> hasher.idOf(folder.resolve("none"))).isInstanceOf(StageException.class)
                .hasMessage(folder.resolve("none") + " cannot be read: no such file: " + folder.resolve("none"));
        assertThatThrownBy(() -> hasher.idOf(folder)).hasMessage(folder + " is not a file");
    }
}
