package org.posthouse.launch.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which cache a rank's JVM is given: it would run what is in it, whatever its jar has. */
final class StartCacheTest {
    private static final long MADE_MS = 1_000_000;

    @TempDir
    private Path folder;

    private Path file(String name, long modifiedMs) throws IOException {
        Path file = Files.createFile(folder.resolve(name));
        Files.setLastModifiedTime(file, FileTime.fromMillis(modifiedMs));
        return file;
    }

    @Test
    void aCacheThatWasMadeAfterItsJarIsTaken() throws IOException {
        assertThat(StartCache.isOf(file("mpj.jar", MADE_MS), file("rank.aot", MADE_MS + 1_000))).isTrue();
    }

    @Test
    void aCacheOfAnEarlierBuildIsNot() throws IOException {
        assertThat(StartCache.isOf(file("mpj.jar", MADE_MS), file("rank.aot", MADE_MS - 1_000))).isFalse();
    }

    @Test
    void aRelayThatTheUserGivesAnAotCacheIsGivenNoOther() {
        assertThat(StartCache.relayFlags(List.of("-Xmx1g", "-XX:AOTCache=own.aot"))).isEmpty();
    }

    @Test
    void norIsAnyForClassesInAFolderOrOneThatIsMissing() throws IOException {
        Path cache = file("rank.aot", MADE_MS);
        assertThat(StartCache.isOf(Files.createDirectory(folder.resolve("classes")), cache)).isFalse();
        assertThat(StartCache.isOf(file("mpj.jar", MADE_MS), folder.resolve("none.aot"))).isFalse();
    }

    @Test
    void rehearsalRemovesFolderOfKilledRehearsal() throws IOException {
        Path left = Files.createDirectory(folder.resolve("rehearsal-1"));
        Files.createFile(left.resolve("owner"));
        Files.createFile(left.resolve(StartCache.RELAY_FILE));
        assertThatThrownBy(() -> StartCache.make(folder, List.of(), List.of("--version"), StartCache.SECONDS_MAX))
                .as("it makes nothing")
                .isInstanceOf(NoSuchFileException.class);
        assertThat(folder).isEmptyDirectory();
    }
}
