package org.posthouse.ops.access;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The users of a console, by name. Immutable. */
public final class Users {
    /** Most users of a file: sessions of each are bounded, so this bounds them all. */
    static final int USERS_MAX = 256;

    /** Of nobody. */
    public static final Users NONE = new Users(Map.of());

    private final Map<String, ConsoleUser> byName;

    private Users(Map<String, ConsoleUser> byName) {
        this.byName = byName;
    }

    /**
     * Reads lines {@code name:role:hash}; empty ones and those that begin with {@code #} are left out.
     *
     * @throws IllegalArgumentException with all lines that are no users, by number
     */
    static Users parse(List<String> lines) {
        Map<String, ConsoleUser> users = new LinkedHashMap<>();
        List<String> problems = new ArrayList<>();
        for (int at = 0; at < lines.size(); at++) {
            String line = lines.get(at).strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            try {
                ConsoleUser user = ConsoleUser.parse(line);
                if (users.putIfAbsent(user.name(), user) != null) {
                    problems.add("line " + (at + 1) + ": " + user.name() + " stands there a second time");
                }
            } catch (IllegalArgumentException e) {
                problems.add("line " + (at + 1) + ": " + e.getMessage());
            }
        }
        if (users.size() > USERS_MAX) {
            problems.add("it has " + users.size() + " users, expected at most " + USERS_MAX);
        }
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", problems));
        }
        return new Users(users);
    }

    public Optional<ConsoleUser> find(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    /** In the order of the file. */
    public List<ConsoleUser> list() {
        return List.copyOf(byName.values());
    }

    /** These, and that one in place of one of its name. @throws IllegalArgumentException if they are too many */
    public Users with(ConsoleUser user) {
        Map<String, ConsoleUser> users = new LinkedHashMap<>(byName);
        users.put(user.name(), user);
        if (users.size() > USERS_MAX) {
            throw new IllegalArgumentException("there are " + USERS_MAX + " users, the limit");
        }
        return new Users(users);
    }

    public Users without(String name) {
        Map<String, ConsoleUser> users = new LinkedHashMap<>(byName);
        users.remove(name);
        return new Users(users);
    }

    /** The most iterations of their hashes. */
    int iterations() {
        return byName.values().stream().mapToInt(user -> Passwords.iterations(user.hash())).max().orElse(0);
    }

    String text() {
        return byName.values().stream().map(user -> user.line() + "\n").collect(Collectors.joining());
    }
}
