package org.posthouse.ops.access;

import java.io.IOException;
import java.nio.file.Path;

/** A file with an operator and a viewer, whose hashes take little time. */
public final class TestUsers {
    public static final String OPERATOR = "alice";
    public static final String VIEWER = "bob";
    public static final String PASSWORD = "correct horse";

    private static final String HASH = Passwords.hash(PASSWORD, 10_000);

    private TestUsers() {}

    public static UsersFile in(Path folder) throws IOException {
        UsersFile file = new UsersFile(folder.resolve("users"));
        file.write(Users.NONE.with(new ConsoleUser(OPERATOR, Role.OPERATOR, HASH)).with(new ConsoleUser(VIEWER, Role.VIEWER, HASH)));
        return file;
    }

    /** Gives a user of the file another role. */
    public static void change(UsersFile file, String name, Role role) throws IOException {
        file.write(file.read().with(new ConsoleUser(name, role, HASH)));
    }
}
