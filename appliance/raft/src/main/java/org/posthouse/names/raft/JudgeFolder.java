package org.posthouse.names.raft;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The folder of a judge, and whose it is. Stateless. */
final class JudgeFolder {
    private static final String OWNER = "judge";

    private JudgeFolder() {}

    /**
     * Makes the folder, or finds that it is the judge's own.
     *
     * @throws IOException in one line, if it is another's
     */
    static void open(Path folder, String judge, JudgeSet judges) throws IOException {
        Files.createDirectories(folder);
        Path file = folder.resolve(OWNER);
        String owner = judge + " of " + judges.ids();
        if (Files.exists(file)) {
            String found = Files.readString(file).strip();
            if (!found.equals(owner)) {
                throw new IOException("folder " + folder + " is of judge " + found + ", and this relay is judge " + owner
                        + "; give the same --judges as before, or another folder if the names are to begin anew");
            }
        } else {
            Path part = folder.resolve(OWNER + ".part");
            Files.writeString(part, owner + "\n");
            Files.move(part, file);
        }
    }
}
