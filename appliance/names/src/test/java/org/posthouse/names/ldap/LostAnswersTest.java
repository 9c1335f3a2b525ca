package org.posthouse.names.ldap;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameException;
import org.posthouse.names.NameRecord;
import org.posthouse.testkit.Slapd;

/** A connection that breaks between a change and its answer. */
@Timeout(60)
class LostAnswersTest {
    private static final Name A = Name.parse("a");

    @TempDir
    private Path folder;

    private BrokenDirectory server;
    private LdapConfig config;
    private LdapNames names;

    @BeforeEach
    void start() throws Exception {
        server = new BrokenDirectory();
        config = LdapAddress.config(server.port(), LdapAddress.passwordFile(folder, Slapd.PASSWORD), "");
        names = new LdapNames(config);
    }

    @AfterEach
    void stop() {
        names.close();
        server.close();
    }

    private static NameRecord record(long version) {
        return NameRecord.of(Map.of("v", Long.toString(version)));
    }

    private static StoredRecord stored(Name name, long version) {
        return new StoredRecord(new BoundName(name, record(version), version), true);
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
    }

    /** A conflict would say that it was not done. */
    @Test
    void aFirstSwapWhoseAnswerIsLostHasNoConflictWithItself() {
        server.additionsUnanswered.set(1);
        NameException fault = (NameException) names.swap(A, 0, record(1)).handle((bound, why) -> why.getCause()).toCompletableFuture().join();
        assertThat(fault.kind()).as(fault.getMessage()).isEqualTo(NameException.Kind.UNAVAILABLE);
        assertThat(join(names.lookup(A))).as("it was done").contains(stored(A, 1).last());
    }

    @Test
    void aBindWhoseAnswerIsLostFindsItselfAndSucceeds() {
        server.additionsUnanswered.set(1);
        assertThat(join(names.bind(A, record(1)))).isEqualTo(stored(A, 1).last());
    }
}
