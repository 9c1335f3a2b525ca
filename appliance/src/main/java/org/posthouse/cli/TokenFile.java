package org.posthouse.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;
import org.posthouse.tunnel.Causes;
import org.posthouse.wire.Token;

/** The file that holds a relay's launch token: 32 hexadecimal digits that only their owner may read. */
final class TokenFile {
    private static final Set<PosixFilePermission> OTHERS = Set.of(
            PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_READ,
            PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

    private TokenFile() {}

    /** The token in {@code file}; {@link Token#NONE} if no file is named. */
    static Token read(Path file) throws CommandFailure {
        if (file == null) {
            return Token.NONE;
        }
        try {
            for (PosixFilePermission right : Files.getPosixFilePermissions(file)) {
                if (OTHERS.contains(right)) {
                    throw new CommandFailure("the token file " + file + " can be read or written by others: chmod 600 " + file);
                }
            }
            return Token.parse(Files.readString(file).strip());
        } catch (IOException | IllegalArgumentException e) {
            throw new CommandFailure("the token file " + file + " cannot be used: " + Causes.text(e), e);
        }
    }
}
