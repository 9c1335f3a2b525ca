package org.posthouse.relay.host;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.posthouse.peer.PeerUser;
import org.posthouse.wire.Token;

/**
 * The token by which relays and launchers of one user recognise each other if none is configured. Where the system can
 * tell the user at the other end of a connection, there is none. Elsewhere it is a secret in the file
 * {@code .posthouse/launch-token} in the user's home, created by the first process that needs it.
 */
public final class UserToken {
    private UserToken() {}

    /**
     * The user's token; {@link Token#NONE} where the system can tell users.
     *
     * @throws IOException naming the file, if it cannot be read or created
     */
    public static Token find() throws IOException {
        return PeerUser.own() == PeerUser.NO_UID ? read(Path.of(System.getProperty("user.home"), ".posthouse", "launch-token")) : Token.NONE;
    }

    /** The token in a file, which is created if it does not exist. */
    static Token read(Path file) throws IOException {
        Files.createDirectories(file.getParent());
        Path made = Files.createTempFile(file.getParent(), "launch-token", ".new",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            Files.writeString(made, Token.random().hex());
            Files.createLink(file, made);
        } catch (FileAlreadyExistsException e) {
            // Another process was first.
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
