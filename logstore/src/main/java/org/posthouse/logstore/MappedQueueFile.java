package org.posthouse.logstore;

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

/**
 * One Chronicle file seen without Chronicle: mapped read-only, walked from document to document by the four-byte
 * headers. Chronicle's own tailer stops in silence at damage; this walk says where and what. Confined to its user; the
 * bytes may grow meanwhile if a writer is alive. What may lie behind them is looked for in pieces that are read, not through memory: that would give each
 * hole of a file on a tmpfs its page.
 */
final class MappedQueueFile implements AutoCloseable {
    private static final int NOT_COMPLETE = 0x8000_0000;
    private static final int META_DATA = 0x4000_0000;
    private static final int END_OF_DATA = NOT_COMPLETE | META_DATA;
    private static final int LENGTH = 0x3FFF_FFFF;
    private static final byte[] WRITE_POSITION = "writePosition".getBytes(StandardCharsets.US_ASCII);
    private static final int I64_ARRAY = 0x8D;
    /** Read at once where something is looked for: 64 KiB. */
    private static final int PIECE_BYTES = 64 << 10;
    /** A header is published behind its document: whoever sees it sees the document. */
    private static final VarHandle WORD = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    /** Where the walk stands. */
    enum At {
        /** A record of ours, or what should be one: {@link #offset()} and {@link #length()} say where. */
        RECORD,
        /** The header is zero: nothing was published here, or it was wiped out. */
        NOTHING,
        /** Chronicle's mark that the file is complete and a later one was begun. */
        END_MARK,
        /** The header says that what follows is being written, or never was finished. */
        UNFINISHED,
        /** The header is no header: it claims more than the file has. */
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

    /** To be walked from its beginning by this thread. */
    MappedQueueFile(Path file) throws IOException {
        this(file, Arena.ofConfined(), 0);
    }

    /**
     * To be walked from a document's header on.
     *
     * @param arena is closed with this
     */
    MappedQueueFile(Path file, Arena arena, int header) throws IOException {
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

    Path file() {
        return file;
    }

    ByteBuffer bytes() {
        return bytes;
    }

    /** Offset of the four-byte header where the walk stands. */
    int header() {
        return header;
    }

    /** Offset of the document behind that header. */
    int offset() {
        return header + Integer.BYTES;
    }

    /** Bytes of the document, as its header says. */
    int length() {
        return length;
    }

    /** Offset of the header to which the walk goes next. */
    int behind() {
        return align(next);
    }

    /** Moves to the next document that is not Chronicle's own. */
    At advance() {
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

    /** Chronicle's own documents have no records in them; one that claims more than it has may reach over all that follow. */
    private boolean hidesRecord() {
        for (int at = align(offset()); at + RecordEnvelope.BYTES <= next; at += Integer.BYTES) {
            if (isRecord(at, 0, Long.MAX_VALUE)) {
                return true;
            }
        }
        return false;
    }

    /** What is wrong with the file's head, or null. */
    String headFlaw() {
        return StoreHead.flaw(bytes);
    }

    /** Why a writer would not go on where the walk has ended, or null. */
    String headMisleads() {
        return head.misleads();
    }

    /** Whether a writer has published meanwhile what was not when the walk came to it. */
    boolean isPublished() {
        int word = header + Integer.BYTES > bytes.capacity() ? 0 : (int) WORD.getAcquire(bytes, header);
        return word == END_OF_DATA || word != 0 && (word & NOT_COMPLETE) == 0;
    }

    /** Whether the walk stands at the end of what is mapped, and a writer has made the file longer meanwhile. */
    boolean isOutgrown() throws IOException {
        boolean atEnd = header + Integer.BYTES > bytes.capacity() || offset() + (long) length > bytes.capacity();
        return atEnd && Files.size(file) > bytes.capacity();
    }

    /** Goes on from where the walk stands. */
    void again() {
        next = header;
    }

    private static int align(int offset) {
        return (offset + 3) & ~3;
    }

    /** What is wrong with the record where the walk stands, or null. */
    String flaw() {
        return RecordEnvelope.flaw(bytes, offset(), length, crc);
    }

    /**
     * Looks for a whole record whose position lies in [first, last], from this offset to the end of the file.
     *
     * @return its offset, or -1
     */
    int findRecord(int from, long first, long last) throws IOException {
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
     * How many bytes there were from there on of what is mapped: a piece, if not its end.
     *
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

    /** Where the search for published records begins, if a whole but unpublished record stands here: behind it. */
    int endOfUnpublished() {
        return isRecord(offset(), 0, Long.MAX_VALUE) ? offset() + bytes.getInt(offset() + RecordEnvelope.TOTAL) : offset();
    }

    /** Whether zeros stand where the record's envelope should begin, or reach from within it over its end. */
    boolean isZeroed() {
        int behind = align(offset() + length);
        boolean lengthAgrees = length >= RecordEnvelope.BYTES && offset() + RecordEnvelope.BYTES <= bytes.capacity()
                && bytes.getInt(offset() + RecordEnvelope.TOTAL) == length;
        return isZero(offset()) || (lengthAgrees && isZero(behind) && isZero(behind - Long.BYTES));
    }

    private boolean isZero(int at) {
        return at + (long) Long.BYTES <= bytes.capacity() && bytes.getLong(at) == 0;
    }

    /** The first byte from here on that is not zero, or -1. */
    int findNonZero(int from) throws IOException {
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
     * How many records Chronicle counts in this file, from the pair (write position, sequence) that it keeps in the
     * file's first document; 0 if there is no such count. It may lag behind by the last record, never run ahead.
     */
    long chronicleCount() {
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

    /** An array of two longs: code, capacity 2, used 2, position, (position &lt;&lt; 32) + sequence. */
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
