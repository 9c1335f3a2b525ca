package org.posthouse.logstore;

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
 * The files of a log that were read last, open for reading at any offset. What another thread or mapping has put there
 * is seen at once: all go through the kernel's page cache. An interrupt of the reading thread would close a channel; it
 * is put off until the read is done. Confined to its user.
 */
final class QueueFileCache implements AutoCloseable {
    /** Files held open: 2 GiB of log with files of the default size, so that reads of several ages can alternate. */
    private static final int OPEN_MAX = 8;

    private final IntFunction<Path> files;
    private final FileChannel[] channels = new FileChannel[OPEN_MAX];
    private final int[] numbers = new int[OPEN_MAX];

    /** @param files the file with a number */
    QueueFileCache(IntFunction<Path> files) {
        this.files = files;
    }

    /** Fills {@code bytes} to its limit with what stands at {@code offset} of the file with this number, and flips nothing. */
    void read(int number, long offset, ByteBuffer bytes) throws IOException {
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

    /** Where the process may open no more files just now, another one that is open here goes for it. */
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

    /** Closes these, if they are open: a file that goes keeps its room on the disk until then. */
    void close(Collection<Path> gone) throws IOException {
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
