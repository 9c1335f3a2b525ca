package org.posthouse.names.ldap;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameRecord;
import org.posthouse.testkit.DirectoryInMemory;
import org.posthouse.testkit.Slapd;

@Timeout(60)
class LdapDirectoryTest {
    private static final Name NAME = Name.parse("a");

    @TempDir
    private Path folder;

    private static StoredRecord record(long version, boolean isBound) {
        return new StoredRecord(new BoundName(NAME, NameRecord.of(Map.of("v", Long.toString(version))), version), isBound);
    }

    @Test
    void anEntryIsReplacedOnlyAsItWasRead() throws Exception {
        try (DirectoryInMemory server = DirectoryInMemory.start(LdapSchema.ldif(), null)) {
            LdapConfig config = LdapAddress.config(server.port(), LdapAddress.passwordFile(folder, Slapd.PASSWORD), "");
            try (LdapConnection connection = new LdapConnection(config, System::nanoTime)) {
                LdapDirectory directory = new LdapDirectory(connection, config.base());
                assertThat(directory.replace(record(1, true), record(2, true))).as("absent").isFalse();
                assertThat(directory.add(record(1, true).last())).isTrue();
                assertThat(directory.add(record(1, true).last())).as("a second time").isFalse();
                assertThat(directory.replace(record(1, true), record(2, true))).isTrue();
                assertThat(directory.replace(record(1, true), record(3, true))).as("of another version").isFalse();
                assertThat(directory.replace(record(2, true), record(2, false))).as("unbound").isTrue();
                assertThat(directory.replace(record(2, true), record(3, true))).as("unbound meanwhile").isFalse();
                assertThat(directory.read(NAME)).contains(record(2, false));
            }
        }
    }
}
