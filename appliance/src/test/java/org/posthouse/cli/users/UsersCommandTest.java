package org.posthouse.cli.users;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.cli.InProcess;

/** {@code posthouse users}: what it writes, and what it refuses. */
class UsersCommandTest {
    private static final String PASSWORD = "correct horse";

    @TempDir
    private Path folder;

    private final InputStream input = System.in;
    private String file;

    @BeforeEach
    void name() {
        file = folder.resolve("users").toString();
    }

    @AfterEach
    void giveInputBack() {
        System.setIn(input);
    }

    private InProcess.Result users(String password, String... arguments) {
        System.setIn(new ByteArrayInputStream(password.getBytes(StandardCharsets.UTF_8)));
        String[] all = new String[arguments.length + 1];
        all[0] = "users";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        return InProcess.run(all);
    }

    private InProcess.Result add(String name, String password, String role) {
        return users(password + "\n", "add", file, name, "--role", role, "--password-stdin");
    }

    @Test
    void addsListsChangesAndRemoves() throws Exception {
        assertThat(add("alice", PASSWORD, "operator").out()).isEqualTo("added alice (operator) to " + file + System.lineSeparator());
        assertThat(add("bob", PASSWORD, "viewer").status()).isZero();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(Path.of(file)))).isEqualTo("rw-------");
        assertThat(Files.readString(Path.of(file))).contains("alice:operator:$pbkdf2$it=210000$").doesNotContain(PASSWORD);
        assertThat(users("", "ls", file).out().lines()).containsExactly("USER   ROLE", "alice  operator", "bob    viewer");
        assertThat(users("", "ls", file, "--json").out().strip())
                .isEqualTo("{\"users\":[{\"name\":\"alice\",\"role\":\"operator\"},{\"name\":\"bob\",\"role\":\"viewer\"}]}");
        String before = Files.readString(Path.of(file));
        assertThat(users("another horse\n", "passwd", file, "bob", "--role", "operator", "--password-stdin").status()).isZero();
        assertThat(Files.readString(Path.of(file))).isNotEqualTo(before).contains("bob:operator:");
        assertThat(users("", "remove", file, "alice").status()).isZero();
        assertThat(users("", "ls", file).out()).doesNotContain("alice").contains("bob   operator");
    }

    @Test
    void refusesWhatIsNoUser() {
        assertThat(add("alice", "seven77", "viewer").err()).contains("the password has 7 characters, expected at least 8");
        assertThat(add("a:b", PASSWORD, "viewer").err()).contains("the name is \"a:b\", expected 1 to 64 of");
        assertThat(add("alice", PASSWORD, "admin").status()).isEqualTo(2);
        assertThat(users("", "add", file, "alice", "--password-stdin").err()).contains("standard input has no password");
        assertThat(users("", "add", file, "alice").err()).contains("no terminal", "--password-stdin");
        assertThat(Path.of(file)).doesNotExist();
    }

    @Test
    void refusesASecondOneAndAnUnknownOne() {
        add("alice", PASSWORD, "viewer");
        assertThat(add("alice", PASSWORD, "operator").err()).contains("has a user alice", "posthouse users passwd " + file + " alice");
        assertThat(users("x", "passwd", file, "bob", "--password-stdin").err()).contains("no user of " + file + " is named bob", "posthouse users ls");
        assertThat(users("", "remove", file, "bob").status()).isEqualTo(1);
        assertThat(users("", "remove", file, "alice").err()).contains("the only user");
    }
}
