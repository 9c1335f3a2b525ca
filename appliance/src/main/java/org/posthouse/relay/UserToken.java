package org.posthouse.relay;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.posthouse.peer.PeerUser;
import org.posthouse.wire.Token;

/**
 * What relays and launchers of one user know each other by that were given no token. Where the system tells whose process is at the other end of a connection that is
 * nothing at all. Elsewhere it is a secret in a file of the user's, which whoever comes first makes: {@code .posthouse/launch-token} in the user's home.
 */
public final class UserToken {
    private UserToken() {}

    /** {@link Token#NONE} where the system tells. @throws IOException naming the file, if it cannot be read or made */
    public static Token find() throws IOException {
        return PeerUser.own() == PeerUser.NO_UID ? read(Path.of(System.getProperty("user.home"), ".posthouse", "launch-token")) : Token.NONE;
    }

    /** The token in a file, which is made if there is none. */
    static Token read(Path file) throws IOException {
        Files.createDirectories(file.getParent());
        Path made = Files.createTempFile(file.getParent(), "launch-token", ".new",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            Files.writeString(made, Token.random().hex());
            Files.createLink(file, made);
        } catch (FileAlreadyExistsException e) {
            // Somebody came first.
        } finally {
            Files.delete(made);
        }
        try {
            return Token.parse(Files.readString(file).strip());
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " is no token of 32 hexadecimal digits: delete it", e);
        }
    }
}
