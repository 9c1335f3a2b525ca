package org.posthouse.logstore;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.file.MappedQueueFile;
import org.posthouse.logstore.file.PageAdvice;
import org.posthouse.logstore.file.Pretoucher;
import org.posthouse.logstore.file.QueueFiles;
import org.posthouse.logstore.record.RecordPosition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frees the space reserved after the last record of a full file: up to 5 MiB of blocks, and 9 MiB of length. In a small
 * log that is as much as the records. Confined to the log's owner.
 */
public final class FileTrimmer {
    private static final Logger LOG = LoggerFactory.getLogger(FileTrimmer.class);

    /**
     * 5 MiB: minimum length of a file, so that it can be reused: a snapshot of one piece, and the blocks reserved
     * ahead.
     */
    public static final long BYTES_MIN = MessageLog.MAX_PAYLOAD_BYTES + RecordChain.MARGIN_BYTES;

    private final Path folder;
    private final Pretoucher pretoucher;

    FileTrimmer(Path folder, Pretoucher pretoucher) {
        this.folder = folder;
        this.pretoucher = pretoucher;
    }

    /** Shortens the file with the record at this place to its content, because a later file was begun after it. */
    void shorten(long lastPlace) {
        shorten(RecordPosition.file(lastPlace), (int) RecordPosition.offset(lastPlace) - Integer.BYTES);
    }

    private void shorten(int number, int lastHeader) {
        Path path = QueueFiles.file(folder, number);
        pretoucher.leaveUpTo(number);
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
            long end = end(path, lastHeader);
            if (end > 0) {
                file.truncate(Math.max(end, BYTES_MIN));
            }
        } catch (IOException e) {
            LOG.warn("log {}: {} stays longer than what is in it: {}", folder, path.getFileName(), LogException.words(e));
        }
    }

    /**
     * The file's new length in whole pages, so that existing mappings can still access the page after the end mark; 0
     * if there is no end mark.
     */
    private static long end(Path path, int lastHeader) throws IOException {
        try (MappedQueueFile file = new MappedQueueFile(path, Arena.ofConfined(), lastHeader)) {
            MappedQueueFile.At at = file.advance();
            while (at == MappedQueueFile.At.RECORD) {
                at = file.advance();
            }
            long end = file.header() + (long) Integer.BYTES;
            return at == MappedQueueFile.At.END_MARK ? (end + PageAdvice.PAGE_BYTES_MAX - 1) / PageAdvice.PAGE_BYTES_MAX * PageAdvice.PAGE_BYTES_MAX : 0;
        }
    }
}
