package org.posthouse.launch.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a job takes to its nodes. */
class JobContentTest {
    @TempDir
    private Path folder;

    private Path file(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private Path jar(String name, String classPath) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, classPath);
        Path jar = folder.resolve(name);
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
            return jar;
        }
    }

    @Test
    void classFoldersAreArchivesThatGoWithTheContent() throws IOException {
        file("classes/a/A.class", "a");
        Path archive;
        try (JobContent content = JobContent.of(List.of(folder.resolve("classes")), List.of());
                JobContent again = JobContent.of(List.of(folder.resolve("classes")), List.of())) {
            assertThat(content.classPath()).extracting(JobContent.StagedContent::name).containsExactly("0/classes.jar");
            archive = content.classPath().getFirst().file();
            assertThat(archive).isRegularFile();
            assertThat(again.classPath().getFirst().id()).isEqualTo(content.classPath().getFirst().id());
        }
        assertThat(archive.getParent()).doesNotExist();
    }

    @Test
    void whatAManifestNamesFollowsItsJar() throws IOException {
        file("lib/b.bin", "b");
        jar("c.jar", "a.jar lib/gone.jar");
        Path jar = jar("a.jar", "c.jar lib/b.bin http://nowhere/x.jar %zz");
        Path last = file("last.jar", "no jar");
        try (JobContent content = JobContent.of(List.of(jar, last, jar), List.of())) {
            assertThat(content.classPath()).extracting(JobContent.StagedContent::name).containsExactly("0/a.jar", "1/c.jar", "2/b.bin", "3/last.jar");
        }
    }

    @Test
    void filesHaveTheirLastNamesAndEqualContentCountsOnce() throws IOException {
        Path one = file("x/one", "same");
        Path two = file("y/two", "same");
        try (JobContent content = JobContent.of(List.of(), List.of(one, two))) {
            assertThat(content.files()).extracting(JobContent.StagedContent::name).containsExactly("one", "two");
            assertThat(content.contents()).hasSize(1);
        }
    }

    @Test
    void missingFilesAndNamesThatAreTakenAreRefused() throws IOException {
        Path one = file("x/one", "1");
        Path other = file("y/one", "2");
        assertThatThrownBy(() -> JobContent.of(List.of(), List.of(one, other)))
                .isInstanceOf(StageException.class)
                .hasMessage("two of the job's files have the name \"one\"");
        assertThatThrownBy(() -> JobContent.of(List.of(folder.resolve("gone.jar")), List.of()))
                .isInstanceOf(StageException.class)
                .hasMessage(folder.resolve("gone.jar") + " does not exist");
    }

    @Test
    void aFileThatChangesIsNoticed() throws IOException {
        Path one = file("one", "1");
        try (JobContent content = JobContent.of(List.of(), List.of(one))) {
            assertThat(content.files().getFirst().hasChanged()).isFalse();
            Files.setLastModifiedTime(one, FileTime.fromMillis(1_000));
            assertThat(content.files().getFirst().hasChanged()).isTrue();
        }
    }
}
