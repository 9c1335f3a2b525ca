package org.posthouse.names.ldap;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.posthouse.testkit.Slapd;

/** What a test calls its directory. */
final class LdapAddress {
    private LdapAddress() {}

    static Path passwordFile(Path folder, String password) throws IOException {
        Path file = folder.resolve("password-of-" + password.length());
        if (!Files.exists(file)) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        return Files.writeString(file, password + "\n");
    }

    /** The address of a directory on this host. */
    static LdapConfig config(int port, Path passwordFile, String options) {
        return LdapConfig.parse("ldap://127.0.0.1:" + port + "/" + Slapd.BASE + "?user=" + Slapd.USER + "&password-file=" + passwordFile + options);
    }
}
