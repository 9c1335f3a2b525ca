package org.posthouse.logstore;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.posthouse.logstore.file.MappedQueueFile;
import org.posthouse.logstore.file.QueueFiles;
import org.posthouse.logstore.record.RecordEnvelope;

/**
 * The records that are lost with the cut end of a log after a power cut, for the log line about it. Immutable.
 *
 * @param records published records after the cut, as far as is known
 * @param whole how many of them still exist
 * @param bytes of those
 */
record TruncatedTail(long records, long whole, long bytes) {

    static TruncatedTail of(LogScan scan, LogDefect defect) throws IOException {
        long highest = Math.max(scan.end().reached().position(), scan.lastPosition());
        long whole = 0;
        long bytes = 0;
        for (Map.Entry<Integer, Path> later : QueueFiles.list(scan.folder()).tailMap(scan.end().lastFile()).entrySet()) {
            try (MappedQueueFile file = new MappedQueueFile(later.getValue())) {
                int from = later.getKey() == scan.end().lastFile() ? (int) defect.offset() : 0;
                for (int at = file.findRecord(from, scan.lastPosition() + 1, Long.MAX_VALUE); at >= 0;) {
                    int total = file.bytes().getInt(at + RecordEnvelope.TOTAL);
                    highest = Math.max(highest, file.bytes().getLong(at + RecordEnvelope.POSITION));
                    whole++;
                    bytes += total;
                    at = file.findRecord(at + total, scan.lastPosition() + 1, Long.MAX_VALUE);
                }
            }
        }
        return new TruncatedTail(Math.max(defect.lost(), highest - scan.lastPosition()), whole, bytes);
    }

    @Override
    public String toString() {
        return "power was lost before all of it was on the disk, and published records with it: " + records
                + (whole == 0 ? "" : ", of which " + whole + " stood there whole, " + bytes + " bytes, behind what is missing");
    }
}
