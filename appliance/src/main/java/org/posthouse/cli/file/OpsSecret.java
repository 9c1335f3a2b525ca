package org.posthouse.cli.file;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.posthouse.causes.Causes;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.wire.Token;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The secret by which a console takes orders from who is not known as its relay's user: a token file, made by the relay if there is none. */
public final class OpsSecret {
    /** Its file name in the relay's data folder. */
    static final String FILE = "ops-token";

    private static final Logger LOG = LoggerFactory.getLogger(OpsSecret.class);

    private OpsSecret() {}

    /** The secret in a file that somebody has named; empty if no file is named. */
    public static Optional<String> read(Path file) throws CommandFailure {
        return file == null ? Optional.empty() : Optional.of(text(TokenFile.read(file)));
    }

    /** The secret in a relay's data folder, which is made, with the folder, if it is not there. A full disk has none: then only who is known may give orders. */
    public static Optional<String> readOrMake(Path data) throws CommandFailure {
        Path file = data.resolve(FILE);
        try {
            if (!Files.isDirectory(data)) {
                Files.createDirectories(data);
            }
            if (!Files.exists(file)) {
                make(file);
            }
        } catch (IOException e) {
            if (AuditFile.mayWrite(data)) {
                LOG.warn("the console has no secret: {} cannot be made: {}", file, Causes.text(e));
                return Optional.empty();
            }
            throw new CommandFailure("the data folder " + data + " cannot be written: " + Causes.text(e) + "; give --data a folder that this user may write",
                    e);
        }
        return Optional.of(text(TokenFile.read(file)));
    }

    /** Under another name first: whoever reads it meanwhile finds nothing, or all of it. */
    private static void make(Path file) throws IOException {
        Path part = Files.createTempFile(
                file.toAbsolutePath().getParent(), FILE, ".part", PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            Files.writeString(part, Token.random().hex() + "\n", StandardOpenOption.TRUNCATE_EXISTING);
            Files.createLink(file, part);
        } catch (FileAlreadyExistsException e) {
            LOG.debug("another relay with this data folder was faster: {}", e.toString());
        } finally {
            Files.delete(part);
        }
    }

    private static String text(Token token) {
        return token.hex();
    }
}
