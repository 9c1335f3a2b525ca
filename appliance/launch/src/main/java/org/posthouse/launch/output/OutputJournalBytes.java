package org.posthouse.launch.output;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.posthouse.logstore.file.Disk;

/** The bytes of one {@link OutputJournal}: the last ones in memory, the others in a file. Guarded by the tape's lock. */
public final class OutputJournalBytes implements AutoCloseable {
    /** Most bytes that are kept in memory before they go into the file. A job whose ranks print little has no file. */
    static final int TAIL_BYTES_MAX = 64 * 1024;

    /**
     * Null if the file is to have no name, so that it cannot be left behind. Otherwise another launcher will read the
     * file: it has all bytes, each line before it is shown.
     */
    private final Path path;
    private final boolean survivesHost;

    private FileChannel file;
    /** Whether what is in the file may not be on the disk, or the file's name. */
    private boolean unforced;
    private byte[] tail = new byte[1024];
    private int tailBytes;
    /** The tape is [0, filed) in the file and [filed, filed + tailBytes) in the tail. */
    private long filed;

    /** Whether the file has more than [0, filed): what it ended with was no whole line. */
    private boolean hasRest;

    /** Of a stream that no other launcher reads. */
    public OutputJournalBytes() {
        this(null, false);
    }

    /** All that this file has, and is to have. @param survivesHost whether {@link #force} is to bring it to the disk */
    public OutputJournalBytes(Path path, boolean survivesHost) {
        this.path = path;
        this.survivesHost = survivesHost;
    }

    /** Whether another launcher may read them. */
    boolean areForOthers() {
        return path != null;
    }

    /** Takes what another launcher has left. @return whether one has */
    public boolean recall() throws IOException {
        if (path == null || !Files.exists(path)) {
            return false;
        }
        file = openFile();
        unforced = true;
        filed = file.size();
        return true;
    }

    /** Bytes of the file from {@code end} on are no longer among those kept. */
    void cut(long end) {
        hasRest = end < filed;
        filed = end;
    }

    /** The length in bytes. */
    public long length() {
        return filed + tailBytes;
    }

    /** Reads bytes from this position on, as many as {@code into} has. */
    public void read(long from, byte[] into) throws IOException {
        int inFile = (int) Math.max(0, Math.min(into.length, filed - from));
        ByteBuffer buffer = ByteBuffer.wrap(into, 0, inFile);
        while (buffer.hasRemaining()) {
            if (file.read(buffer, from + buffer.position()) < 0) {
                throw new EOFException("the file of what was shown has " + file.size() + " bytes, expected " + filed);
            }
        }
        if (inFile < into.length) {
            System.arraycopy(tail, (int) (from + inFile - filed), into, inFile, into.length - inFile);
        }
    }

    /** Takes a line, for {@link #file} to follow. */
    public void add(byte[] line) {
        if (tailBytes + line.length > tail.length) {
            tail = Arrays.copyOf(tail, Math.max(tailBytes + line.length, Math.min(2 * tail.length, TAIL_BYTES_MAX)));
        }
        System.arraycopy(line, 0, tail, tailBytes, line.length);
        tailBytes += line.length;
    }

    /** Brings what was added into the file, if it is to be there. */
    public void file() throws IOException {
        if (path == null && tailBytes < TAIL_BYTES_MAX) {
            return;
        }
        if (file == null) {
            file = openFile();
        }
        unforced = true;
        if (hasRest) {
            file.truncate(filed);
            hasRest = false;
        }
        ByteBuffer bytes = ByteBuffer.wrap(tail, 0, tailBytes);
        while (bytes.hasRemaining()) {
            file.write(bytes, filed + bytes.position());
        }
        filed += tailBytes;
        tailBytes = 0;
    }

    /** Forgets the line that was added last. */
    void takeBack(int lineBytes) throws IOException {
        if (tailBytes >= lineBytes) {
            tailBytes -= lineBytes;
        } else {
            filed -= lineBytes; // All of it is there: a line is filed whole, with the tail.
            unforced = true;
            file.truncate(filed);
        }
    }

    /** Returns when what is in the file is on the disk, if it is to be there. */
    public void force() throws IOException {
        if (survivesHost && unforced) {
            file.force(true);
            Disk.force(path.getParent());
            unforced = false;
        }
    }

    private FileChannel openFile() throws IOException {
        if (path != null) {
            return FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        }
        // The name goes as soon as the file is open, and the file with this process, however that ends.
        return FileChannel.open(
                Files.createTempFile("posthouse-output", ".tape"),
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                StandardOpenOption.DELETE_ON_CLOSE);
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }
}
