package org.posthouse.names.ldap;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.names.Name;
import org.posthouse.names.NameService;
import org.posthouse.names.NameServiceContract;
import org.posthouse.testkit.DirectoryInMemory;
import org.posthouse.testkit.Slapd;

/** The contract, in a directory server of this process. */
class LdapNamesTest extends NameServiceContract {
    @TempDir
    private static Path folder;

    private static DirectoryInMemory directory;
    private static int tests;
    private LdapNames names;

    @BeforeAll
    static void startDirectory() throws Exception {
        directory = DirectoryInMemory.start(LdapSchema.ldif(), null);
    }

    @AfterAll
    static void stopDirectory() {
        directory.close();
    }

    @BeforeEach
    void open() throws Exception {
        tests++;
        names = new LdapNames(LdapAddress.config(directory.port(), LdapAddress.passwordFile(folder, Slapd.PASSWORD), ""));
    }

    @AfterEach
    void close() {
        names.close();
    }

    @Override
    protected NameService names() {
        return names;
    }

    @Override
    protected Name root() {
        return Name.parse("test-" + tests);
    }
}
