package org.posthouse.cli.option;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Whether a folder for a relay's data is there or can be made, without making it. Stateless. */
public final class DataFolder {
    private DataFolder() {}

    /** Adds to {@code problems} why {@code folder} can be of no use. A null folder is none. */
    public static void check(Path folder, Problems problems) {
        if (folder != null) {
            fault(folder).ifPresent(why -> problems.add("--data " + folder + ": " + why));
        }
    }

    /** Why nothing can be written there. A file is made and deleted again: rights alone do not tell of file systems that take none. */
    public static Optional<String> fault(Path folder) {
        Path there = nearest(folder);
        if (!Files.isDirectory(there)) {
            return Optional.of(there + " is a file, expected a folder");
        }
        try {
            Files.delete(Files.createTempFile(there, ".posthouse-", ""));
            return Optional.empty();
        } catch (IOException e) {
            return Optional
                    .of((there.equals(folder.toAbsolutePath()) ? "this user cannot write there" : "it cannot be made: this user cannot write to " + there)
                            + "; name another folder, or make it for this user");
        }
    }

    /** The folder itself, or the nearest one above it that exists. */
    public static Path nearest(Path folder) {
        Path there = folder.toAbsolutePath();
        while (!Files.exists(there)) {
            there = there.getParent(); // The root exists.
        }
        return there;
    }
}
