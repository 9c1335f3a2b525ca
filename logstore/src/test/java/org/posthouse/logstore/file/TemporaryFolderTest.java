package org.posthouse.logstore.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class TemporaryFolderTest {
    private static final String PREFIX = "grid-";

    @TempDir
    Path parent;

    /** Says where its folder is, and lives until its input ends. */
    static final class Owner {
        private Owner() {}

        public static void main(String[] args) throws IOException {
            TemporaryFolder folder = TemporaryFolder.make(Path.of(args[0]), PREFIX);
            Files.createDirectories(folder.path().resolve("keys"));
            Files.writeString(folder.path().resolve("keys/site.key"), "secret");
            System.out.println(folder.path());
            System.in.read();
        }
    }

    private Process owner() throws IOException {
        return new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp", System.getProperty("java.class.path"),
                Owner.class.getName(), parent.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    @Test
    void nextProcessRemovesFolderOfKilledProcess() throws Exception {
        Process owner = owner();
        try {
            Path left = Path.of(owner.inputReader().readLine());
            TemporaryFolder.make(parent, PREFIX).close();
            assertThat(left.resolve("keys/site.key")).as("while its owner lives").exists();

            owner.destroyForcibly();
            assertThat(owner.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(left).as("nobody was left to remove it").exists();
            try (TemporaryFolder next = TemporaryFolder.make(parent, PREFIX)) {
                assertThat(left).doesNotExist();
                assertThat(next.path()).exists();
            }
            assertThat(parent).isEmptyDirectory();
        } finally {
            owner.destroyForcibly();
        }
    }

    @Test
    void oneOfThisProcessIsNotTakenForLeftBehindAndKeepsItsLock() throws Exception {
        try (TemporaryFolder first = TemporaryFolder.make(parent, PREFIX);
                TemporaryFolder second = TemporaryFolder.make(parent, PREFIX)) {
            assertThat(first.path()).isNotEqualTo(second.path()).exists();

            Process other = owner();
            try {
                assertThat(other.inputReader().readLine()).contains(PREFIX);
                assertThat(first.path()).as("after another process has looked").exists();
                assertThat(second.path()).exists();
            } finally {
                other.destroyForcibly();
            }
        }
    }

    @Test
    void foreignFilesAndFoldersAreLeftAlone() throws IOException {
        Path stranger = Files.createDirectory(parent.resolve(PREFIX + "17"));
        Path named = Files.createDirectory(parent.resolve(PREFIX + "root"));
        Path file = Files.createFile(parent.resolve(PREFIX + "18"));
        Path other = Files.createDirectory(parent.resolve("else"));
        Files.createFile(other.resolve(TemporaryFolder.OWNER));
        Path link = Files.createSymbolicLink(parent.resolve(PREFIX + "19"), other);
        Files.createFile(named.resolve(TemporaryFolder.OWNER));

        TemporaryFolder.make(parent, PREFIX).close();

        assertThat(stranger).as("without a file of its owner it is nobody's, or being made").exists();
        assertThat(named).exists();
        assertThat(file).exists();
        assertThat(link).exists();
        assertThat(other.resolve(TemporaryFolder.OWNER)).exists();
    }

    @Test
    void deletionDoesNotFollowSymbolicLinks() throws IOException {
        Path target = Files.writeString(parent.resolve("target"), "mine");
        TemporaryFolder folder = TemporaryFolder.make(parent, PREFIX);
        Files.createSymbolicLink(folder.path().resolve("link"), target);

        folder.close();

        assertThat(folder.path()).doesNotExist();
        assertThat(target).hasContent("mine");
    }
}
