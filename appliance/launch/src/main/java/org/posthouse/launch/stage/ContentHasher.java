package org.posthouse.launch.stage;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Finds the ids of files. Each file is read once; a second call for a file with the same path, time of change and size
 * returns what the first one found. Guarded by itself.
 *
 * <p>A file that was changed a moment ago may change again within the resolution of the file system's time. Its id is
 * not kept.
 */
public final class ContentHasher {
    private static final int FILES_MAX = 10_000;
    private static final int BUFFER_BYTES = 1 << 16;

    /** Two seconds is the coarsest resolution of a file system in use (FAT). */
    private static final Duration UNSETTLED = Duration.ofSeconds(2);

    private record State(Instant changed, long bytes, Object fileKey) {
        static State of(Path file) throws IOException {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            if (!attributes.isRegularFile()) {
                throw new StageException(file + " is not a file");
            }
            return new State(attributes.lastModifiedTime().toInstant(), attributes.size(), attributes.fileKey());
        }
    }

    private record Known(State state, ContentId id) {}

    private final InstantSource clock;

    private final Map<Path, Known> known = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Path, Known> eldest) {
            return size() > FILES_MAX;
        }
    };

    private long filesRead;

    /** One that knows no file. */
    public ContentHasher() {
        this(InstantSource.system());
    }

    ContentHasher(InstantSource clock) {
        this.clock = clock;
    }

    /**
     * The id of a file's content.
     *
     * @throws StageException if it is missing, cannot be read, or changes meanwhile
     */
    public synchronized ContentId idOf(Path file) throws StageException {
        Path path = file.toAbsolutePath().normalize();
        try {
            State state = State.of(path);
            Known last = known.get(path);
            if (last != null && last.state().equals(state)) {
                return last.id();
            }
            ContentId id = read(path);
            if (!State.of(path).equals(state) || id.bytes() != state.bytes()) {
                throw new StageException(file + " changes while it is read");
            }
            known.remove(path);
            if (state.changed().isBefore(clock.instant().minus(UNSETTLED))) {
                known.put(path, new Known(state, id));
            }
            return id;
        } catch (StageException e) {
            throw e;
        } catch (IOException e) {
            throw StageException.of(file + " cannot be read", e);
        }
    }

    private ContentId read(Path file) throws IOException {
        filesRead++;
        try (InputStream in = Files.newInputStream(file)) {
            return read(in);
        }
    }

    static ContentId read(InputStream in) throws IOException {
        MessageDigest digest = ContentId.newDigest();
        byte[] buffer = new byte[BUFFER_BYTES];
        long bytes = 0;
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            digest.update(buffer, 0, n);
            bytes += n;
        }
        return ContentId.of(digest.digest(), bytes);
    }

    /** How many files were read so far. */
    synchronized long filesRead() {
        return filesRead;
    }
}
