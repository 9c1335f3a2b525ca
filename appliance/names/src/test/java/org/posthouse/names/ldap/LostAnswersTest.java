package org.posthouse.names.ldap;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.names.Alarm;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameException;
import org.posthouse.names.NameFrontEnd;
import org.posthouse.names.NameRecord;
import org.posthouse.testkit.Slapd;

/** A connection that breaks between a change and its answer, and between two answers that belong together. */
@Timeout(60)
class LostAnswersTest {
    private static final Name A = Name.parse("a");
    private static final Name B = Name.parse("b");

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

    /** A server that takes connections and says nothing: one call more than can wait is refused, and the names are not down. */
    @Test
    void aFullQueueIsNoDirectoryThatIsDown() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                LdapNames slow = new LdapNames(LdapAddress.config(silent.getLocalPort(), LdapAddress.passwordFile(folder, Slapd.PASSWORD), ""))) {
            List<String> states = new CopyOnWriteArrayList<>();
            NameFrontEnd frontEnd = new NameFrontEnd(slow, "site-a", new NoAlarm(), Runnable::run, why -> states.add(why.orElse("answers")));
            CompletionStage<?> last = slow.lookup(A);
            while (!last.toCompletableFuture().isDone()) {
                last = slow.lookup(A);
            }
            NameException fault = (NameException) frontEnd.bind(A, record(1)).toCompletableFuture().exceptionNow();
            assertThat(fault).hasMessageContaining("1024 calls wait");
            assertThat(fault.kind()).isEqualTo(NameException.Kind.UNAVAILABLE);
            assertThat(states).isEmpty();
            silent.close(); // Ends what waits.
        }
    }

    private static final class NoAlarm implements Alarm {
        @Override
        public void after(long millis, Runnable work) {}

        @Override
        public long now() {
            return 0;
        }
    }

    /** The first record was read and the second was not: both are told after the next question. */
    @Test
    void listenersHearWhatWasReadBeforeAFault() {
        join(names.bind(A, record(1)));
        join(names.bind(B, record(1)));
        List<String> told = new CopyOnWriteArrayList<>();
        names.listen(Name.ROOT, change -> told.add(change.bound().name() + " " + change.bound().version()));
        Awaitility.await().until(() -> told.containsAll(List.of("a 1", "b 1")));

        server.isSearchRefused = true; // So that one question finds both changes.
        Awaitility.await().until(() -> server.searchesRefused.get() > 0);
        try (LdapConnection connection = new LdapConnection(config, System::nanoTime)) {
            LdapDirectory directory = new LdapDirectory(connection, config.base());
            assertThat(directory.replace(stored(A, 1), stored(A, 2))).isTrue();
            assertThat(directory.replace(stored(B, 1), stored(B, 2))).isTrue();
        }
        server.readsUntilFault.set(1);
        server.isSearchRefused = false;
        Awaitility.await().until(() -> told.contains("b 2"));
        assertThat(server.readsUntilFault).as("reads that have come").hasNegativeValue();
        assertThat(told).containsExactly("a 1", "b 1", "a 2", "b 2");
    }
}
