package org.posthouse.cli.doctor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Optional;
import org.posthouse.causes.Causes;
import org.posthouse.cli.option.DataFolder;

/** Measures the disk of a folder, with a file that is deleted again. Stateless. */
final class DiskProbe {
    private static final int PAGE_BYTES = 4096;
    private static final int SYNCS = 9;

    private DiskProbe() {}

    static DiskCheck.Disk measure(Path folder) {
        Optional<String> fault = DataFolder.fault(folder);
        if (fault.isPresent()) {
            return new DiskCheck.Disk(folder.toString(), fault, "", 0, -1);
        }
        Path there = DataFolder.nearest(folder);
        try {
            return new DiskCheck.Disk(
                    folder.toString(), fault, Files.getFileStore(there).type(), Files.getFileStore(there).getUsableSpace(), syncMs(there));
        } catch (IOException e) {
            return new DiskCheck.Disk(folder.toString(), Optional.of(Causes.text(e)), "", 0, -1);
        }
    }

    private static double syncMs(Path folder) throws IOException {
        Path file = Files.createTempFile(folder, ".posthouse-", "");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            long[] times = new long[SYNCS];
            for (int i = 0; i < SYNCS; i++) {
                channel.write(ByteBuffer.allocate(PAGE_BYTES), (long) i * PAGE_BYTES);
                long begin = System.nanoTime();
                channel.force(false);
                times[i] = System.nanoTime() - begin;
            }
            Arrays.sort(times);
            return times[SYNCS / 2] / 1e6;
        } finally {
            Files.delete(file);
        }
    }
}
