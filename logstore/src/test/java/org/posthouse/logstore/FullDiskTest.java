package org.posthouse.logstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.logstore.file.FileBlocks;

/** A log on a disk of which not a byte is left: a tmpfs that only one process sees, and that goes with it. */
@Timeout(120)
class FullDiskTest {
    @TempDir
    private Path folder;

    @Test
    void fullDiskIsReportedWithoutExitOrLogDamage() throws Exception {
        Path disk = Files.createDirectory(folder.resolve("disk"));
        Path output = folder.resolve("output");
        String script = "mount -t tmpfs -o size=64m,nr_inodes=100 posthouse \"$0\" || { echo cannot mount; exit; }; ulimit -n 256; exec \"$@\"";
        List<String> first = List.of("unshare", "-Urm", "sh", "-c", script, disk.toString());
        Process process = ChildJvm.startBehind(first, FullDisk.class, output, disk.toString()).process();
        assertThat(process.waitFor(40, TimeUnit.SECONDS)).isTrue();
        String told = Files.readString(output);
        assumeFalse(told.contains("cannot mount") || told.contains("unshare"), told);
        assertThat(told).endsWith("all is well\n");
        assertThat(process.exitValue()).isZero();
    }

    @Test
    void blocksAreFilledWhereTheyCannotBeReservedAndNothingThereIsLost() throws Exception {
        Path file = folder.resolve("file");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {1}), 200_000);
        }
        assertThat(FileBlocks.tryFill(file, 0, 300_000)).isTrue();
        byte[] expected = new byte[300_000];
        expected[200_000] = 1;
        assertThat(Files.readAllBytes(file)).isEqualTo(expected);
        assertThat(FileBlocks.tryReserve(file, 0, 400_000)).isTrue();
        assertThat(Files.readAllBytes(file)).as("reserving changes nothing").isEqualTo(expected);
    }
}
