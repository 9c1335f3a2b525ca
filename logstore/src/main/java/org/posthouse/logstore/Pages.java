package org.posthouse.logstore;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/** What the kernel can do with the pages of a mapped file, and Java cannot ask it for. Stateless. */
final class Pages {
    /** MADV_POPULATE_WRITE: Linux 5.14, on every architecture that Java runs on. */
    private static final int POPULATE_WRITE = 23;

    /** EINVAL: what a kernel that is older says. A full disk is told otherwise, and must not be read from: that takes blocks on a tmpfs. */
    private static final int INVALID = 22;

    private static final MemoryLayout CALL_STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERROR = CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    /** No page is larger. */
    static final int PAGE_BYTES_MAX = 64 << 10;

    private static final MethodHandle MADVISE = madvise();

    private Pages() {}

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
     * Makes the pages of a file present, and ready to be written, as a write to each would, without changing a byte. A kernel
     * that cannot makes them present only. A full disk makes it do less; nobody is told but the one who writes.
     *
     * @param mapped a mapping of the file that may be written, from a multiple of {@link #PAGE_BYTES_MAX} on
     */
    static void populate(MemorySegment mapped) {
        if (MADVISE == null || advise(mapped) == INVALID) {
            mapped.load();
        }
    }

    /** @return 0, or the system's number of what is wrong */
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
