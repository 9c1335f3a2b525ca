package org.posthouse.names.ldap;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.names.Name;
import org.posthouse.names.NameRecord;
import org.posthouse.names.NameService;
import org.posthouse.testkit.Slapd;

@Timeout(120)
class TombstoneCollectorTest {
    private static final NameRecord RECORD = NameRecord.of(Map.of("v", "1"));

    @TempDir
    private Path folder;

    @TempDir
    private Path data;

    /** The directory refuses to delete what was bound again: the collector asks with the version that it saw. */
    @Test
    void namesThatWereUnboundLongAgoAreDeletedAndBoundOnesStay() throws Exception {
        Assumptions.assumeTrue(Slapd.missing().isEmpty(), Slapd.missing());
        try (Slapd slapd = Slapd.start(data, LdapSchema.ldif(), LdapSchema.indices())) {
            LdapConfig config = LdapAddress.config(slapd.port(), LdapAddress.passwordFile(folder, Slapd.PASSWORD), "");
            try (LdapNames names = new LdapNames(config); LdapConnection connection = new LdapConnection(config, System::nanoTime)) {
                for (String each : new String[] {"a", "b", "c"}) {
                    names.bind(Name.parse(each), RECORD).toCompletableFuture().get(60, TimeUnit.SECONDS);
                }
                names.unbind(Name.parse("a"), 1).toCompletableFuture().get(60, TimeUnit.SECONDS);
                names.unbind(Name.parse("b"), NameService.ANY_VERSION).toCompletableFuture().get(60, TimeUnit.SECONDS);
                TombstoneCollector collector = new TombstoneCollector(connection, config.base());
                assertThat(collector.collect(Instant.now().minusSeconds(3_600))).as("of an hour ago").isZero();
                TombstoneCollector.Tombstone stale = new TombstoneCollector.Tombstone(Name.parse("a"), new VersionHead(1, false));
                assertThat(names.bind(Name.parse("a"), RECORD).toCompletableFuture().get(60, TimeUnit.SECONDS).version()).isEqualTo(2);
                assertThat(connection.<Boolean>once(context -> collector.delete(context, stale))).as("it was bound meanwhile").isFalse();
                assertThat(collector.collect(Instant.now().plusSeconds(3_600))).isEqualTo(1);
                assertThat(names.lookup(Name.parse("a")).toCompletableFuture().get(60, TimeUnit.SECONDS)).isPresent();
                assertThat(new LdapDirectory(connection, config.base()).read(Name.parse("b"))).isEmpty();
                assertThat(new LdapDirectory(connection, config.base()).read(Name.parse("c"))).isPresent();
            }
        }
    }
}
