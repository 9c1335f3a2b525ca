package org.posthouse.cli.users;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.posthouse.causes.Causes;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.terminal.TextTable;
import org.posthouse.ops.access.ConsoleUser;
import org.posthouse.ops.access.Passwords;
import org.posthouse.ops.access.Role;
import org.posthouse.ops.access.Users;
import org.posthouse.ops.access.UsersFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code posthouse users}: who may log in at a relay's console. */
@Command(
        name = "users",
        description = "Keeps the file of the users who may log in at a relay's console (relay --ops-users).",
        mixinStandardHelpOptions = true,
        subcommands = {UsersCommand.Add.class, UsersCommand.Passwd.class, UsersCommand.Remove.class, UsersCommand.Ls.class},
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Examples:", "  posthouse users add users alice --role operator", "  posthouse users ls users"})
public final class UsersCommand {
    private static final String FILE = "The file of users, which only its owner may read.";

    /** A command with a file. */
    private abstract static class OfFile implements Callable<Integer> {
        @Parameters(index = "0", paramLabel = "FILE", description = FILE)
        private Path path;

        Path path() {
            return path;
        }

        UsersFile file() {
            return new UsersFile(path);
        }

        abstract void run() throws CommandFailure, IOException;

        @Override
        public final Integer call() throws CommandFailure {
            try {
                run();
                return 0;
            } catch (IOException | IllegalArgumentException e) {
                throw new CommandFailure(Causes.text(e), e);
            }
        }
    }

    /** A command about one user. */
    private abstract static class OfUser extends OfFile {
        @Parameters(index = "1", paramLabel = "NAME", description = "The user's name: 1 to 64 of A-Z, a-z, 0-9, '.', '-', '_' and '@'.")
        private String name;

        String name() {
            return name;
        }

        ConsoleUser known(Users users) throws CommandFailure {
            return users.find(name).orElseThrow(() -> new CommandFailure("no user of " + path() + " is named " + name + "; posthouse users ls " + path()
                    + " lists them"));
        }
    }

    /** {@code posthouse users add}. */
    @Command(name = "add", description = "Adds a user. A missing file is made.", mixinStandardHelpOptions = true,
            footer = {"", "Examples:", "  posthouse users add users alice --role operator", "  posthouse users add users bob --password-stdin"})
    static final class Add extends OfUser {
        @Option(names = "--role", paramLabel = "ROLE", defaultValue = "viewer",
                description = "viewer: may look; operator: may give orders, too (default: ${DEFAULT-VALUE}).")
        private Role role;

        @Mixin
        private PasswordInput password;

        @Override
        void run() throws CommandFailure, IOException {
            Users users = file().exists() ? file().read() : Users.NONE;
            if (users.find(name()).isPresent()) {
                throw new CommandFailure(path() + " has a user " + name() + "; posthouse users passwd " + path() + " " + name()
                        + " changes the password, and with --role the role");
            }
            ConsoleUser user = new ConsoleUser(name(), role, Passwords.hash(password.read(name())));
            file().write(users.with(user));
            System.out.println("added " + user + " to " + path());
        }
    }

    /** {@code posthouse users passwd}. */
    @Command(name = "passwd", description = "Changes a user's password, which ends his sessions.", mixinStandardHelpOptions = true,
            footer = {"", "Examples:", "  posthouse users passwd users alice", "  posthouse users passwd users bob --role operator"})
    static final class Passwd extends OfUser {
        @Option(names = "--role", paramLabel = "ROLE", description = "Another role, too: viewer or operator.")
        private Role role;

        @Mixin
        private PasswordInput password;

        @Override
        void run() throws CommandFailure, IOException {
            Users users = file().read();
            ConsoleUser before = known(users);
            ConsoleUser user = new ConsoleUser(name(), role == null ? before.role() : role, Passwords.hash(password.read(name())));
            file().write(users.with(user));
            System.out.println("changed the password of " + user + " in " + path());
        }
    }

    /** {@code posthouse users remove}. */
    @Command(name = "remove", description = "Removes a user, which ends his sessions.", mixinStandardHelpOptions = true,
            footer = {"", "Example:", "  posthouse users remove users bob"})
    static final class Remove extends OfUser {
        @Override
        void run() throws CommandFailure, IOException {
            Users users = file().read();
            ConsoleUser user = known(users);
            if (users.list().size() == 1) {
                throw new CommandFailure(name() + " is the only user of " + path() + ", and no relay takes a file without any; add another one first");
            }
            file().write(users.without(name()));
            System.out.println("removed " + user + " from " + path());
        }
    }

    /** {@code posthouse users ls}. */
    @Command(name = "ls", description = "Lists the users and their roles.", mixinStandardHelpOptions = true,
            footer = {"", "Examples:", "  posthouse users ls users", "  posthouse users ls users --json"})
    static final class Ls extends OfFile {
        @Option(names = "--json", description = "Print JSON.")
        private boolean json;

        @Override
        void run() throws IOException {
            List<ConsoleUser> users = file().read().list();
            System.out.print(json ? json(users) + System.lineSeparator() : table(users));
        }

        private static String table(List<ConsoleUser> users) {
            List<List<String>> rows = new ArrayList<>(List.of(List.of("USER", "ROLE")));
            users.forEach(user -> rows.add(List.of(user.name(), user.role().word())));
            return TextTable.of(rows, column -> false);
        }

        private static ObjectNode json(List<ConsoleUser> users) {
            ObjectNode root = JsonNodeFactory.instance.objectNode();
            ArrayNode list = root.putArray("users");
            users.forEach(user -> list.addObject().put("name", user.name()).put("role", user.role().word()));
            return root;
        }
    }
}
