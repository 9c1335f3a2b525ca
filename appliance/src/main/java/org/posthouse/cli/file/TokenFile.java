package org.posthouse.cli.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Collections;
import java.util.Set;
import org.posthouse.causes.Causes;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.relay.host.UserToken;
import org.posthouse.wire.Token;

/** The file that holds a relay's launch token: 32 hexadecimal digits that only their owner may read. */
public final class TokenFile {
    private static final Set<PosixFilePermission> OTHERS = Set.of(
            PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_READ,
            PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

    private TokenFile() {}

    /** The token in {@code file}; if none is named, what relays and launchers of this user know each other by. */
    public static Token read(Path file) throws CommandFailure {
        try {
            if (file == null) {
                return UserToken.find();
            }
            requirePrivate("token", file);
            Token token = Token.parse(Files.readString(file).strip());
            if (token.equals(Token.NONE)) {
                throw cannotUse(file, "it holds zeros, which stand for no token; make one: head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \\n'");
            }
            return token;
        } catch (NumberFormatException e) { // Whose message has a character of the secret.
            throw cannotUse(file, "a token has 32 hexadecimal digits, and this one's 32 characters are not all such");
        } catch (IOException | IllegalArgumentException e) {
            throw file == null ? new CommandFailure("this user's token cannot be found: " + Causes.text(e), e) : cannotUse(file, Causes.text(e));
        }
    }

    /** @param what it has, for the message @throws CommandFailure if others than its owner may read or write it */
    static void requirePrivate(String what, Path file) throws IOException, CommandFailure {
        if (!Collections.disjoint(Files.getPosixFilePermissions(file), OTHERS)) {
            throw new CommandFailure("the " + what + " file " + file + " can be read or written by others: chmod 600 " + file);
        }
    }

    private static CommandFailure cannotUse(Path file, String why) {
        return new CommandFailure("the token file " + file + " cannot be used: " + why);
    }
}
