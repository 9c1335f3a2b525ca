package org.posthouse.logstore.file;

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
 * Allocates a file's blocks before they are written through mapped memory. If the disk is full, such a write to a hole
 * kills the process (SIGBUS), while a system call reports the error. Stateless.
 */
public final class FileBlocks {
    // Constants of Linux, the same on every architecture that Java runs on.
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

    /** Bytes per write where the file system cannot allocate and zeros are written instead: 64 KiB. */
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
     * Allocates the blocks of {@code [from, to)} of a file, which is created if it is missing. Existing bytes do not
     * change; the new ones read as zeros.
     *
     * @return whether all are allocated now; if not, the disk is full, a quota is exhausted, or the limit of open files
     *         is reached
     * @throws IOException if the allocation fails for any other reason
     */
    public static boolean tryReserve(Path file, long from, long to) throws IOException {
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

    /** Whether opening a file failed because the process or the system has reached its limit of open files. */
    public static boolean isForWantOfFiles(IOException e) {
        return e instanceof FileSystemException refused
                && List.of(words(SYSTEM_HAS_NO_FILES), words(PROCESS_HAS_NO_FILES)).contains(String.valueOf(refused.getReason()));
    }

    /** The system's text for an error number. */
    private static String words(int error) {
        try {
            return ((MemorySegment) WORDS.invokeExact(error)).reinterpret(WORDS_BYTES_MAX).getString(0);
        } catch (Throwable e) {
            throw new IllegalStateException("strerror of the C library cannot be called", e);
        }
    }

    /** @return 0, or the system's error number */
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
     * As {@link #tryReserve}, for a system or file system that cannot allocate. It writes zeros over bytes that are
     * zero or missing. Only the file's writer may call it, while it writes nothing else.
     */
    public static boolean tryFill(Path file, long from, long to) throws IOException {
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
            // Repeats until all bytes or the file's end are read.
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
