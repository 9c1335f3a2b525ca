package org.posthouse.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/** The limits of this user's processes. Stateless. */
final class LimitsCheck {
    /** Some 600 files for the relay itself, and one for each connection: a job of 1,000 ranks fits. */
    static final long FILES_ENOUGH = 4_096;

    /** Threads of a relay in mode threaded with 500 ranks, two for each, and those of the JVM. */
    static final long PROCESSES_ENOUGH = 2_048;

    private LimitsCheck() {}

    /**
     * Checks the limits.
     *
     * @param files that a process may open
     * @param limits the contents of /proc/self/limits
     */
    static List<Finding> check(long files, List<String> limits) {
        List<Finding> findings = new ArrayList<>();
        findings.add(finding("open files", files, FILES_ENOUGH, "raise it: ulimit -n, or LimitNOFILE= of a systemd unit"));
        processes(limits).ifPresent(most -> findings.add(finding("processes", most, PROCESSES_ENOUGH, "raise it: ulimit -u, or TasksMax= of a systemd unit")));
        return findings;
    }

    private static Finding finding(String what, long limit, long enough, String remedy) {
        return limit >= enough
                ? Finding.ok(what, String.format(Locale.ROOT, "%,d allowed", limit))
                : Finding.warn(what, String.format(Locale.ROOT, "%,d allowed, %,d are enough for a job of 1,000 ranks", limit, enough), remedy);
    }

    /** The soft limit; empty if there is none. */
    static OptionalLong processes(List<String> limits) {
        return limits.stream()
                .filter(line -> line.startsWith("Max processes"))
                .map(line -> line.substring("Max processes".length()).strip().split("\\s+")[0])
                .filter(word -> word.matches("\\d{1,18}"))
                .mapToLong(Long::parseLong)
                .findFirst();
    }
}
