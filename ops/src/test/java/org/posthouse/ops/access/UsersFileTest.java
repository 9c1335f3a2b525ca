package org.posthouse.ops.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The file of users: what it may say, and who may read it. */
class UsersFileTest {
    private static final String HASH = Passwords.hash("correct horse", 10_000);

    @TempDir
    private Path folder;

    private Path file(String text, String rights) throws IOException {
        Path file = Files.writeString(folder.resolve("users"), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(rights));
    }

    @Test
    void readsWhatItHasWritten() throws IOException {
        UsersFile file = new UsersFile(folder.resolve("users"));
        ConsoleUser alice = new ConsoleUser("alice", Role.OPERATOR, HASH);
        file.write(Users.NONE.with(alice).with(new ConsoleUser("b.o-b@x", Role.VIEWER, HASH)));
        assertThat(file.read().list()).extracting(ConsoleUser::toString).containsExactly("alice (operator)", "b.o-b@x (viewer)");
        assertThat(file.read().find("alice")).hasValue(alice);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("users")))).isEqualTo("rw-------");
        try (var files = Files.list(folder)) {
            assertThat(files).as("no part is left").hasSize(1);
        }
    }

    @Test
    void leavesOutEmptyLinesAndComments() throws IOException {
        Path file = file("# people\n\nalice:viewer:" + HASH + "\n", "rw-------");
        assertThat(new UsersFile(file).readSome().list()).hasSize(1);
    }

    /** All at once, by number; the line itself, with its hash, is not shown. */
    @Test
    void tellsEachBadLine() throws IOException {
        Path file = file("alice:viewer:" + HASH + "\nbob:viewer\nx y:viewer:" + HASH + "\ncarl:admin:" + HASH + "\ndora:viewer:plain\nalice:viewer:"
                + HASH + "\n", "rw-------");
        assertThatThrownBy(() -> new UsersFile(file).read()).isInstanceOf(IOException.class)
                .hasMessageContaining("line 2: it has 2 parts between colons, expected three: NAME:ROLE:HASH")
                .hasMessageContaining("line 3: the name is \"x y\", expected")
                .hasMessageContaining("line 4: the role is \"admin\", expected viewer or operator")
                .hasMessageContaining("line 5: the hash is none, expected $pbkdf2$it=N$SALT$HASH")
                .hasMessageContaining("line 6: alice stands there a second time")
                .hasMessageNotContaining(HASH).hasMessageNotContaining("line 1:");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-r-----", "rw----r--", "rw--w----"})
    void isNotReadWhereOthersMay(String rights) throws IOException {
        Path file = file("alice:viewer:" + HASH + "\n", rights);
        assertThatThrownBy(() -> new UsersFile(file).read()).hasMessageContaining("can be read or written by others: chmod 600 " + file);
    }

    @Test
    void saysHowToMakeIt() throws IOException {
        assertThatThrownBy(() -> new UsersFile(folder.resolve("none")).read()).hasMessageContaining("does not exist", "posthouse users add");
        Path empty = file("# nobody\n", "rw-------");
        assertThatThrownBy(() -> new UsersFile(empty).readSome()).hasMessageContaining("has no user; add one with: posthouse users add " + empty);
    }

    @Test
    void hasABoundOfUsers() {
        Users users = Users.NONE;
        for (int i = 0; i < Users.USERS_MAX; i++) {
            users = users.with(new ConsoleUser("u" + i, Role.VIEWER, HASH));
        }
        Users full = users;
        assertThatThrownBy(() -> full.with(new ConsoleUser("more", Role.VIEWER, HASH))).hasMessageContaining("256 users, the limit");
        assertThat(full.without("u7").with(new ConsoleUser("more", Role.VIEWER, HASH)).list()).hasSize(Users.USERS_MAX);
    }

    @ParameterizedTest
    @CsvSource({"seven77, 7 characters", "'', 0 characters"})
    void passwordsHaveALeastLength(String password, String told) {
        assertThatThrownBy(() -> Passwords.hash(password)).hasMessageContaining(told, "expected at least 8");
    }

    @Test
    void aPasswordIsVerifiedByItsHashOnly() {
        assertThat(Passwords.verify(HASH, "correct horse")).isTrue();
        assertThat(Passwords.verify(HASH, "correct horsf")).isFalse();
        assertThat(Passwords.verify(HASH, "x".repeat(Passwords.BYTES_MAX + 1))).isFalse();
        assertThat(Passwords.verify(Passwords.decoy(10_000), "correct horse")).isFalse();
        assertThat(Passwords.hash("correct horse", 10_000)).as("another salt").isNotEqualTo(HASH);
        assertThat(Passwords.iterations(Passwords.decoy(10_000))).isEqualTo(10_000);
        assertThat(Passwords.iterations(Passwords.hash("correct horse"))).isEqualTo(210_000);
        assertThatThrownBy(() -> Passwords.hash("x".repeat(Passwords.BYTES_MAX + 1))).hasMessageContaining("at most 256 bytes");
    }

    @ParameterizedTest
    @ValueSource(ints = {9_999, 2_000_001})
    void iterationsHaveBounds(int iterations) {
        String hash = HASH.replace("it=10000", "it=" + iterations);
        assertThatThrownBy(() -> new ConsoleUser("alice", Role.VIEWER, hash)).hasMessageContaining("from 10000 to 2000000");
    }
}
