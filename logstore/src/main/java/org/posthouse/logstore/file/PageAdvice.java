package org.posthouse.logstore.file;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/** Operations of the kernel on the pages of a mapped file that Java does not offer. Stateless. */
public final class PageAdvice {
    /** MADV_POPULATE_WRITE: Linux 5.14, on every architecture that Java runs on. */
    private static final int POPULATE_WRITE = 23;

    /**
     * EINVAL, the error of an older kernel. A full disk has a different error. Its pages must not be read, because on a
     * tmpfs that allocates blocks.
     */
    private static final int INVALID = 22;

    private static final MemoryLayout CALL_STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERROR = CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    /** Upper bound of the page size. */
    public static final int PAGE_BYTES_MAX = 64 << 10;

    private static final MethodHandle MADVISE = madvise();

    private PageAdvice() {}

    private static MethodHandle madvise() {
        Linker linker = Linker.nativeLinker();
        FunctionDescriptor type = FunctionDescriptor.of(
                ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT);
        return linker.defaultLookup()
                .find("madvise")
                .map(function -> linker.downcallHandle(function, type, Linker.Option.captureCallState("errno")))
                .orElse(null);
    }

    /**
     * Maps the pages of a file for writing, as a write to each would, without changing a byte. A kernel without this
     * operation maps them for reading only. On a full disk it maps fewer pages; only the writer notices.
     *
     * @param mapped a writable mapping of the file, from a multiple of {@link #PAGE_BYTES_MAX} on
     */
    static void populate(MemorySegment mapped) {
        if (MADVISE == null || advise(mapped) == INVALID) {
            mapped.load();
        }
    }

    /** @return 0, or the system's error number */
    private static int advise(MemorySegment mapped) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(CALL_STATE);
            int failed = (int) MADVISE.invokeExact(state, mapped, mapped.byteSize(), POPULATE_WRITE);
            return failed == 0 ? 0 : (int) ERROR.get(state, 0L);
        } catch (Throwable e) {
            throw new IllegalStateException("madvise of the C library cannot be called", e);
        }
    }
}
