package org.posthouse.names.ldap;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.names.Name;
import org.posthouse.names.NameService;
import org.posthouse.names.NameServiceContract;
import org.posthouse.testkit.Slapd;

/** The contract, in the system's OpenLDAP. */
class SlapdNamesTest extends NameServiceContract {
    @TempDir
    private static Path folder;

    private static Slapd slapd;
    private static int tests;
    private LdapNames names;

    @BeforeAll
    static void startDirectory() throws Exception {
        Assumptions.assumeTrue(Slapd.missing().isEmpty(), Slapd.missing());
        slapd = Slapd.start(folder, LdapSchema.ldif(), LdapSchema.indices());
    }

    @AfterAll
    static void stopDirectory() throws Exception {
        if (slapd != null) {
            slapd.close();
        }
    }

    @BeforeEach
    void open() throws Exception {
        tests++;
        names = new LdapNames(LdapAddress.config(slapd.port(), LdapAddress.passwordFile(folder, Slapd.PASSWORD), ""));
    }

    @AfterEach
    void close() {
        if (names != null) {
            names.close();
        }
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
