package org.posthouse.names.ldap;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.names.ElectionContract;
import org.posthouse.names.NameService;
import org.posthouse.testkit.Slapd;

/** Elections in the system's OpenLDAP. */
class SlapdElectionTest extends ElectionContract {
    @TempDir
    private Path data;

    @TempDir
    private Path folder;

    private final List<LdapNames> opened = new ArrayList<>();
    private Slapd slapd;

    @Override
    protected NameService connect() throws Exception {
        Assumptions.assumeTrue(Slapd.missing().isEmpty(), Slapd.missing());
        if (slapd == null) {
            slapd = Slapd.start(data, LdapSchema.ldif(), LdapSchema.indices());
        }
        opened.add(new LdapNames(LdapAddress.config(slapd.port(), LdapAddress.passwordFile(folder, Slapd.PASSWORD), "")));
        return opened.getLast();
    }

    @AfterEach
    void stop() throws Exception {
        opened.forEach(LdapNames::close);
        if (slapd != null) {
            slapd.close();
        }
    }
}
