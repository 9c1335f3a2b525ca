package org.posthouse.cli.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.posthouse.causes.Causes;
import org.posthouse.cli.option.CommandFailure;

/** A file whose only line is a password, and that only its owner may read. */
public final class PasswordFile {
    private static final int BYTES_MAX = 1_024;

    private PasswordFile() {}

    /** @throws CommandFailure if it cannot be read, others may read it, or it has not one line */
    public static String read(Path file) throws CommandFailure {
        try {
            TokenFile.requirePrivate("password", file);
            if (Files.size(file) > BYTES_MAX) {
                throw new CommandFailure("the password file " + file + " has " + Files.size(file) + " bytes, expected one line of at most " + BYTES_MAX);
            }
            List<String> lines = Files.readAllLines(file);
            if (lines.size() != 1 || lines.getFirst().isEmpty()) {
                throw new CommandFailure("the password file " + file + " has " + lines.size() + " lines, expected one with the password");
            }
            return lines.getFirst();
        } catch (IOException e) {
            throw new CommandFailure("the password file " + file + " cannot be read: " + Causes.text(e), e);
        }
    }
}
