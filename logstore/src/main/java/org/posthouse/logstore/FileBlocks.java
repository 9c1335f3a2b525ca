package org.posthouse.logstore;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.List;

/**
 * Makes a file's blocks its own before anybody writes to them through memory: a write through memory to a hole of a file
 * whose disk is full ends the process (SIGBUS), a call of the kernel says so. Stateless.
 */
final class FileBlocks {
    // Numbers of Linux, on every architecture that Java runs on.
    private static final int OPEN_FLAGS = 2 | 0x40 | 0x80000; // O_RDWR | O_CREAT | O_CLOEXEC
    private static final int OWNER_ONLY = 0600;
    private static final int KEEP_SIZE = 1;
    private static final int INTERRUPTED = 4;
    private static final int SYSTEM_HAS_NO_FILES = 23;
    private static final int PROCESS_HAS_NO_FILES = 24;
    private static final int NO_SPACE = 28;
    private static final int NOT_IMPLEMENTED = 38;
    private static final int NOT_SUPPORTED = 95;
    private static final int QUOTA_EXCEEDED = 122;

    /** A file system that cannot reserve is written to instead, so much at once: 64 KiB. */
    private static final int ZEROS_BYTES = 64 << 10;

    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    private static final MemoryLayout CALL_STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERROR = CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final MethodHandle OPEN = call("open",
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT),
            Linker.Option.firstVariadicArg(2), ERRNO);
    private static final MethodHandle FALLOCATE = call("fallocate",
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG),
            ERRNO);
    private static final MethodHandle CLOSE = call("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

    private static final MethodHandle WORDS = call("strerror", FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
    private static final int WORDS_BYTES_MAX = 1_024;

    private FileBlocks() {}

    private static MethodHandle call(String name, FunctionDescriptor type, Linker.Option... options) {
        Linker linker = Linker.nativeLinker();
        return linker.defaultLookup().find(name).map(function -> linker.downcallHandle(function, type, options)).orElse(null);
    }

    /**
     * Reserves the blocks of {@code [from, to)} of a file, which is made if it is missing. What is there already stays as it
     * is; where nothing is yet, zeros are read.
     *
     * @return whether all are its own now; if not, the disk is full, a quota used up, or no more files may be open just now
     * @throws IOException if the file can have none for any other reason
     */
    static boolean tryReserve(Path file, long from, long to) throws IOException {
        if (FALLOCATE == null) {
            return tryFill(file, from, to);
        }
        int error = allocate(file, from, to - from);
        return switch (error) {
            case 0 -> true;
            case NO_SPACE, QUOTA_EXCEEDED, SYSTEM_HAS_NO_FILES, PROCESS_HAS_NO_FILES -> false;
            case NOT_SUPPORTED, NOT_IMPLEMENTED -> tryFill(file, from, to);
            default -> throw new IOException("blocks from " + from + " to " + to + " of " + file + " cannot be reserved: " + words(error));
        };
    }

    /** Whether a file could not be opened as the process, or the system, may have no more open just now. */
    static boolean isForWantOfFiles(IOException e) {
        return e instanceof FileSystemException refused
                && List.of(words(SYSTEM_HAS_NO_FILES), words(PROCESS_HAS_NO_FILES)).contains(String.valueOf(refused.getReason()));
    }

    /** What the system calls an error of its own. */
    private static String words(int error) {
        try {
            return ((MemorySegment) WORDS.invokeExact(error)).reinterpret(WORDS_BYTES_MAX).getString(0);
        } catch (Throwable e) {
            throw new IllegalStateException("strerror of the C library cannot be called", e);
        }
    }

    /** @return 0, or the system's number of what is wrong */
    private static int allocate(Path file, long from, long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(CALL_STATE);
            int descriptor = (int) OPEN.invokeExact(state, arena.allocateFrom(file.toString()), OPEN_FLAGS, OWNER_ONLY);
            if (descriptor < 0) {
                return (int) ERROR.get(state, 0L);
            }
            int error = allocate(state, descriptor, from, bytes);
            int closed = (int) CLOSE.invokeExact(descriptor);
            return error == 0 && closed < 0 ? NOT_SUPPORTED : error;
        } catch (Throwable e) {
            throw new IllegalStateException("fallocate of the C library cannot be called", e);
        }
    }

    private static int allocate(MemorySegment state, int descriptor, long from, long bytes) throws Throwable {
        while ((int) FALLOCATE.invokeExact(state, descriptor, KEEP_SIZE, from, bytes) < 0) {
            int error = (int) ERROR.get(state, 0L);
            if (error != INTERRUPTED) {
                return error;
            }
        }
        return 0;
    }

    /**
     * The same on a file system, or a system, that cannot reserve: what is zero, or not there, is written with zeros. For
     * whoever writes to the file, while he does not.
     */
    static boolean tryFill(Path file, long from, long to) throws IOException {
        try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw")) {
            FileChannel channel = opened.getChannel();
            for (long at = from; at < to; at += ZEROS_BYTES) {
                int bytes = (int) Math.min(ZEROS_BYTES, to - at);
                if (isZero(channel, at, bytes)) {
                    write(channel, at, ByteBuffer.allocate(bytes));
                }
            }
            return true;
        } catch (IOException e) {
            if (file.getFileSystem().provider().getFileStore(file).getUsableSpace() < to - from) {
                return false;
            }
            throw e;
        }
    }

    private static boolean isZero(FileChannel channel, long from, int bytes) throws IOException {
        ByteBuffer there = ByteBuffer.allocate(bytes);
        while (there.hasRemaining() && channel.read(there, from + there.position()) > 0) {
            // Again, until all or the file's end is read.
        }
        there.flip();
        return there.mismatch(ByteBuffer.allocate(there.remaining())) < 0;
    }

    private static void write(FileChannel channel, long from, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes, from + bytes.position());
        }
    }
}
