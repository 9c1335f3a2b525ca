package org.posthouse.cli.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.posthouse.audit.Audit;
import org.posthouse.cli.option.CommandFailure;
import org.slf4j.LoggerFactory;

/** Where the audit log goes: to no more than so many bytes, one line each. */
@Isolated("the process has one audit log")
class AuditFileTest {
    @TempDir
    private Path folder;

    @AfterEach
    void close() {
        ((Logger) LoggerFactory.getLogger(Audit.LOGGER)).detachAndStopAllAppenders();
    }

    @Test
    void auditFileIsNamedAfterTheRelaysLog() {
        assertThat(AuditFile.of(Path.of("data", "log"))).isEqualTo(Path.of("data", "audit.log"));
        assertThat(AuditFile.of(Path.of("data", "log-2"))).isEqualTo(Path.of("data", "audit-2.log"));
    }

    @Test
    void linesArePrivateAndOneLineEach() throws Exception {
        Path file = folder.resolve("data").resolve("audit.log");
        AuditFile.open(file);
        Audit.refused("site-a", "somebody\nrefused forged: line");
        Audit.changed("site-a", "something");
        assertThat(Files.readAllLines(file)).hasSize(2).first().asString().contains("refused site-a: somebody").contains("forged");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
        AuditFile.open(file);
        Audit.changed("site-a", "more");
        assertThat(Files.readAllLines(file)).as("it goes on behind what was there").hasSize(3);
    }

    @Test
    void auditFilesAreBoundedAndOldFilesPrivate() throws Exception {
        Path file = folder.resolve("audit.log");
        AuditFile.open(file);
        String line = "x".repeat(4_000);
        for (long written = 0; written < (AuditFile.FILES + 2) * AuditFile.FILE_BYTES; written += line.length()) {
            Audit.refused("site-a", line);
        }
        List<Path> files = files();
        assertThat(files).hasSizeBetween(2, AuditFile.FILES);
        for (Path each : files) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(each))).as(each.toString()).isEqualTo("rw-------");
            assertThat(Files.size(each)).as(each.toString()).isLessThan(2 * AuditFile.FILE_BYTES);
        }
    }

    @Test
    void reportsDataFolderThatCannotBeWritten() throws Exception {
        Path file = folder.resolve("file");
        Files.createFile(file);
        assertThatThrownBy(() -> AuditFile.open(file.resolve("audit.log"))).isInstanceOf(CommandFailure.class)
                .hasMessageContaining("the data folder " + file.toAbsolutePath() + " cannot be written");
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.toList();
        }
    }
}
