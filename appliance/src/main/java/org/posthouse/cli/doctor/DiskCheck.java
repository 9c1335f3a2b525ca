package org.posthouse.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** The disk of a data folder. Stateless. */
final class DiskCheck {
    private static final long BYTES_MIN = 1L << 30;
    private static final long BYTES_ENOUGH = 8L << 30;
    private static final double SYNC_MS_ENOUGH = 20;
    private static final Set<String> OF_NETWORKS = Set.of("nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "lustre", "gpfs", "beegfs");

    private DiskCheck() {}

    /**
     * What was measured of a folder.
     *
     * @param fault why it cannot be written
     * @param type of its file system
     * @param syncMs median of the times in which a page was synced; negative if it was not measured
     */
    record Disk(String folder, Optional<String> fault, String type, long freeBytes, double syncMs) {}

    static List<Finding> check(Disk disk) {
        if (disk.fault().isPresent()) {
            return List.of(Finding.fail("data folder", disk.folder() + ": " + disk.fault().orElseThrow(), "see --data"));
        }
        List<Finding> findings = new ArrayList<>();
        findings.add(OF_NETWORKS.contains(disk.type())
                ? Finding.fail("data folder", disk.folder() + " is on a file system of the network (" + disk.type() + ")",
                        "give --data a folder on a local disk")
                : disk.type().equals("tmpfs")
                        ? Finding.warn("data folder", disk.folder() + " is in memory (tmpfs) and is lost with the host", "give --data a folder on a disk")
                : Finding.ok("data folder", disk.folder() + " can be written (" + disk.type() + ")"));
        findings.add(space(disk));
        if (disk.syncMs() >= 0) {
            String time = String.format(Locale.ROOT, "a page is synced in %.1f ms (median of 9)", disk.syncMs());
            findings.add(disk.syncMs() <= SYNC_MS_ENOUGH
                    ? Finding.ok("sync", time)
                    : Finding.warn("sync", time, "--durability host waits for it with each message to another site: use a faster disk"));
        }
        return findings;
    }

    private static Finding space(Disk disk) {
        String free = String.format(Locale.ROOT, "%,d MiB free", disk.freeBytes() >> 20);
        if (disk.freeBytes() < BYTES_MIN) {
            return Finding.fail("disk space", free + ", expected " + (BYTES_MIN >> 20) + " MiB at least", "free space, or give --data another disk");
        }
        return disk.freeBytes() < BYTES_ENOUGH
                ? Finding.warn("disk space", free, "logged jobs wait when the log is full: free space, or set --log-limit")
                : Finding.ok("disk space", free);
    }
}
