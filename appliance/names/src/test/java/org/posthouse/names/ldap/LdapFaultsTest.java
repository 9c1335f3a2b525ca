package org.posthouse.names.ldap;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameException;
import org.posthouse.names.NameRecord;
import org.posthouse.names.NameService;
import org.posthouse.testkit.Slapd;

/** An OpenLDAP that is slow, down, restarted, or does not know the user. */
@Timeout(120)
class LdapFaultsTest {
    private static final Name NAME = Name.parse("a/b");
    private static final NameRecord RECORD = NameRecord.of(Map.of("v", "1"));

    @TempDir
    private Path folder;

    @TempDir
    private Path data;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private Slapd slapd;

    private Slapd slapd(String schema) throws Exception {
        Assumptions.assumeTrue(Slapd.missing().isEmpty(), Slapd.missing());
        slapd = schema.isEmpty() ? Slapd.start(data, schema) : Slapd.start(data, schema, LdapSchema.indices());
        opened.add(slapd);
        return slapd;
    }

    private LdapNames names(int port, String password, String options) throws Exception {
        LdapNames names = new LdapNames(LdapAddress.config(port, LdapAddress.passwordFile(folder, password), options));
        opened.addFirst(names);
        return names;
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    private static NameException failure(CompletionStage<?> stage) {
        try {
            stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
        } catch (CompletionException e) {
            return (NameException) e.getCause();
        }
        throw new AssertionError("it did not fail");
    }

    private static BoundName join(CompletionStage<BoundName> stage) {
        return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
    }

    @Test
    void aWrongPasswordIsDeniedByNameAndACorrectedOneIsTaken() throws Exception {
        LdapNames names = names(slapd(LdapSchema.ldif()).port(), "wrong", "");
        NameException denied = failure(names.lookup(NAME));
        assertThat(denied.kind()).isEqualTo(NameException.Kind.DENIED);
        assertThat(denied).hasMessageMatching("the directory ldap://127.0.0.1:\\d+ refuses the password of cn=posthouse,dc=example,dc=org:"
                + " check user= and the file .*password-of-5 \\(.*49.*\\)");
        Files.writeString(folder.resolve("password-of-5"), Slapd.PASSWORD);
        Awaitility.await().ignoreExceptions().untilAsserted(() -> assertThat(join(names.bind(NAME, RECORD)).version()).isEqualTo(1));
    }

    @Test
    void aUserWithoutRightsIsDenied() throws Exception {
        slapd(LdapSchema.ldif());
        LdapConfig elsewhere = LdapConfig.parse("ldap://127.0.0.1:" + slapd.port() + "/dc=example,dc=org?user=" + Slapd.USER + "&password-file="
                + LdapAddress.passwordFile(folder, Slapd.PASSWORD));
        LdapNames names = new LdapNames(elsewhere);
        opened.addFirst(names);
        assertThat(failure(names.bind(NAME, RECORD)).getMessage()).containsAnyOf("give it the right to read and write", "has no entry dc=example,dc=org");
    }

    @Test
    void aDirectoryWithoutTheSchemaIsSaidToHaveNone() throws Exception {
        LdapNames names = names(slapd("").port(), Slapd.PASSWORD, "");
        assertThat(failure(names.bind(NAME, RECORD))).hasMessageContaining("does not know Posthouse's attributes: load posthouse.ldif into its schema");
    }

    @Test
    void aDirectoryThatIsDownAtTheStartIsNamedAndUsedOnceItIsThere() throws Exception {
        slapd(LdapSchema.ldif()).stop();
        LdapNames names = names(slapd.port(), Slapd.PASSWORD, "");
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        names.listen(Name.parse("a"), change -> heard.add(change.bound().name() + " " + change.present()));
        NameException down = failure(names.bind(NAME, RECORD));
        assertThat(down.kind()).isEqualTo(NameException.Kind.UNAVAILABLE);
        assertThat(down).hasMessageMatching("the directory ldap://127.0.0.1:\\d+ cannot be reached: check that it runs and that the address is right \\(.*"
                + "Connection refused\\)");
        slapd.start();
        Awaitility.await().ignoreExceptions().untilAsserted(() -> assertThat(join(names.bind(NAME, RECORD)).version()).isEqualTo(1));
        Awaitility.await().untilAsserted(() -> assertThat(heard).contains("a/b true"));
    }

    @Test
    void aRestartIsNotNoticedByTheNextCallAndListenersHearWhatTheyMissed() throws Exception {
        LdapNames names = names(slapd(LdapSchema.ldif()).port(), Slapd.PASSWORD, "");
        join(names.bind(NAME, RECORD));
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        names.listen(Name.parse("a"), change -> heard.add(change.bound().version() + " " + change.present()));
        Awaitility.await().untilAsserted(() -> assertThat(heard).contains("1 true"));
        try (LdapNames other = new LdapNames(LdapAddress.config(slapd.port(), LdapAddress.passwordFile(folder, Slapd.PASSWORD), ""))) {
            join(other.swap(NAME, 1, RECORD));
            slapd.stop();
            slapd.start();
            assertThat(join(other.swap(NAME, 2, RECORD)).version()).isEqualTo(3);
        }
        Awaitility.await().untilAsserted(() -> assertThat(heard).contains("3 true"));
    }

    @Test
    void aSilentDirectoryIsGivenUpAfterTheTimeoutAndUsedWhenItAnswersAgain() throws Exception {
        LdapNames names = names(slapd(LdapSchema.ldif()).port(), Slapd.PASSWORD, "&read-timeout-ms=500&connect-timeout-ms=500");
        join(names.bind(NAME, RECORD));
        signal("STOP");
        try {
            long start = System.nanoTime();
            NameException slow = failure(names.lookup(NAME));
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(450), Duration.ofSeconds(5));
            assertThat(slow.kind()).isEqualTo(NameException.Kind.UNAVAILABLE);
            assertThat(slow).hasMessageContaining("has not answered within 500 ms: see how busy it is, or raise read-timeout-ms");
            failure(names.lookup(NAME)); // A new connection, which the system takes for it.
            start = System.nanoTime();
            failure(names.lookup(NAME));
            assertThat(Duration.ofNanos(System.nanoTime() - start)).as("without an attempt, which takes 500 ms").isLessThan(Duration.ofMillis(450));
        } finally {
            signal("CONT");
        }
        Awaitility.await().ignoreExceptions().untilAsserted(() -> assertThat(names.lookup(NAME).toCompletableFuture().get(10, TimeUnit.SECONDS)).isPresent());
    }

    private void signal(String name) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(slapd.pid())).start().waitFor()).isZero();
    }

    @Test
    void aPasswordThatOthersMayReadIsNotUsed() throws Exception {
        Path file = LdapAddress.passwordFile(folder, "open");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        LdapNames names = new LdapNames(LdapAddress.config(1, file, ""));
        opened.add(names);
        assertThat(failure(names.lookup(NAME))).hasMessageContaining("can be read by others: chmod 600 " + file);
    }

    @Test
    void anEmptyPasswordIsNotUsed() throws Exception {
        LdapNames names = names(1, "", "");
        assertThat(failure(names.lookup(NAME))).hasMessageContaining("is empty, expected the password in its first line");
    }

    @Test
    void moreNamesThanTheServersSizeLimitAreListedInPages() throws Exception {
        LdapNames names = names(slapd(LdapSchema.ldif()).port(), Slapd.PASSWORD, "");
        List<CompletionStage<BoundName>> bound = new ArrayList<>();
        for (int each = 0; each < 700; each++) {
            bound.add(names.bind(Name.parse("many/" + each), RECORD));
        }
        bound.forEach(LdapFaultsTest::join);
        List<BoundName> first = names.list(Name.parse("many"), 500, Optional.empty()).toCompletableFuture().get(60, TimeUnit.SECONDS);
        List<BoundName> rest = names.list(Name.parse("many"), 500, Optional.of(first.getLast().name())).toCompletableFuture().get(60, TimeUnit.SECONDS);
        assertThat(first).hasSize(500);
        assertThat(rest).hasSize(200);
        assertThat(rest.getFirst().name()).isGreaterThan(first.getLast().name());
    }

    @Test
    void namesThatDifferInCaseOrAreOfTheLongestLengthAreOthers() throws Exception {
        LdapNames names = names(slapd(LdapSchema.ldif()).port(), Slapd.PASSWORD, "");
        String part = "x".repeat(63);
        Name longest = Name.parse(String.join("/", Collections.nCopies(7, part + "y")) + "/" + part + "z");
        Name other = Name.parse(String.join("/", Collections.nCopies(7, part + "y")) + "/" + part + "Z");
        for (Name each : List.of(longest, other, Name.parse("Case"), Name.parse("case"))) {
            join(names.bind(each, NameRecord.of(Map.of("name", each.toString()))));
        }
        for (Name each : List.of(longest, other, Name.parse("Case"), Name.parse("case"))) {
            assertThat(names.list(each, 10, Optional.empty()).toCompletableFuture().get(60, TimeUnit.SECONDS)).singleElement().satisfies(
                    bound -> assertThat(bound.record().field("name")).isEqualTo(each.toString()));
        }
    }

    @Test
    void afterCloseCallsFail() throws Exception {
        LdapNames names = names(1, "x", "");
        names.close();
        assertThat(failure(names.lookup(NAME))).hasMessageContaining("was closed here");
        assertThat(failure(names.unbind(NAME, NameService.ANY_VERSION)).kind()).isEqualTo(NameException.Kind.UNAVAILABLE);
    }
}
