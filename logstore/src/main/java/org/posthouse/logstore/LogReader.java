package org.posthouse.logstore;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.posthouse.logstore.LogDefect.Kind;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.file.LogHighWater;
import org.posthouse.logstore.file.MappedQueueFile;
import org.posthouse.logstore.file.QueueFiles;
import org.posthouse.logstore.file.SyncedPosition;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.RecordDecoder;
import org.posthouse.logstore.record.RecordEnvelope;
import org.posthouse.logstore.record.RecordLayout;
import org.posthouse.logstore.record.RecordPosition;
import org.posthouse.logstore.record.RecordType;

/**
 * Reads a log forward once. It checks each record by itself (checksum, lengths) and against its predecessor (position
 * without gap, hash). It passes whole records to a visitor, stops at the first defect, and maintains the log's book. A
 * log whose older files were deleted begins with a snapshot, which must be complete. Confined to its thread. It needs
 * no lock and changes nothing, so it may run beside a living writer.
 */
final class LogReader {
    private static final String CLAIMS = "its header claims %d bytes or is not complete";

    private final Path folder;
    /** Read before the files, because a living writer may append meanwhile. */
    private final LogHighWater logHighWater;
    /** Read before the files, for the same reason. */
    private final SyncedPosition safe;
    private final SortedMap<Integer, Path> files;
    private final Consumer<? super LogEntry> visitor;
    private final Map<RecordType, Long> counts = new EnumMap<>(RecordType.class);
    private LogDefect defect;
    /** The defect that the oldest files are missing though jobs need them; null if no job needs them. */
    private LogDefect gone;
    private long firstPosition;
    private long lastPosition;
    private long epoch;
    private long bytes;
    private int hash;
    private LogState book = new LogState();
    private final InFlightMessages inFlightMessages = new InFlightMessages();
    /** The snapshot in the first records, if earlier files are deleted; null if none are. */
    private SnapshotPieces beginning;
    /** Position of the first record of each file. */
    private final SortedMap<Integer, Long> firstOfFile = new TreeMap<>();
    /** Whether the file contains only pieces of an incomplete snapshot. */
    private boolean halfSnapshot;
    private int file = -1;
    private long recordsInFile;
    private boolean marked;

    private LogReader(Path folder, Consumer<? super LogEntry> visitor) throws IOException {
        this.folder = folder;
        this.logHighWater = LogHighWater.read(folder);
        this.safe = SyncedPosition.read(folder);
        this.files = QueueFiles.list(folder);
        this.visitor = visitor;
    }

    /** The book from the snapshot in the log's first records; empty if the log has no snapshot there. */
    static LogState beginning(Path folder) throws IOException {
        LogReader reader = new LogReader(folder, entry -> {
            if (!(entry.record() instanceof LogRecord.Snapshot)) {
                throw new Begun();
            }
        });
        try {
            reader.read();
        } catch (Begun e) {
            return reader.book;
        }
        return reader.book;
    }

    /** Thrown to stop reading after the snapshot at the log's beginning. */
    private static final class Begun extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Begun() {
            super("the snapshot was read", null, false, false);
        }
    }

    static LogScan read(Path folder, Consumer<? super LogEntry> visitor) throws IOException {
        return new LogReader(folder, visitor).read();
    }

    private LogScan read() throws IOException {
        for (int number : files.keySet()) {
            try {
                readFile(number);
            } catch (RuntimeException | IOException e) {
                requireThere(number, e);
                throw e;
            }
            requireThere(number, null);
            if (defect != null) {
                break;
            }
        }
        requireBeginning();
        requireReached();
        requireSafe();
        requireNeeded();
        return result();
    }

    private LogScan result() {
        LogScan.End end = new LogScan.End(hash, file, marked, recordsInFile, inFlightMessages, firstOfFile, halfSnapshot, logHighWater, safe);
        return new LogScan(folder, counts, firstPosition, lastPosition, epoch, bytes, files.size(),
                Optional.ofNullable(defect), Optional.ofNullable(gone), book, end);
    }

    /** A file that disappears during reading may have been reused, or emptied for reuse. */
    private void requireThere(int number, Exception failure) {
        if (!Files.exists(files.get(number))) {
            throw LogException.cut(folder, lastPosition, files.get(number), failure);
        }
    }

    private void readFile(int number) throws IOException {
        file = number;
        recordsInFile = 0;
        marked = false;
        halfSnapshot = false;
        try (MappedQueueFile queueFile = new MappedQueueFile(files.get(number))) {
            String flaw = queueFile.headFlaw();
            if (flaw != null) {
                report(Kind.FLIPPED_BYTE, queueFile, false, lost(queueFile), flaw);
            }
            while (defect == null) {
                switch (queueFile.advance()) {
                    case RECORD -> record(queueFile);
                    case END_MARK -> {
                        marked = true;
                        requireCount(queueFile);
                        return;
                    }
                    case NOTHING -> {
                        if (queueFile.isOutgrown()) {
                            return;
                        }
                        nothing(queueFile);
                        if (!isOvertaken(queueFile)) {
                            requireHead(queueFile);
                            requireRecord(queueFile);
                            return;
                        }
                    }
                    case UNFINISHED -> {
                        damaged(queueFile, queueFile.endOfUnpublished(), CLAIMS.formatted(queueFile.length()));
                        isOvertaken(queueFile);
                    }
                    case BAD_HEADER -> {
                        if (queueFile.isOutgrown()) {
                            return;
                        }
                        damaged(queueFile, queueFile.offset(), CLAIMS.formatted(queueFile.length()));
                    }
                }
            }
        }
    }

    private void record(MappedQueueFile queueFile) throws IOException {
        String flaw = queueFile.flaw();
        if (flaw != null) {
            requireVersion(queueFile);
            damaged(queueFile, queueFile.offset(), "the record " + flaw);
            return;
        }
        ByteBuffer b = queueFile.bytes();
        int at = queueFile.offset();
        long position = b.getLong(at + RecordEnvelope.POSITION);
        if (isOfEarlierLife(b, at, position)) {
            boolean atTail = (lastPosition == 0 || !wholeRecordFollows(queueFile, at)) && endsHere();
            report(Kind.BROKEN_CHAIN, queueFile, atTail, lost(queueFile), "the record here has position " + position
                    + ", was passed before or began another file, and expected is " + (lastPosition + 1));
            return;
        }
        if (lastPosition == 0 && position > 1 && RecordDecoder.type(b, at) == RecordType.SNAPSHOT) {
            beginning = new SnapshotPieces();
            hash = b.getInt(at + RecordEnvelope.PREVIOUS);
            lastPosition = position - 1;
        }
        if (position > lastPosition + 1) {
            report(Kind.MISSING_RECORDS, queueFile, false, position - lastPosition - 1 + lost(queueFile),
                    "the record here has position " + position + ", expected " + (lastPosition + 1));
        } else if (b.getInt(at + RecordEnvelope.PREVIOUS) != hash) {
            report(Kind.BROKEN_CHAIN, queueFile, false, lost(queueFile), String.format(
                    "the record of position %d here follows hash 0x%08x, expected 0x%08x", position,
                    b.getInt(at + RecordEnvelope.PREVIOUS), hash));
        } else {
            accept(queueFile, position);
        }
    }

    /**
     * Detects records of an earlier use of a recycled file. The file was overwritten with zeros, but a host that lost
     * its page cache may not have stored them. Then old records with earlier positions reappear.
     */
    private boolean isOfEarlierLife(ByteBuffer b, int at, long position) {
        boolean snapshot = RecordDecoder.type(b, at) == RecordType.SNAPSHOT;
        int begun = snapshot ? b.getInt(at + RecordLayout.SNAPSHOT_FILE) : 0;
        return lastPosition == 0 ? file > 0 && (!snapshot || begun != 0 && begun != file) : position <= lastPosition;
    }

    private void accept(MappedQueueFile queueFile, long position) throws IOException {
        ByteBuffer b = queueFile.bytes();
        int at = queueFile.offset();
        if (beginning != null && !beginning.isWhole() && !takePiece(b, at)) {
            report(Kind.MISSING_RECORDS, queueFile, false, lastPosition, "the records before " + firstPosition
                    + " are gone, and the snapshot of them ends here before its last piece");
            return;
        }
        LogRecord record = RecordDecoder.decode(b, at);
        ByteBuffer payload = RecordDecoder.payload(b, at);
        long recordEpoch = b.getLong(at + RecordEnvelope.EPOCH);
        visitor.accept(new LogEntry(position, recordEpoch, record, b.slice(at, queueFile.length()).asReadOnlyBuffer(), payload,
                queueFile.file(), at));
        take(b, at, payload);
        counts.merge(record.type(), 1L, Long::sum);
        firstOfFile.putIfAbsent(file, position);
        halfSnapshot = record instanceof LogRecord.Snapshot piece && (recordsInFile == 0 || halfSnapshot)
                && piece.piece() + 1 < piece.pieces();
        firstPosition = firstPosition == 0 ? position : firstPosition;
        lastPosition = position;
        epoch = Math.max(epoch, recordEpoch);
        bytes += queueFile.length();
        hash = b.getInt(at + RecordEnvelope.CRC);
        recordsInFile++;
    }

    private void take(ByteBuffer b, int at, ByteBuffer payload) {
        long place = RecordPosition.of(file, at);
        try {
            book.apply(b, at, place, payload);
            inFlightMessages.apply(b, at, place);
        } catch (RuntimeException e) {
            book.faulted(b, at, e);
        }
    }

    /** Returns false if the record is not the snapshot's next piece. */
    private boolean takePiece(ByteBuffer b, int at) {
        boolean next = RecordDecoder.decode(b, at) instanceof LogRecord.Snapshot piece
                && beginning.add(piece.piece(), piece.pieces(), RecordDecoder.payload(b, at));
        if (next && beginning.isWhole()) {
            book = beginning.book();
            epoch = Math.max(epoch, book.epoch());
            inFlightMessages.begin(book);
        }
        return next;
    }

    /**
     * Fails if the log ends inside the snapshot that it begins with. Such a log is unusable, whatever other defects it
     * has.
     */
    private void requireBeginning() {
        if (beginning == null || beginning.isWhole()) {
            return;
        }
        if (defect == null || defect.atTail()) {
            Path named = files.get(file);
            defect = new LogDefect(Kind.MISSING_RECORDS, named, QueueFiles.index(file, recordsInFile), lastPosition + 1,
                    0, false, firstPosition - 1, "the records before " + firstPosition
                            + " are gone, and the log ends before the last piece of the snapshot of them");
        }
        file = files.firstKey();
        marked = false;
        halfSnapshot = false;
        recordsInFile = 0;
        lastPosition = 0;
        hash = 0;
        firstOfFile.clear();
    }

    /** Rejects format version 1, the only flaw that is not damage. */
    private void requireVersion(MappedQueueFile queueFile) {
        ByteBuffer b = queueFile.bytes();
        int at = queueFile.offset();
        boolean old = lastPosition == 0 && queueFile.length() >= RecordEnvelope.BYTES
                && b.getShort(at + RecordEnvelope.MAGIC) == RecordEnvelope.MAGIC_VALUE && b.get(at + RecordEnvelope.VERSION) == 1;
        if (old) {
            throw new LogException(queueFile.file(),
                    "is of format version 1, which no release wrote; this is version " + RecordEnvelope.VERSION_VALUE,
                    "move the folder away to begin a new log and lose what it holds");
        }
    }

    /**
     * Decides whether the zeros found here are the file's end. A record that was copied whole but never published may
     * follow.
     */
    private void nothing(MappedQueueFile queueFile) throws IOException {
        long lost = lost(queueFile);
        int residue = queueFile.findNonZero(queueFile.header());
        if (residue >= 0 && wholeRecordFollows(queueFile, lost == 0 ? queueFile.endOfUnpublished() : residue)) {
            report(Kind.ZEROED_MIDDLE, queueFile, false, lost, "zeros stand here, and whole records follow");
        } else if (lost > 0) {
            report(Kind.MISSING_RECORDS, queueFile, endsHere(), lost, "the file ends here after " + recordsInFile
                    + " records, Chronicle counted " + lost + " more");
        } else if (residue >= 0 && isLast()) {
            report(Kind.TORN_TAIL, queueFile, true, 0, "bytes that were never published as a record");
        }
    }

    /**
     * Whether a writer has appended where the scan stopped. Then the apparent defect was an unfinished append, because
     * all bytes after a record are published after it.
     */
    private boolean isOvertaken(MappedQueueFile queueFile) {
        if (defect == null || !queueFile.isPublished()) {
            return false;
        }
        defect = null;
        queueFile.again();
        return true;
    }

    private void damaged(MappedQueueFile queueFile, int from, String detail) throws IOException {
        boolean follows = wholeRecordFollows(queueFile, from);
        boolean atTail = !follows && endsHere();
        long lost = lost(queueFile);
        Kind inside = queueFile.isZeroed() ? Kind.ZEROED_MIDDLE : Kind.FLIPPED_BYTE;
        report(atTail && isLast() && lost == 0 ? Kind.TORN_TAIL : inside, queueFile, atTail, lost,
                detail + (follows ? ", and whole records follow" : ""));
    }

    /** Checks the header of the file that a writer would continue. Headers of other files are not read. */
    private void requireHead(MappedQueueFile queueFile) throws IOException {
        String misleads = queueFile.headMisleads();
        if (defect == null && misleads != null && isLast()) {
            report(Kind.TORN_TAIL, queueFile, true, 0, misleads);
        }
    }

    /** A file is deleted, never emptied, and the next file begins only when this one is full. */
    private void requireRecord(MappedQueueFile queueFile) throws IOException {
        if (defect == null && recordsInFile == 0 && !isLast()) {
            report(Kind.MISSING_RECORDS, queueFile, endsHere(), 0,
                    "the file has " + queueFile.bytes().capacity() + " bytes and no record, and later files follow");
        }
    }

    /** Detects a newest file that is missing or empty; the other files do not show it. */
    private void requireReached() {
        boolean whole = defect == null || defect.kind() == Kind.TORN_TAIL;
        if (!whole || lastPosition >= logHighWater.position()) {
            return;
        }
        boolean there = files.containsKey(logHighWater.file());
        long records = file == logHighWater.file() ? recordsInFile : 0;
        defect = new LogDefect(Kind.MISSING_RECORDS, QueueFiles.file(folder, logHighWater.file()),
                QueueFiles.index(logHighWater.file(), records), lastPosition + 1, 0, true, logHighWater.position() - lastPosition,
                (there ? "the file has " + records + " records" : "the file is not there") + ", the log ends at position "
                        + lastPosition + ", and its writer had come to position " + logHighWater.position() + " in this file");
    }

    /**
     * Detects a lost end that the remaining records do not show. Neither they nor {@link LogHighWater} need have reached the
     * disk with it.
     */
    private void requireSafe() {
        if (defect == null && lastPosition < safe.position()) {
            Path named = files.isEmpty() ? folder : files.get(file);
            defect = new LogDefect(Kind.MISSING_RECORDS, named, QueueFiles.index(Math.max(0, file), recordsInFile), lastPosition + 1, 0, true,
                    safe.position() - lastPosition, "the log ends here, and had been on the disk up to position " + safe.position());
        }
    }

    /**
     * Detects missing oldest files, which only the jobs that need them reveal. A file is deleted when no job needs it,
     * and the record of that stands behind it, unless a power cut lost that record. The jobs that need the files cannot
     * continue, whatever removed them, and each scan finds this. All other jobs can.
     */
    private void requireNeeded() {
        for (OldestPin oldestPin : book.neededBefore(firstPosition)) {
            Path oldest = files.get(files.firstKey());
            String detail = String.format("rank %d of job %016x needs what is there from position %d on, and the log begins with this file at"
                    + " position %d: older files are gone%s", oldestPin.rank(), oldestPin.job(), oldestPin.position(), firstPosition,
                    defect == null ? "" : "; what is not read may have let them go");
            book.job(oldestPin.job()).faulted(oldestPin.position(), new IllegalStateException(oldest + ": " + detail));
            if (gone == null || oldestPin.position() < gone.position()) {
                gone = new LogDefect(Kind.MISSING_RECORDS, oldest, QueueFiles.index(files.firstKey(), 0), oldestPin.position(), 0, false,
                        firstPosition - oldestPin.position(), detail);
            }
        }
    }

    private void requireCount(MappedQueueFile queueFile) throws IOException {
        long lost = lost(queueFile);
        if (lost > 0) {
            report(Kind.MISSING_RECORDS, queueFile, isLast(), lost, "the file is marked complete after "
                    + recordsInFile + " records, Chronicle counted " + lost + " more");
        }
    }

    private long lost(MappedQueueFile queueFile) {
        return Math.max(0, queueFile.chronicleCount() - recordsInFile);
    }

    /** Number of records in later files, as far as Chronicle's counters can be read. */
    private long countedBehind() throws IOException {
        long counted = 0;
        for (Path later : files.tailMap(file + 1).values()) {
            try (MappedQueueFile queueFile = new MappedQueueFile(later)) {
                counted += queueFile.headFlaw() == null ? queueFile.chronicleCount() : 0;
            }
        }
        return counted;
    }

    private boolean isLast() {
        return file == files.lastKey();
    }

    /**
     * Whether no later file has a record that could follow. Later files may exist that were begun before a power cut
     * and hold no such record.
     */
    private boolean endsHere() throws IOException {
        for (Path later : files.tailMap(file + 1).values()) {
            try (MappedQueueFile queueFile = new MappedQueueFile(later)) {
                if (queueFile.findRecord(0, lastPosition + 1, Long.MAX_VALUE) >= 0) {
                    return false;
                }
            }
        }
        return true;
    }

    /**
     * Whether a whole record follows in this file. A roll marks a file complete, so a later file means that this one
     * was whole. A payload may contain the image of a record. An image counts only if its position could have been
     * reached in this file; that is known once the file has a valid record.
     */
    private boolean wholeRecordFollows(MappedQueueFile queueFile, int from) throws IOException {
        long reachable = lastPosition == 0 ? Long.MAX_VALUE : lastPosition + queueFile.bytes().capacity() / RecordEnvelope.BYTES;
        return queueFile.findRecord(from, lastPosition + 1, reachable) >= 0;
    }

    /**
     * Records a defect. A file with a successor was whole, so a defect at its end was published. The content of later
     * files is not read.
     */
    private void report(Kind kind, MappedQueueFile queueFile, boolean atTail, long counted, String detail) throws IOException {
        long lost = atTail ? isLast() ? counted : Math.max(1, counted) : counted + countedBehind();
        defect = new LogDefect(kind, queueFile.file(), QueueFiles.index(file, recordsInFile), lastPosition + 1,
                queueFile.header(), atTail, lost, detail);
    }
}
