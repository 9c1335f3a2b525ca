package org.posthouse.launch.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A folder of classes becomes the same jar wherever and whenever it is packed. */
class ClassPathArchiveTest {
    @TempDir
    private Path above;

    private Path classes(String name, List<String> files) throws Exception {
        Path folder = above.resolve(name);
        for (String file : files) {
            Path path = folder.resolve(file);
            Files.createDirectories(path.getParent());
            Files.writeString(path, "content of " + file);
        }
        return folder;
    }

    private ContentId pack(Path folder) throws StageException {
        return ClassPathArchive.pack(folder, above.resolve("packed.jar"));
    }

    private List<String> entries() throws Exception {
        try (JarFile jar = new JarFile(above.resolve("packed.jar").toFile())) {
            return jar.stream().map(ZipEntry::getName).toList();
        }
    }

    @Test
    void sameFilesGiveTheSameBytes() throws Exception {
        Path one = classes("one", List.of("b/X.class", "a.txt", "b/c/Y.class", "B/Z.class"));
        ContentId id = pack(one);
        Path other = classes("other", List.of("B/Z.class", "b/c/Y.class", "b/X.class", "a.txt"));
        Files.setLastModifiedTime(other.resolve("a.txt"), FileTime.from(Instant.parse("2001-01-01T00:00:00Z")));
        assertThat(ClassPathArchive.pack(other, above.resolve("other.jar"))).isEqualTo(id).isEqualTo(new ContentHasher().idOf(above.resolve("packed.jar")));
        assertThat(entries()).containsExactly("B/", "B/Z.class", "a.txt", "b/", "b/X.class", "b/c/", "b/c/Y.class");
        Files.writeString(other.resolve("a.txt"), "other");
        assertThat(pack(other)).isNotEqualTo(id);
    }

    /** Another version of Java must write the same. */
    @Test
    void bytesAreThoseOfEveryVersion() throws Exception {
        assertThat(pack(classes("one", List.of("a/b.txt", "c.txt")))).isEqualTo(
                new ContentId("6e94e545dd45547e3a3632a8b8ca3f2180c57e165b2de6a3dbaec8f788eb2a1a", 312));
    }

    @Test
    void classesAndResourcesAreLoadedFromIt() throws Exception {
        String name = ClassPathArchive.class.getName().replace('.', '/') + ".class";
        Path folder = Files.createDirectories(above.resolve("classes"));
        Files.createDirectories(folder.resolve(name).getParent());
        try (InputStream in = ClassPathArchive.class.getClassLoader().getResourceAsStream(name)) {
            Files.copy(in, folder.resolve(name));
        }
        pack(folder);
        try (URLClassLoader loader = new URLClassLoader(new URL[] {above.resolve("packed.jar").toUri().toURL()}, null)) {
            assertThat(loader.loadClass(ClassPathArchive.class.getName())).isNotEqualTo(ClassPathArchive.class);
            assertThat(loader.getResource("org/posthouse")).as("a package as a folder").isNotNull();
        }
    }

    @Test
    void linkInsideTheFolderIsFollowed() throws Exception {
        Path folder = classes("one", List.of("a/X.class"));
        Files.createSymbolicLink(folder.resolve("b"), Path.of("a"));
        Files.createSymbolicLink(folder.resolve("Y.class"), Path.of("b/X.class"));
        Files.createSymbolicLink(above.resolve("link"), folder);
        pack(above.resolve("link"));
        assertThat(entries()).containsExactly("Y.class", "a/", "a/X.class", "b/", "b/X.class");
    }

    @Test
    void linkOutOfTheFolderIsRefused() throws Exception {
        Path folder = classes("one", List.of("a/X.class"));
        Path secret = Files.writeString(above.resolve("one-secret"), "key").toRealPath();
        Files.createSymbolicLink(folder.resolve("a/key"), Path.of("../../one-secret"));
        assertThatThrownBy(() -> pack(folder)).isInstanceOf(StageException.class)
                .hasMessage(folder.toRealPath().resolve("a/key") + " is a link out of the class folder, to " + secret);
        Files.delete(folder.resolve("a/key"));
        Files.createSymbolicLink(folder.resolve("up"), above);
        assertThatThrownBy(() -> pack(folder)).hasMessageContaining("up is a link out of the class folder");
    }

    @Test
    void linksInCirclesAndToNowhereAreRefused() throws Exception {
        Path folder = classes("one", List.of("a/X.class"));
        Files.createSymbolicLink(folder.resolve("a/up"), Path.of(".."));
        assertThatThrownBy(() -> pack(folder)).hasMessageEndingWith("up is a link to a folder above it");
        Files.delete(folder.resolve("a/up"));
        Files.createSymbolicLink(folder.resolve("a/none"), Path.of("nothing"));
        assertThatThrownBy(() -> pack(folder)).hasMessageContaining("none is a link that leads nowhere");
    }

    @Test
    void whatIsNeitherFileNorFolderIsRefused() throws Exception {
        Path folder = classes("one", List.of("a/X.class"));
        assertThat(new ProcessBuilder("mkfifo", folder.resolve("pipe").toString()).start().waitFor()).isZero();
        assertThatThrownBy(() -> pack(folder)).hasMessageEndingWith("pipe is neither a file nor a folder");
        Files.delete(folder.resolve("pipe"));
        Files.writeString(folder.resolve("a\\b"), "");
        assertThatThrownBy(() -> pack(folder)).hasMessage("the name \"a\\b\" of a job's file has a backslash");
        assertThatThrownBy(() -> pack(folder.resolve("a/X.class"))).hasMessageEndingWith("X.class is no folder of classes");
        assertThatThrownBy(() -> pack(above.resolve("none"))).hasMessageContaining("cannot be packed: no such file");
    }
}
