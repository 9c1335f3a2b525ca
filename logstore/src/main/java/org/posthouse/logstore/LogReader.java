package org.posthouse.logstore;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.UUID;
import java.util.function.Consumer;
import org.posthouse.logstore.LogDefect.Kind;
import org.posthouse.logstore.LogRecord.WriterStarted;

/**
 * One forward reading of a log: checks every record by itself (checksum, lengths) and against the one before
 * (position without gap, hash), shows the whole ones to a visitor, and stops at the first defect. Confined to its
 * thread; needs no lock and changes nothing, so it may read beside a living writer.
 */
final class LogReader {
    private final Path folder;
    private final SortedMap<Integer, Path> files;
    private final Consumer<? super LogEntry> visitor;
    private final Map<RecordType, Long> counts = new EnumMap<>(RecordType.class);
    private LogDefect defect;
    private long firstPosition;
    private long lastPosition;
    private long epoch;
    private long bytes;
    private int hash;
    private UUID boot;
    private int file = -1;
    private long recordsInFile;
    private boolean marked;

    private LogReader(Path folder, Consumer<? super LogEntry> visitor) throws IOException {
        this.folder = folder;
        this.files = QueueFiles.list(folder);
        this.visitor = visitor;
    }

    static LogScan read(Path folder, Consumer<? super LogEntry> visitor) throws IOException {
        LogReader reader = new LogReader(folder, visitor);
        for (int number : reader.files.keySet()) {
            reader.readFile(number);
            if (reader.defect != null) {
                break;
            }
        }
        return reader.result();
    }

    private LogScan result() {
        LogScan.End end = new LogScan.End(hash, file, marked, recordsInFile, boot);
        return new LogScan(folder, counts, firstPosition, lastPosition, epoch, bytes, files.size(),
                Optional.ofNullable(defect), end);
    }

    private void readFile(int number) throws IOException {
        file = number;
        recordsInFile = 0;
        marked = false;
        try (MappedQueueFile queueFile = new MappedQueueFile(files.get(number))) {
            while (defect == null) {
                switch (queueFile.advance()) {
                    case RECORD -> record(queueFile);
                    case END_MARK -> {
                        marked = true;
                        requireCount(queueFile);
                        return;
                    }
                    case NOTHING -> {
                        nothing(queueFile);
                        return;
                    }
                    case BAD_HEADER -> damaged(queueFile, "its header claims " + queueFile.length()
                            + " bytes or is not complete");
                }
            }
        }
    }

    private void record(MappedQueueFile queueFile) {
        String flaw = queueFile.flaw();
        if (flaw != null) {
            damaged(queueFile, "the record " + flaw);
            return;
        }
        ByteBuffer b = queueFile.bytes();
        int at = queueFile.offset();
        long position = b.getLong(at + Envelope.POSITION);
        if (position > lastPosition + 1) {
            report(Kind.MISSING_RECORDS, queueFile, false, position - lastPosition - 1,
                    "the record here has position " + position + ", expected " + (lastPosition + 1));
        } else if (position <= lastPosition || b.getInt(at + Envelope.PREVIOUS) != hash) {
            report(Kind.BROKEN_CHAIN, queueFile, false, 0, String.format(
                    "the record here has position %d and follows hash 0x%08x, expected %d and 0x%08x", position,
                    b.getInt(at + Envelope.PREVIOUS), lastPosition + 1, hash));
        } else {
            accept(queueFile, position);
        }
    }

    private void accept(MappedQueueFile queueFile, long position) {
        ByteBuffer b = queueFile.bytes();
        int at = queueFile.offset();
        LogRecord record = RecordCodec.decode(b, at);
        long recordEpoch = b.getLong(at + Envelope.EPOCH);
        visitor.accept(new LogEntry(position, recordEpoch, record, RecordCodec.payload(b, at), queueFile.file(),
                QueueFiles.index(file, recordsInFile), at));
        counts.merge(record.type(), 1L, Long::sum);
        firstPosition = firstPosition == 0 ? position : firstPosition;
        lastPosition = position;
        epoch = Math.max(epoch, recordEpoch);
        bytes += queueFile.length();
        hash = b.getInt(at + Envelope.CRC);
        recordsInFile++;
        if (record instanceof WriterStarted started) {
            boot = started.boot();
        }
    }

    /** The file ends in zeros here; is that its end? A record copied whole but never published may stand behind. */
    private void nothing(MappedQueueFile queueFile) {
        long lost = lost(queueFile);
        int residue = queueFile.findNonZero(queueFile.header());
        if (residue >= 0 && wholeRecordFollows(queueFile, lost == 0 ? queueFile.endOfUnpublished() : residue)) {
            report(Kind.ZEROED_MIDDLE, queueFile, false, lost, "zeros stand here, and whole records follow");
        } else if (lost > 0) {
            report(Kind.MISSING_RECORDS, queueFile, isLast(), lost, "the file ends here after " + recordsInFile
                    + " records, Chronicle counted " + lost + " more");
        } else if (residue >= 0 && isLast()) {
            report(Kind.TORN_TAIL, queueFile, true, 0, "bytes that were never published as a record");
        }
    }

    private void damaged(MappedQueueFile queueFile, String detail) {
        long lost = lost(queueFile);
        boolean follows = wholeRecordFollows(queueFile, queueFile.offset());
        boolean atTail = !follows && isLast();
        Kind inside = queueFile.isZeroed() ? Kind.ZEROED_MIDDLE : Kind.FLIPPED_BYTE;
        report(atTail && lost == 0 ? Kind.TORN_TAIL : inside, queueFile, atTail, lost,
                detail + (follows ? ", and whole records follow" : ""));
    }

    private void requireCount(MappedQueueFile queueFile) {
        long lost = lost(queueFile);
        if (lost > 0) {
            report(Kind.MISSING_RECORDS, queueFile, isLast(), lost, "the file is marked complete after "
                    + recordsInFile + " records, Chronicle counted " + lost + " more");
        }
    }

    private long lost(MappedQueueFile queueFile) {
        return Math.max(0, queueFile.chronicleCount() - recordsInFile);
    }

    private boolean isLast() {
        return file == files.lastKey();
    }

    /**
     * In this file: a roll marks the file complete, so a later file means that this one had been whole. A payload may
     * hold the image of a record; it counts only if its position could have been reached in this file.
     */
    private boolean wholeRecordFollows(MappedQueueFile queueFile, int from) {
        long reachable = lastPosition + queueFile.bytes().capacity() / Envelope.BYTES;
        return queueFile.findRecord(from, lastPosition + 1, reachable) >= 0;
    }

    private void report(Kind kind, MappedQueueFile queueFile, boolean atTail, long lost, String detail) {
        defect = new LogDefect(kind, queueFile.file(), QueueFiles.index(file, recordsInFile), lastPosition + 1,
                queueFile.header(), atTail, lost, detail);
    }
}
