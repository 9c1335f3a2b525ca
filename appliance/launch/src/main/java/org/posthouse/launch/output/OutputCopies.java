package org.posthouse.launch.output;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.posthouse.causes.Causes;

/** A folder with a file for each stream of each rank: what is shown of it, without tags. */
public final class OutputCopies {
    private final Path folder;

    private OutputCopies(Path folder) {
        this.folder = folder;
    }

    /** Makes the folder if it is missing. @throws IOException for people, if it cannot be used or has files */
    public static OutputCopies in(Path folder) throws IOException {
        try {
            Files.createDirectories(folder);
            try (Stream<Path> files = Files.list(folder)) {
                if (files.findAny().isEmpty()) {
                    return new OutputCopies(folder);
                }
            }
        } catch (IOException e) {
            throw new IOException("--output " + folder + " cannot be used: " + Causes.text(e), e);
        }
        throw new IOException("--output " + folder + " has files already: name a new or an empty folder");
    }

    /**
     * The copy of one stream, which is made when something comes.
     *
     * @param stream its ending: {@code out} or {@code err}
     * @param complaint receives, once, why nothing more is written there
     */
    Copy of(int rank, String stream, Consumer<String> complaint) {
        return new Copy(folder.resolve("rank-" + rank + "." + stream), complaint);
    }

    /** The copy of one stream. Called by one thread at a time. */
    static final class Copy {
        private final Path path;
        private final Consumer<String> complaint;
        private boolean isBroken;
        private OutputStream to;
        private boolean isWithinLine;

        Copy(Path path, Consumer<String> complaint) {
            this.path = path;
            this.complaint = complaint;
        }

        synchronized void write(byte[] bytes, int first, int count) {
            if (count == 0 || isBroken) {
                return;
            }
            try {
                if (to == null) {
                    to = new FileOutputStream(path.toFile());
                }
                to.write(bytes, first, count);
                isWithinLine = bytes[first + count - 1] != '\n';
            } catch (IOException e) {
                isBroken = true;
                complaint.accept("--output: " + path + " cannot be written: " + Causes.text(e) + "; the rest of it is only shown");
            }
        }

        /** What comes next begins a line. */
        synchronized void endLine() {
            if (isWithinLine) {
                write(new byte[] {'\n'}, 0, 1);
            }
        }

        synchronized void close() {
            if (to != null) {
                try {
                    to.close();
                } catch (IOException e) {
                    complaint.accept("--output: " + path + " cannot be closed: " + Causes.text(e));
                }
            }
        }
    }
}
