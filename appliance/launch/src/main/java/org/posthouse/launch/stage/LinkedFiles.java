package org.posthouse.launch.stage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.posthouse.causes.Causes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files of a job whose ranks run on this host: links in the folder where they run, for as long as the job. Confined to one
 * thread.
 */
public final class LinkedFiles implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LinkedFiles.class);

    private final List<Path> made = new ArrayList<>();

    private LinkedFiles() {}

    /**
     * Makes a link for each file that is not in the folder.
     *
     * @throws StageException in one line, if the folder has another file of that name, or cannot be written; no link stays
     */
    public static LinkedFiles in(Path folder, List<Path> files) throws StageException {
        LinkedFiles links = new LinkedFiles();
        try {
            for (Path file : files) {
                links.add(folder, file.toAbsolutePath());
            }
            return links;
        } catch (StageException e) {
            links.close();
            throw e;
        }
    }

    private void add(Path folder, Path file) throws StageException {
        Path link = folder.resolve(file.getFileName());
        try {
            if (!Files.exists(link, LinkOption.NOFOLLOW_LINKS)) {
                Files.createSymbolicLink(link, file);
                made.add(link);
            } else if (!Files.exists(link) || !Files.isSameFile(link, file)) {
                throw new StageException("--file " + file + ": the ranks' folder " + folder.toAbsolutePath() + " has another file " + file.getFileName());
            }
        } catch (StageException e) {
            throw e;
        } catch (IOException e) {
            throw StageException.of("--file " + file + " cannot be linked into the ranks' folder " + folder.toAbsolutePath(), e);
        }
    }

    /** Removes the links. */
    @Override
    public void close() {
        for (Path link : made) {
            try {
                if (Files.isSymbolicLink(link)) {
                    Files.delete(link);
                }
            } catch (IOException e) {
                LOG.warn("{} cannot be removed: {}", link, Causes.text(e));
            }
        }
        made.clear();
    }
}
