package org.posthouse.launch.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The folders of ranks on a node. */
class JobFoldersTest {
    @TempDir
    private Path above;

    private ContentStore store;
    private JobFolders folders;

    @BeforeEach
    void open() throws Exception {
        store = ContentStore.open(above.resolve("cas"), 1_000);
        folders = JobFolders.open(above.resolve("jobs"));
    }

    @AfterEach
    void close() throws Exception {
        folders.close();
        store.close();
    }

    private PinnedContent content(String text) throws Exception {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        ContentId id = ContentHasher.read(new ByteArrayInputStream(bytes));
        try (IncomingContent incoming = store.receive(id)) {
            incoming.write(0, ByteBuffer.wrap(bytes));
            return store.pin(id).orElseThrow();
        }
    }

    @Test
    void filesOfTheJobStandInTheRanksFolder() throws Exception {
        try (JobFolderOnNode rank = folders.of(0x1a, "3")) {
            assertThat(rank.path()).isEqualTo(above.resolve("jobs/000000000000001a/3"));
            assertThat(rank.link("data/in.txt", content("input"))).isEqualTo(rank.path().resolve("data/in.txt")).hasContent("input");
            assertThat(rank.link("run.sh", content("#!/bin/sh\n"))).isExecutable();
            for (Path folder : new Path[] {above.resolve("jobs"), rank.path().getParent(), rank.path(), rank.path().resolve("data")}) {
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder))).as("" + folder).isEqualTo("rwx------");
            }
        }
    }

    @Test
    void namesLeadNowhereElse() throws Exception {
        try (JobFolderOnNode rank = folders.of(1, "0")) {
            assertThatThrownBy(() -> rank.link("../1/x", content("x"))).isInstanceOf(StageException.class).hasMessageContaining("has the part \"..\"");
            assertThatThrownBy(() -> folders.of(1, "../../x")).hasMessageContaining("has the part");
            assertThat(above.resolve("jobs/0000000000000001/1")).doesNotExist();
        }
    }

    /** Of a rank's process, whose next one gets the same files. */
    @Test
    void linkThatAProgramHasPutInTheWayIsNotFollowed() throws Exception {
        Path outside = Files.createDirectory(above.resolve("outside"));
        Path precious = Files.writeString(outside.resolve("precious"), "mine");
        try (JobFolderOnNode rank = folders.of(1, "0")) {
            Files.createSymbolicLink(rank.path().resolve("data"), outside);
            Files.createSymbolicLink(rank.path().resolve("in.txt"), precious);
            rank.link("data/in.txt", content("input"));
            rank.link("in.txt", content("input"));
            assertThat(rank.path().resolve("data/in.txt")).hasContent("input");
            assertThat(outside.toFile().list()).containsExactly("precious");
            assertThat(precious).hasContent("mine");
        }
    }

    @Test
    void contentIsInUseUntilTheFolderIsRemoved() throws Exception {
        PinnedContent large = content("x".repeat(600));
        PinnedContent other = content("y".repeat(300));
        ContentId next = new ContentId("0".repeat(64), 500);
        other.close();
        try (JobFolderOnNode rank = folders.of(1, "0")) {
            rank.link("large", large);
            assertThatThrownBy(() -> store.receive(next)).hasMessageContaining("jobs use 600");
        }
        store.receive(next).close();
        assertThat(store.pin(large.id())).isEmpty();
    }

    @Test
    void folderIsRemovedWithAllThatTheRankLeft() throws Exception {
        Path outside = Files.createDirectory(above.resolve("outside"));
        Path precious = Files.writeString(outside.resolve("precious"), "mine");
        JobFolderOnNode rank = folders.of(1, "0");
        Path deep = Files.createDirectories(rank.path().resolve("made/by/program"));
        Files.writeString(deep.resolve("result"), "42");
        Files.createSymbolicLink(deep.resolve("link"), outside);
        Files.setPosixFilePermissions(deep, PosixFilePermissions.fromString("---------"));
        Files.setPosixFilePermissions(deep.getParent(), PosixFilePermissions.fromString("r-x------"));
        PinnedContent input = content("input");
        rank.link("in.txt", input);
        rank.close();
        assertThat(rank.path()).doesNotExist();
        assertThat(precious).hasContent("mine");
        assertThat(input.path()).hasContent("input");
        folders.of(1, "1");
        folders.of(2, "0");
        folders.removeJob(1);
        assertThat(above.resolve("jobs").toFile().list()).containsExactlyInAnyOrder(FolderLock.NAME, "0000000000000002");
    }

    @Test
    void nextProcessRemovesWhatADeadOneLeft() throws Exception {
        folders.of(1, "0").link("in.txt", content("input"));
        assertThatThrownBy(() -> JobFolders.open(above.resolve("jobs"))).hasMessageContaining("is in use by another process");
        assertThat(above.resolve("jobs/0000000000000001/0/in.txt")).exists();
        folders.close();
        folders = JobFolders.open(above.resolve("jobs"));
        assertThat(above.resolve("jobs").toFile().list()).containsExactly(FolderLock.NAME);
    }

    /** The next process of the rank may find what the first one wrote. */
    @Test
    void folderOfARestartedRankIsTakenAsItIs() throws Exception {
        Files.writeString(folders.of(1, "0").path().resolve("state"), "half");
        assertThat(folders.of(1, "0").path().resolve("state")).hasContent("half");
    }
}
