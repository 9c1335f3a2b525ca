package org.posthouse.launch.stage;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Content by its id, in the files of one folder that only its owner can read. Guarded by itself.
 *
 * <ul>
 *   <li>Content arrives in a file {@code ID.part}, possibly in several attempts ({@link IncomingContent}). It gets its
 *       name {@code ID} by an atomic rename when its digest is verified and its bytes are on the disk. A crash leaves at
 *       most partial files, which the next process continues.
 *   <li>All files together have at most {@code bytesMax} bytes; content that arrives counts in full from its first byte.
 *       The least recently used content is removed first. Content in use ({@link PinnedContent}) stays.
 *   <li>A stored file has a fixed time of change. A file with another time or size was written to by somebody: it is
 *       verified again before its next use, and removed if it differs.
 * </ul>
 *
 * The time of access is the time of the last use, so that a later process knows the order.
 */
public final class ContentStore implements Closeable {
    /** The time of change of all stored files. */
    static final FileTime FIXED_TIME = FileTime.from(Instant.parse("2000-01-01T00:00:00Z"));

    /** Bytes of a store of which nobody has said how large it is: 2 GiB. */
    public static final long BYTES_DEFAULT = 2L << 30;

    static final String PARTIAL = ".part";
    private static final Logger LOG = LoggerFactory.getLogger(ContentStore.class);

    /** A file of the store. */
    static final class Entry {
        final ContentId id;
        /** Users of it. It is not removed while there is one. */
        int pins;
        /** Bytes that count: those of the file, or all of the id while it arrives. */
        long bytes;
        boolean whole;
        /** Not null while it arrives. */
        PartialContent partial;

        Entry(ContentId id) {
            this.id = id;
        }
    }

    private final Path folder;
    private final long bytesMax;
    private final FolderLock lock;
    /** The least recently used first. */
    private final Map<ContentId, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

    private long bytesUsed;

    private boolean closed;

    private ContentStore(Path folder, long bytesMax, FolderLock lock) {
        this.folder = folder;
        this.bytesMax = bytesMax;
        this.lock = lock;
    }

    /**
     * Opens the store in this folder, which is made if it is missing.
     *
     * @param bytesMax of all files together ({@code --stage-cache})
     * @throws StageException if the folder cannot be used, or another process uses it
     */
    public static ContentStore open(Path folder, long bytesMax) throws StageException {
        ContentStore store = new ContentStore(folder.toAbsolutePath(), bytesMax, FolderLock.take(folder));
        try {
            store.load();
            return store;
        } catch (IOException e) {
            store.close();
            throw StageException.of("the folder " + folder + " cannot be used", e);
        }
    }

    private record Found(Path file, ContentId id, boolean whole, BasicFileAttributes attributes) {}

    private synchronized void load() throws IOException {
        List<Found> found = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                String name = file.getFileName().toString();
                boolean whole = !name.endsWith(PARTIAL);
                ContentId.ofFileName(whole ? name : name.substring(0, name.length() - PARTIAL.length())).ifPresent(id -> {
                    try {
                        found.add(new Found(file, id, whole, Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)));
                    } catch (IOException e) {
                        LOG.warn("{} cannot be read and is left alone", file, e);
                    }
                });
            }
        }
        found.sort(Comparator.comparing((Found each) -> each.attributes().lastAccessTime()).thenComparing(each -> each.file().toString()));
        for (Found each : found) {
            long size = each.attributes().size();
            boolean bad = !each.attributes().isRegularFile() || (each.whole() ? size != each.id().bytes() : size > each.id().bytes());
            if (bad || !each.whole() && entries.containsKey(each.id())) {
                Files.delete(each.file());
                continue;
            }
            Entry entry = new Entry(each.id());
            entry.whole = each.whole();
            entry.bytes = size;
            Entry partial = entries.put(each.id(), entry);
            if (partial != null) {
                bytesUsed -= partial.bytes;
                Files.deleteIfExists(partialFile(each.id()));
            }
            bytesUsed += size;
        }
        evict(0);
    }

    /** Bytes of all files, and those that are still to arrive. */
    public synchronized long bytesUsed() {
        return bytesUsed;
    }

    /** How much of the content is stored: all bytes of the id if it is whole, 0 if nothing is known of it. */
    public synchronized long storedBytes(ContentId id) {
        Entry entry = entries.get(id);
        if (entry == null) {
            return 0;
        }
        if (entry.whole) {
            return isIntact(entry) ? id.bytes() : 0;
        }
        return entry.partial == null ? entry.bytes : entry.partial.position();
    }

    /** Takes whole content into use: its file stays until the pin is closed. Empty if it is not whole here. */
    public synchronized Optional<PinnedContent> pin(ContentId id) {
        Entry entry = entries.get(id);
        if (entry == null || !entry.whole || !isIntact(entry)) {
            return Optional.empty();
        }
        touch(entry);
        return Optional.of(pinned(entry));
    }

    private PinnedContent pinned(Entry entry) {
        entry.pins++;
        return new PinnedContent(this, entry, file(entry.id));
    }

    /** Another use of content in use. */
    synchronized PinnedContent again(Entry entry) {
        return pinned(entry);
    }

    synchronized void unpin(Entry entry) {
        entry.pins--;
        assert entry.pins >= 0;
        if (entry.pins == 0 && entry.partial != null) {
            settle(entry);
        }
    }

    /** Nobody sends this content any more: what has arrived stays, and counts with its own size. */
    private void settle(Entry entry) {
        long stored = entry.partial.position();
        entry.partial.closeFile();
        entry.partial = null;
        bytesUsed += stored - entry.bytes;
        entry.bytes = stored;
        if (stored == 0) {
            drop(entry);
        }
    }

    /**
     * Receives content, from the byte at which an earlier attempt has ended. Several senders of one content share its
     * bytes: each begins at the position that it finds, and bytes that are stored already are skipped.
     *
     * @throws StageException if it is too large, or too much of the store is in use, or the disk has no room
     */
    public synchronized IncomingContent receive(ContentId id) throws StageException {
        Entry entry = entries.get(id);
        if (entry != null && entry.whole && !isIntact(entry)) {
            entry = null;
        }
        if (entry == null || !entry.whole && entry.partial == null) {
            entry = begin(id, entry);
        }
        touch(entry);
        PartialContent partial = entry.partial;
        return new IncomingContent(pinned(entry), partial);
    }

    /** @throws StageException if the content is larger than the store */
    public void requireFits(ContentId id) throws StageException {
        if (id.bytes() > bytesMax) {
            throw new StageException("content " + id + " is larger than the store in " + folder + ", which takes " + bytesMax + " bytes (--stage-cache)");
        }
    }

    private Entry begin(ContentId id, Entry left) throws StageException {
        requireFits(id);
        long stored = left == null ? 0 : left.bytes;
        Entry entry = left == null ? new Entry(id) : left;
        entry.pins++; // Not to be evicted for its own sake.
        try {
            evict(id.bytes() - stored);
            long room = folder.toFile().getUsableSpace(); // That of NIO needs a mount table that names the folder.
            if (room < id.bytes() - stored) {
                throw new StageException(
                        "content " + id + " cannot be stored in " + folder + ": the disk is full (" + room + " bytes are free)");
            }
            entry.partial = PartialContent.open(this, entry, partialFile(id));
        } catch (StageException e) {
            throw e;
        } catch (IOException e) {
            throw StageException.of("content " + id + " cannot be stored in " + folder, e);
        } finally {
            entry.pins--;
        }
        bytesUsed += id.bytes() - stored;
        entry.bytes = id.bytes();
        entries.put(id, entry);
        return entry.partial.position() < id.bytes() ? entry : finished(entry, stored);
    }

    /** All bytes were there: the empty content, or an attempt that was broken off at its end. If that was wrong it begins anew. */
    private Entry finished(Entry entry, long stored) throws StageException {
        try {
            entry.partial.finish();
            return entry;
        } catch (StageException e) {
            if (stored == 0) {
                throw e;
            }
            LOG.info("{}", e.getMessage());
            return begin(entry.id, null);
        }
    }

    /** Removes content that nobody uses until so many more bytes fit. @throws StageException if what is in use leaves too little room */
    private void evict(long more) throws StageException {
        long inUse = entries.values().stream().filter(entry -> entry.pins > 0).mapToLong(entry -> entry.bytes).sum();
        if (more > 0 && inUse + more > bytesMax) {
            throw new StageException("the store in " + folder + " has no room for " + more + " bytes: jobs use " + inUse + " of its " + bytesMax
                    + " bytes (--stage-cache)");
        }
        Iterator<Entry> oldest = entries.values().iterator();
        while (bytesUsed + more > bytesMax && oldest.hasNext()) {
            Entry entry = oldest.next();
            if (entry.pins == 0) {
                oldest.remove();
                bytesUsed -= entry.bytes;
                delete(entry);
            }
        }
    }

    /** Content has arrived and is verified: it becomes visible. Called with the content's file closed. */
    synchronized void complete(Entry entry) throws IOException {
        Path partial = partialFile(entry.id);
        // A program among a job's files may be executed by its rank.
        Files.setPosixFilePermissions(partial, PosixFilePermissions.fromString("r-x------"));
        setTimes(partial);
        Files.move(partial, file(entry.id), StandardCopyOption.ATOMIC_MOVE);
        entry.whole = true;
        entry.partial = null;
    }

    /** Content that arrives is wrong, or cannot be written: nothing of it stays. */
    synchronized void discard(Entry entry) {
        if (!closed && entries.get(entry.id) == entry) {
            drop(entry);
        }
        entry.partial = null;
    }

    private void drop(Entry entry) {
        entries.remove(entry.id);
        bytesUsed -= entry.bytes;
        delete(entry);
    }

    private void delete(Entry entry) {
        Path file = entry.whole ? file(entry.id) : partialFile(entry.id);
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("{} cannot be removed", file, e);
        }
    }

    /** Whether a stored file is as it was stored. One that is not is removed. */
    private boolean isIntact(Entry entry) {
        Path file = file(entry.id);
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (attributes.isRegularFile() && attributes.size() == entry.id.bytes() && attributes.lastModifiedTime().equals(FIXED_TIME)) {
                return true;
            }
            if (attributes.isRegularFile()) {
                try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
                    if (ContentHasher.read(in).equals(entry.id)) {
                        setTimes(file);
                        return true;
                    }
                }
            }
            LOG.warn("{} was changed by somebody and is removed", file);
        } catch (IOException e) {
            LOG.warn("{} cannot be read and is removed", file, e);
        }
        drop(entry);
        return false;
    }

    private void touch(Entry entry) {
        if (entry.whole) {
            try {
                setTimes(file(entry.id));
            } catch (IOException e) {
                LOG.debug("the last use of {} is not known to later processes", entry.id, e);
            }
        }
    }

    private static void setTimes(Path file) throws IOException {
        Files.getFileAttributeView(file, BasicFileAttributeView.class).setTimes(FIXED_TIME, FileTime.from(Instant.now()), null);
    }

    /** The folder of its files. */
    public Path folder() {
        return folder;
    }

    private Path file(ContentId id) {
        return folder.resolve(id.fileName());
    }

    private Path partialFile(ContentId id) {
        return folder.resolve(id.fileName() + PARTIAL);
    }

    /** Lets another process use the folder. Content that arrives stays as far as it has come. */
    @Override
    public synchronized void close() throws StageException {
        closed = true;
        for (Entry entry : List.copyOf(entries.values())) {
            if (entry.partial != null) {
                entry.partial.closeFile();
            }
        }
        try {
            lock.close();
        } catch (IOException e) {
            throw StageException.of("the folder " + folder + " cannot be left", e);
        }
    }
}
