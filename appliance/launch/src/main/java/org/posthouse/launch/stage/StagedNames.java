package org.posthouse.launch.stage;

import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The files of a job by their names in its folder. Refuses a name that is taken, or that is a file here and a folder
 * there, and more bytes than the limit, all before the first byte moves. Confined to one thread.
 */
public final class StagedNames {
    /** Files of a job; each is a link at every node. */
    private static final int FILES_MAX = 10_000;

    private final long bytesMax;
    private final Map<String, ContentId> files = new LinkedHashMap<>();
    private final Set<ContentId> contents = new HashSet<>();
    /** Each folder's name, with a slash behind it, and a file in it. */
    private final Map<String, String> folders = new HashMap<>();

    private long bytes;

    /** @param bytesMax of all files together, as a store must hold them at once */
    public StagedNames(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /**
     * Adds a file.
     *
     * @throws StageException in one line, if the name may not stand in a job's folder or is taken, or there is too much
     */
    public void add(String name, ContentId id) throws StageException {
        JobPaths.checked(name);
        if (files.containsKey(name)) {
            throw new StageException("two of the job's files have the name \"" + name + "\"");
        }
        String inside = folders.get(name + "/");
        if (inside != null) {
            throw collision(name, inside);
        }
        for (int slash = name.indexOf('/'); slash >= 0; slash = name.indexOf('/', slash + 1)) {
            if (files.containsKey(name.substring(0, slash))) {
                throw collision(name.substring(0, slash), name);
            }
        }
        if (files.size() == FILES_MAX) {
            throw new StageException("the job has more than " + FILES_MAX + " files: pack some of them");
        }
        if (!contents.contains(id)) {
            if (id.bytes() > bytesMax - bytes) {
                throw new StageException(
                        "the job's files have more than " + bytesMax + " bytes together, with \"" + name + "\" of " + id.bytes() + " (--stage-cache)");
            }
            bytes += id.bytes();
            contents.add(id);
        }
        for (int slash = name.indexOf('/'); slash >= 0; slash = name.indexOf('/', slash + 1)) {
            folders.putIfAbsent(name.substring(0, slash + 1), name);
        }
        files.put(name, id);
    }

    private static StageException collision(String file, String inside) {
        return new StageException("\"" + file + "\" of the job's files is a file, and a folder for \"" + inside + "\"");
    }

    /** The files by name, in the order in which they were added. */
    public Map<String, ContentId> files() {
        return Collections.unmodifiableMap(files);
    }

    /** Bytes of all different contents together. */
    public long bytes() {
        return bytes;
    }
}
