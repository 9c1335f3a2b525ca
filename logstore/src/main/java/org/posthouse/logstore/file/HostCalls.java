package org.posthouse.logstore.file;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.function.LongSupplier;

/**
 * The calls of a log to its host; tests substitute them. Immutable.
 *
 * @param freeBytes on the file system of the log's folder, usable by this process
 * @param wallTimeMs Unix time in ms, written into the start record only
 * @param pid of this process
 * @param boot identity of the machine's boot, all zero if unknown
 */
public record HostCalls(LongSupplier freeBytes, LongSupplier wallTimeMs, long pid, UUID boot) {
    /** The boot of a machine that does not report it. */
    public static final UUID UNKNOWN_BOOT = new UUID(0, 0);

    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    /** This machine, for a log in an existing folder. */
    public static HostCalls here(Path folder) throws IOException {
        FileStore store = Files.getFileStore(folder);
        long pid = ProcessHandle.current().pid();
        return new HostCalls(() -> free(folder, store), System::currentTimeMillis, pid, bootOfThisMachine());
    }

    private static long free(Path folder, FileStore store) {
        try {
            return store.getUsableSpace();
        } catch (IOException e) {
            throw new LogException(folder, "cannot tell how much space is free",
                    "check that the file system is mounted", e);
        }
    }

    private static UUID bootOfThisMachine() throws IOException {
        return Files.isReadable(BOOT_ID) ? UUID.fromString(Files.readString(BOOT_ID).strip()) : UNKNOWN_BOOT;
    }

    /** Whether the page cache of a writer in that boot may be lost. */
    public boolean rebootedSince(UUID writersBoot) {
        return boot.equals(UNKNOWN_BOOT) || !boot.equals(writersBoot);
    }
}
