package org.posthouse.logstore.file;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.function.IntFunction;

/**
 * The log files that were read last, open for reading at any offset. All access goes through the kernel's page cache,
 * so bytes written by another thread or mapping are visible at once. An interrupt of the reading thread, which would
 * close a channel, is deferred until the read is done. Confined to its user.
 */
public final class QueueFileCache implements AutoCloseable {
    /**
     * Maximum number of open files: 2 GiB of log with files of the default size, so that reads at several positions can
     * alternate.
     */
    private static final int OPEN_MAX = 8;

    private final IntFunction<Path> files;
    private final FileChannel[] channels = new FileChannel[OPEN_MAX];
    private final int[] numbers = new int[OPEN_MAX];

    /** @param files maps a file's number to its path */
    public QueueFileCache(IntFunction<Path> files) {
        this.files = files;
    }

    /** Fills {@code bytes} to its limit from {@code offset} of the file with this number; does not flip the buffer. */
    public void read(int number, long offset, ByteBuffer bytes) throws IOException {
        boolean interrupted = false;
        long behind = offset + bytes.remaining();
        try {
            while (bytes.hasRemaining()) {
                try {
                    if (channel(number).read(bytes, behind - bytes.remaining()) < 0) {
                        throw new EOFException("the file ends before offset " + behind);
                    }
                } catch (ClosedByInterruptException e) {
                    interrupted = Thread.interrupted();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private FileChannel channel(int number) throws IOException {
        int slot = Math.floorMod(number, OPEN_MAX);
        FileChannel channel = channels[slot];
        if (channel == null || numbers[slot] != number || !channel.isOpen()) {
            if (channel != null) {
                channel.close();
                channels[slot] = null;
            }
            channel = open(files.apply(number));
            channels[slot] = channel;
            numbers[slot] = number;
        }
        return channel;
    }

    /** Opens a file. If the process has reached its limit of open files, another cached file is closed for it. */
    private FileChannel open(Path file) throws IOException {
        try {
            return FileChannel.open(file, StandardOpenOption.READ);
        } catch (IOException e) {
            if (!FileBlocks.isForWantOfFiles(e) || !tryCloseOne()) {
                throw e;
            }
            return FileChannel.open(file, StandardOpenOption.READ);
        }
    }

    private boolean tryCloseOne() throws IOException {
        for (int slot = 0; slot < OPEN_MAX; slot++) {
            if (channels[slot] != null) {
                channels[slot].close();
                channels[slot] = null;
                return true;
            }
        }
        return false;
    }

    /** Closes these files if they are open; a deleted file occupies its disk space until then. */
    public void close(Collection<Path> gone) throws IOException {
        for (int slot = 0; slot < OPEN_MAX; slot++) {
            if (channels[slot] != null && gone.contains(files.apply(numbers[slot]))) {
                channels[slot].close();
                channels[slot] = null;
            }
        }
    }

    @Override
    public void close() throws IOException {
        for (FileChannel channel : channels) {
            if (channel != null) {
                channel.close();
            }
        }
    }
}
