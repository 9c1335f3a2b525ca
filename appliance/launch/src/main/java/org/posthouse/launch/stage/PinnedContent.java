package org.posthouse.launch.stage;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

/** Content in use. Its file stays in the store until this is closed. Any thread may call it. */
public final class PinnedContent implements AutoCloseable {
    private final ContentStore store;
    private final ContentStore.Entry entry;
    private final Path path;
    private final AtomicBoolean closed = new AtomicBoolean();

    PinnedContent(ContentStore store, ContentStore.Entry entry, Path path) {
        this.store = store;
        this.entry = entry;
        this.path = path;
    }

    /** Which content it is. */
    public ContentId id() {
        return entry.id;
    }

    /** Its file, which nobody may write to. */
    public Path path() {
        return path;
    }

    /** Another use of the same content, which ends by itself. */
    public PinnedContent again() {
        return store.again(entry);
    }

    /** Ends the use. A second call does nothing. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            store.unpin(entry);
        }
    }
}
