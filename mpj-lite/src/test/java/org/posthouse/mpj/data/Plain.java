package org.posthouse.mpj.data;

import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.operation.Sink;

/** Messages of adjacent elements of an array, for tests. */
public final class Plain {
    private Plain() {}

    public static Content content(Base base, Object array, int first, int count) {
        return new Region(base, Layout.ONE, array, first).content(0, count);
    }

    public static Sink sink(Base base, Object array, int first, int capacity) {
        return new Region(base, Layout.ONE, array, first).sink(0, capacity);
    }
}
