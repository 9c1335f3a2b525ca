package org.posthouse.cli.option;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.posthouse.launch.place.PartsRequest;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.JobOpen;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** A job whose slots are brought by the sites' own batch jobs, with {@code posthouse join}. */
public final class PartsOptions {
    /** How long parts, and the job, are waited for, unless the user says otherwise. */
    public static final long WAIT_MS = TimeUnit.HOURS.toMillis(2);

    private static final long WAIT_MS_MAX = TimeUnit.DAYS.toMillis(31);

    /** Also in the documents. */
    private static final String NAME = "[A-Za-z0-9][A-Za-z0-9._-]{0,62}";

    @Spec(Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--expect",
            paramLabel = "SITE=SLOTS",
            split = ",",
            description = "Slots that the batch job of each site brings with posthouse join: a=64,b=32. The job begins when all are there; -n is their sum. The"
                    + " command prints what the batch scripts are to run.")
    private List<String> expected = List.of();

    @Option(
            names = "--wait",
            paramLabel = "TIME",
            converter = CheckpointOption.Interval.class,
            description = "How long the parts of --expect are waited for, such as 30m or 12h (default: 2h).")
    private Long waitMs;

    @Option(names = "--job", paramLabel = "NAME", description = "The name that posthouse join is called with (default: one that is drawn).")
    private String name;

    /** Slots by site, in the order of the option; empty if none are expected. */
    private Map<String, Integer> sites = Map.of();

    /**
     * Checks the options.
     *
     * @param ranks as -n says; 0 if it is not given
     * @param excluded options that exclude these and are given; empty if none are
     * @return the number of ranks
     */
    public int ranks(int ranks, boolean isGiven, String excluded) {
        if (expected.isEmpty()) {
            if (waitMs != null || name != null) {
                throw fault((name != null ? "--job" : "--wait") + " is for a job whose parts are waited for: give --expect");
            }
            if (!isGiven) {
                throw fault("Missing required option: '--ranks=N'");
            }
            return ranks;
        }
        sites = parsed();
        long sum = sites.values().stream().mapToLong(Integer::longValue).sum();
        if (sum > JobOpen.RANKS_MAX) {
            throw fault("--expect " + words() + " is " + sum + " slots, expected 1 to " + JobOpen.RANKS_MAX);
        }
        if (isGiven && ranks != sum) {
            throw fault("-n " + ranks + " and --expect " + words() + ", which is " + sum + ": leave -n out");
        }
        if (!excluded.isEmpty()) {
            throw fault("--expect and " + excluded + ": give one of them");
        }
        if (waitMs != null && (waitMs < 1 || waitMs > WAIT_MS_MAX)) {
            throw fault("--wait is a time from 1 ms to 31 days");
        }
        if (name != null) {
            requireName(command, "--job", name);
        } else {
            name = Integer.toHexString(new SecureRandom().nextInt() | 1 << 31);
        }
        return (int) sum;
    }

    private ParameterException fault(String line) {
        return new ParameterException(command.commandLine(), line);
    }

    /** @throws ParameterException if it is no name of a job */
    public static void requireName(CommandSpec command, String option, String name) {
        if (!name.matches(NAME)) {
            throw new ParameterException(
                    command.commandLine(),
                    option + " \"" + name + "\" is no name of a job: expected 1 to 63 letters, digits, '.', '_' and '-', the first a letter or digit");
        }
    }

    private Map<String, Integer> parsed() {
        Map<String, Integer> slots = new LinkedHashMap<>();
        for (String part : expected) {
            int equals = part.indexOf('=');
            if (equals < 1 || !part.substring(equals + 1).matches("[1-9][0-9]{0,8}")) {
                throw fault("--expect \"" + part + "\" is not SITE=SLOTS, such as a=64");
            }
            if (slots.put(part.substring(0, equals), Integer.parseInt(part.substring(equals + 1))) != null) {
                throw fault("--expect names site " + part.substring(0, equals) + " twice");
            }
        }
        return slots;
    }

    private String words() {
        return String.join(",", expected);
    }

    /** Whether parts are waited for. */
    public boolean areExpected() {
        return !sites.isEmpty();
    }

    /** The sites and their ranks as {@code --sites} says them: {@code a:64,b:32}. */
    public String sites() {
        return String.join(",", sites.entrySet().stream().map(site -> site.getKey() + ":" + site.getValue()).toList());
    }

    /** The label of agents that have joined the job. */
    public Map<String, String> label() {
        return Map.of(AgentOffer.JOB_LABEL, name);
    }

    /** @param tokenFile of the relays' launch token; null if they have none */
    public Optional<PartsRequest> request(Path tokenFile) {
        String options = tokenFile == null ? "" : " --token-file " + tokenFile;
        return areExpected() ? Optional.of(new PartsRequest(name, waitMs == null ? WAIT_MS : waitMs, options)) : Optional.empty();
    }
}
