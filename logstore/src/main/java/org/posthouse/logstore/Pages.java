package org.posthouse.logstore;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** What the kernel can do with the pages of a mapped file, and Java cannot ask it for. Stateless. */
final class Pages {
    /** MADV_POPULATE_WRITE: Linux 5.14, on every architecture that Java runs on. */
    private static final int POPULATE_WRITE = 23;

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
                .map(function -> linker.downcallHandle(function, type))
                .orElse(null);
    }

    /**
     * Makes the pages of a file present, and ready to be written, as a write to each would, without changing a byte. A kernel
     * that cannot makes them present only. A full disk makes it do less; nobody is told but the one who writes.
     *
     * @param mapped a mapping of the file that may be written, from a multiple of {@link #PAGE_BYTES_MAX} on
     */
    static void populate(MemorySegment mapped) {
        if (MADVISE == null || advise(mapped) != 0) {
            mapped.load();
        }
    }

    private static int advise(MemorySegment mapped) {
        try {
            return (int) MADVISE.invokeExact(mapped, mapped.byteSize(), POPULATE_WRITE);
        } catch (Throwable e) {
            throw new IllegalStateException("madvise of the C library cannot be called", e);
        }
    }
}
