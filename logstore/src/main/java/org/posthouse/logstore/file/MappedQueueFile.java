package org.posthouse.logstore.file;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.posthouse.logstore.record.RecordEnvelope;

/**
 * Reads one Chronicle file without Chronicle. It maps the file read-only and walks from document to document by their
 * four-byte headers. Chronicle's own tailer stops silently at damage; this walk reports place and kind. Confined to its
 * user; the bytes may grow meanwhile if a writer is alive. Searches past the walk's end read pieces of the file instead
 * of mapped memory. On a tmpfs, access through memory would allocate a page for each hole of the file.
 */
public final class MappedQueueFile implements AutoCloseable {
    private static final int NOT_COMPLETE = 0x8000_0000;
    private static final int META_DATA = 0x4000_0000;
    private static final int END_OF_DATA = NOT_COMPLETE | META_DATA;
    private static final int LENGTH = 0x3FFF_FFFF;
    private static final byte[] WRITE_POSITION = "writePosition".getBytes(StandardCharsets.US_ASCII);
    private static final int I64_ARRAY = 0x8D;
    /** Bytes per read of a search: 64 KiB. */
    private static final int PIECE_BYTES = 64 << 10;
    /** A header is published after its document, so a reader that sees it sees the document. */
    private static final VarHandle WORD = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    /** The content that the walk found at its current header. */
    public enum At {
        /** A record of ours, or a damaged one, at {@link #offset()} with {@link #length()}. */
        RECORD,
        /** The header is zero: nothing was published here, or it was overwritten with zeros. */
        NOTHING,
        /** Chronicle's mark that the file is complete and a later one was begun. */
        END_MARK,
        /** The header marks a document that is being written, or was never finished. */
        UNFINISHED,
        /** The header is invalid: it claims more bytes than the file has. */
        BAD_HEADER
    }

    private final Path file;
    private final Arena arena;
    private final ByteBuffer bytes;
    private final CRC32C crc = new CRC32C();
    private final StoreHead head;
    private long records;
    private int next;
    private int header;
    private int length;

    /** Opens a file for a walk from its beginning by this thread. */
    public MappedQueueFile(Path file) throws IOException {
        this(file, Arena.ofConfined(), 0);
    }

    /**
     * Opens a file for a walk from a given document's header.
     *
     * @param arena is closed with this object
     */
    public MappedQueueFile(Path file, Arena arena, int header) throws IOException {
        this.file = file;
        this.arena = arena;
        this.next = header;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            this.bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena).asByteBuffer()
                    .order(ByteOrder.LITTLE_ENDIAN);
            this.head = new StoreHead(bytes);
        } catch (IOException | RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    public Path file() {
        return file;
    }

    public ByteBuffer bytes() {
        return bytes;
    }

    /** Offset of the current four-byte header. */
    public int header() {
        return header;
    }

    /** Offset of the current document. */
    public int offset() {
        return header + Integer.BYTES;
    }

    /** Bytes of the document, according to its header. */
    public int length() {
        return length;
    }

    /** Offset of the next header. */
    public int behind() {
        return align(next);
    }

    /** Moves to the next document that is not Chronicle's own. */
    public At advance() {
        while (true) {
            header = align(next);
            length = 0;
            if (header + Integer.BYTES > bytes.capacity()) {
                return At.NOTHING;
            }
            int word = (int) WORD.getAcquire(bytes, header);
            head.passed(header, records);
            if (word == 0 || word == END_OF_DATA) {
                return word == 0 ? At.NOTHING : At.END_MARK;
            }
            length = word & LENGTH;
            if ((word & NOT_COMPLETE) != 0) {
                return At.UNFINISHED;
            }
            if (offset() + (long) length > bytes.capacity()) {
                return At.BAD_HEADER;
            }
            next = offset() + length;
            if ((word & META_DATA) == 0) {
                records++;
                return At.RECORD;
            }
            if (hidesRecord()) {
                return At.BAD_HEADER;
            }
        }
    }

    /**
     * Whether a damaged document of Chronicle's own covers records. Such documents contain none; one with a wrong
     * length may cover all that follow.
     */
    private boolean hidesRecord() {
        for (int at = align(offset()); at + RecordEnvelope.BYTES <= next; at += Integer.BYTES) {
            if (isRecord(at, 0, Long.MAX_VALUE)) {
                return true;
            }
        }
        return false;
    }

    /** The defect of the file's head, or null. */
    public String headFlaw() {
        return StoreHead.flaw(bytes);
    }

    /** The reason why a writer would not continue where the walk ended, or null. */
    public String headMisleads() {
        return head.misleads();
    }

    /** Whether a writer has meanwhile published what was unpublished when the walk reached it. */
    public boolean isPublished() {
        int word = header + Integer.BYTES > bytes.capacity() ? 0 : (int) WORD.getAcquire(bytes, header);
        return word == END_OF_DATA || word != 0 && (word & NOT_COMPLETE) == 0;
    }

    /** Whether the walk is at the end of the mapping, and a writer has meanwhile extended the file. */
    public boolean isOutgrown() throws IOException {
        boolean atEnd = header + Integer.BYTES > bytes.capacity() || offset() + (long) length > bytes.capacity();
        return atEnd && Files.size(file) > bytes.capacity();
    }

    /** Makes the next {@link #advance} read the current header again. */
    public void again() {
        next = header;
    }

    private static int align(int offset) {
        return (offset + 3) & ~3;
    }

    /** The defect of the current record, or null. */
    public String flaw() {
        return RecordEnvelope.flaw(bytes, offset(), length, crc);
    }

    /**
     * Searches for a whole record with a position in [first, last], from this offset to the end of the file.
     *
     * @return its offset, or -1
     */
    public int findRecord(int from, long first, long last) throws IOException {
        byte[] piece = new byte[PIECE_BYTES];
        ByteBuffer words = ByteBuffer.wrap(piece).order(ByteOrder.LITTLE_ENDIAN);
        try (RandomAccessFile searched = new RandomAccessFile(file.toFile(), "r")) {
            for (long begin = align(from); begin + RecordEnvelope.BYTES <= bytes.capacity(); begin += PIECE_BYTES) {
                int read = read(searched, begin + RecordEnvelope.MAGIC, piece);
                for (int i = 0; i + Integer.BYTES <= read; i += Integer.BYTES) {
                    if (words.getShort(i) == RecordEnvelope.MAGIC_VALUE && isRecord((int) begin + i, first, last)) {
                        return (int) begin + i;
                    }
                }
            }
        }
        return -1;
    }

    /**
     * Reads a piece of the mapped part of the file, which is shorter at its end.
     *
     * @return the number of bytes read
     * @throws java.io.EOFException if the file was shortened since
     */
    private int read(RandomAccessFile searched, long from, byte[] piece) throws IOException {
        int bytesMax = (int) Math.min(piece.length, bytes.capacity() - from);
        searched.seek(from);
        searched.readFully(piece, 0, bytesMax);
        return bytesMax;
    }

    private boolean isRecord(int at, long first, long last) {
        if (at + RecordEnvelope.BYTES > bytes.capacity() || bytes.getShort(at + RecordEnvelope.MAGIC) != RecordEnvelope.MAGIC_VALUE) {
            return false;
        }
        int total = bytes.getInt(at + RecordEnvelope.TOTAL);
        long position = bytes.getLong(at + RecordEnvelope.POSITION);
        return position >= first && position <= last && total >= RecordEnvelope.BYTES
                && at + (long) total <= bytes.capacity() && RecordEnvelope.flaw(bytes, at, total, crc) == null;
    }

    /**
     * Offset where the search for published records begins: after a whole but unpublished record, if there is one here.
     */
    public int endOfUnpublished() {
        return isRecord(offset(), 0, Long.MAX_VALUE) ? offset() + bytes.getInt(offset() + RecordEnvelope.TOTAL) : offset();
    }

    /** Whether zeros replace the beginning of the record's envelope, or cover the record's end from within it. */
    public boolean isZeroed() {
        int behind = align(offset() + length);
        boolean lengthAgrees = length >= RecordEnvelope.BYTES && offset() + RecordEnvelope.BYTES <= bytes.capacity()
                && bytes.getInt(offset() + RecordEnvelope.TOTAL) == length;
        return isZero(offset()) || (lengthAgrees && isZero(behind) && isZero(behind - Long.BYTES));
    }

    private boolean isZero(int at) {
        return at + (long) Long.BYTES <= bytes.capacity() && bytes.getLong(at) == 0;
    }

    /** Offset of the first nonzero byte from here on, or -1. */
    public int findNonZero(int from) throws IOException {
        byte[] zeros = new byte[PIECE_BYTES];
        byte[] piece = new byte[PIECE_BYTES];
        try (RandomAccessFile searched = new RandomAccessFile(file.toFile(), "r")) {
            for (long at = from; at < bytes.capacity(); at += PIECE_BYTES) {
                int read = read(searched, at, piece);
                int found = Arrays.mismatch(piece, 0, read, zeros, 0, read);
                if (found >= 0) {
                    return (int) at + found;
                }
            }
        }
        return -1;
    }

    /**
     * Number of records that Chronicle counts in this file, from the pair (write position, sequence) in the file's
     * first document. Returns 0 if there is no such count. It may lag behind by the last record, but never runs ahead.
     */
    public long chronicleCount() {
        int limit = Math.min(bytes.capacity(), 512) - 64;
        for (int at = 0; at < limit; at++) {
            if (startsWith(at, WRITE_POSITION)) {
                return countBehind(at + WRITE_POSITION.length);
            }
        }
        return 0;
    }

    private boolean startsWith(int at, byte[] name) {
        for (int i = 0; i < name.length; i++) {
            if (bytes.get(at + i) != name[i]) {
                return false;
            }
        }
        return true;
    }

    /** Reads an array of two longs: code, capacity 2, used 2, position, (position &lt;&lt; 32) + sequence. */
    private long countBehind(int from) {
        for (int at = from; at < from + 16; at++) {
            if ((bytes.get(at) & 0xFF) == I64_ARRAY && bytes.getLong(at + 1) == 2) {
                long pair = bytes.getLong(at + 25);
                return pair == 0 ? 0 : (pair & 0xFFFF_FFFFL) + 1;
            }
        }
        return 0;
    }

    @Override
    public void close() {
        arena.close();
    }
}
