package org.posthouse.cli.config;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The variables that set options of a command: {@code POSTHOUSE_RELAY_LOG_LIMIT} is {@code --log-limit} of {@code posthouse
 * relay}. A variable of that form that is no option is an error, since it is most likely misspelt. Stateless.
 */
final class EnvironmentSettings {
    private static final String PREFIX = "POSTHOUSE_";

    /** Variables of Posthouse that are no options: of the launcher script, of ranks, and of the processes that it starts itself. */
    static final Set<String> OTHERS = Set.of(
            "POSTHOUSE_AGENT", "POSTHOUSE_AGENT_OPTIONS", "POSTHOUSE_AHEAD", "POSTHOUSE_ARGS", "POSTHOUSE_BUSY_POLL_US", "POSTHOUSE_CHECKPOINT_MS",
            "POSTHOUSE_COLLECTIVES", "POSTHOUSE_CONFIG", "POSTHOUSE_EAGER_MAX", "POSTHOUSE_FOLLOWER", "POSTHOUSE_INCARNATION", "POSTHOUSE_INPUT",
            "POSTHOUSE_JAVA_HOME", "POSTHOUSE_JOB",
            "POSTHOUSE_KEPT_MAX", "POSTHOUSE_LOCAL_SOCKETS", "POSTHOUSE_OPS_TOKEN_FILE", "POSTHOUSE_PRINT_MARKS", "POSTHOUSE_RANK",
            "POSTHOUSE_RANK_JAVA_HOME", "POSTHOUSE_REBUILD_RANKS", "POSTHOUSE_RECONNECT_S", "POSTHOUSE_RELAY", "POSTHOUSE_RELAY_DIRECT",
            "POSTHOUSE_RELAY_FLAGS",
            "POSTHOUSE_REPLICATED", "POSTHOUSE_RESTARTABLE", "POSTHOUSE_TELLS_DEATHS", "POSTHOUSE_TEST_FOLDER", "POSTHOUSE_TOKEN", "POSTHOUSE_TOKEN_FILE");

    /** Kubernetes sets such variables for each Service; one may be called posthouse-relay. */
    private static final Pattern OF_KUBERNETES = Pattern.compile(".*_(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_\\d+_(TCP|UDP)(_(PROTO|PORT|ADDR))?)?)");

    private EnvironmentSettings() {}

    /**
     * Reads the variables of a command.
     *
     * @param problems are added to
     */
    static List<Setting> read(CommandSpec command, Map<String, String> environment, Collection<String> problems) {
        String prefix = PREFIX + command.name().toUpperCase(Locale.ROOT) + "_";
        Map<String, OptionSpec> known = new TreeMap<>();
        Options.settable(command).forEach(option -> known.put(prefix + variable(option), option));
        List<Setting> settings = new ArrayList<>();
        new TreeMap<>(environment).forEach((name, value) -> {
            if (known.containsKey(name)) {
                OptionSpec option = known.get(name);
                List<String> values = option.isMultiValue() ? List.of(value.strip().split("\\s+")) : List.of(value);
                settings.addAll(Options.settings(option, values, name, problems));
            } else if (name.startsWith(PREFIX) && !OTHERS.contains(name) && !isOfAnother(command, name) && !OF_KUBERNETES.matcher(name).matches()) {
                problems.add(name + ": posthouse " + command.name() + " has no such variable; the nearest is "
                        + Nearest.of(name, Stream.concat(known.keySet().stream(), OTHERS.stream()).toList()));
            }
        });
        return settings;
    }

    /** An option of another command: one host may run several. */
    private static boolean isOfAnother(CommandSpec command, String name) {
        return !name.startsWith(PREFIX + command.name().toUpperCase(Locale.ROOT) + "_")
                && Configuration.COMMANDS.stream().anyMatch(other -> name.startsWith(PREFIX + other.toUpperCase(Locale.ROOT) + "_"));
    }

    private static String variable(OptionSpec option) {
        return Options.key(option).replace('-', '_').toUpperCase(Locale.ROOT);
    }
}
